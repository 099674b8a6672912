import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

const require = createRequire(import.meta.url);

/** Where the schema comes from: data files and tables of these packages. */
export const inputPackages = ['node-opcua-nodesets', 'node-opcua-constants', 'node-opcua-status-code'] as const;

export const bsdPath: string = schemaFile('Opc.Ua.Types.bsd');
export const nodesetPath: string = schemaFile('Opc.Ua.NodeSet2.xml');

/** `name@version` of an input package as it is installed. */
export async function packageVersion(name: string): Promise<string> {
  const manifest: unknown = JSON.parse(await readFile(require.resolve(`${name}/package.json`), 'utf8'));
  const version = typeof manifest === 'object' && manifest !== null && 'version' in manifest ? manifest.version : undefined;
  return `${name}@${String(version)}`;
}

function schemaFile(fileName: string): string {
  return join(dirname(require.resolve('node-opcua-nodesets/package.json')), 'nodesets', fileName);
}
