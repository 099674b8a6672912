import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

const require = createRequire(import.meta.url);
const manifestPath = require.resolve('node-opcua-nodesets/package.json');

/** The official NodeSet of namespace 0. */
export const coreNodeSetPath: string = join(dirname(manifestPath), 'nodesets', 'Opc.Ua.NodeSet2.xml');
export const nodeSetsManifestPath: string = manifestPath;
