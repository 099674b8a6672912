import { dirname, join } from 'node:path';
import { DataType, OPCUACertificateManager, OPCUAServer } from 'node-opcua';

/** A server of node-opcua for the client under test. Arguments: port, certificate (DER), key (PEM), ApplicationUri, certificate (PEM). */
const [port, certificate, privateKeyFile, applicationUri, certificateFile] = process.argv.slice(2);
const serverCertificateManager = new OPCUACertificateManager({
  rootFolder: join(dirname(certificate), 'pki'),
  automaticallyAcceptUnknownCertificate: true,
});
await serverCertificateManager.initialize();
const server = new OPCUAServer({
  host: '127.0.0.1',
  hostname: '127.0.0.1',
  port: Number(port),
  certificateFile,
  privateKeyFile,
  serverCertificateManager,
  serverInfo: { applicationUri },
});
await server.initialize();
const { addressSpace } = server.engine;
addressSpace.getOwnNamespace().addVariable({
  organizedBy: addressSpace.rootFolder.objects,
  browseName: 'Value',
  nodeId: 's=Value',
  dataType: DataType.Double,
  minimumSamplingInterval: 10,
  value: { dataType: DataType.Double, value: 0 },
});
await server.start();
console.log(JSON.stringify({ event: 'ready', nodeId: 'ns=1;s=Value' }));
