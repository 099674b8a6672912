import { OpcUaServer } from '@bulkhead/opcua';

/** A server that has what the examples of clients ask for. */
export function startPressServer(): Promise<OpcUaServer> {
  return OpcUaServer.start(
    {
      applicationName: 'Press',
      pki: { folder: './pki-server', autoAcceptUntrustedCertificates: true },
      security: { allowAnonymous: true, validateUser: (userName, password) => userName === 'operator' && password === 'secret' },
    },
    [
      (space) => {
        space.namespaces.register('urn:examples:press');
        space.addVariable({ browseName: 'Temperature', nodeId: 'ns=2;s=Temperature', dataType: 'Double', value: 21.5 });
        space.addVariable({ browseName: 'Pressure', nodeId: 'ns=2;s=Pressure', dataType: 'Double', value: 2.5 });
      },
    ],
  );
}
