import { existsSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type RunningServer, startServerProcess } from './server-process.ts';

/** A server that can be measured. */
export interface ServerKind {
  readonly name: string;
  /** False for the floor, which has no security and no subscriptions. */
  readonly isOpcUaServer: boolean;
  /** Schemes of its URLs. */
  readonly transports: readonly string[];
  /** Text form of the NodeId of the first of the 1,000 Doubles, but for the number at its end. */
  readonly nodePrefix: string;
  /** Why it can't be started here; undefined when it can. */
  readonly missing: string | undefined;
  /** @param tickMs how often all Doubles change; 0: never. */
  start(tickMs: number): Promise<RunningServer>;
}

const DIST = resolve(fileURLToPath(import.meta.url), '../..');
const REFERENCE_SERVER = resolve(DIST, '../../apps/reference-server/dist/main.js');
export const NODE_PREFIX = 'ns=2;s=Bench.Double.';

/** The servers that the benchmark starts by itself. @param workDir holds their certificates. */
export function standardServers(workDir: string): readonly ServerKind[] {
  return [bulkhead(workDir), nodeOpcua(workDir), floor()];
}

/** The reference server in different modes of resource isolation. @param workDir holds their certificates and configurations. */
export function modeServers(workDir: string, modes: readonly string[]): readonly ServerKind[] {
  return modes.map((mode) => {
    const file = join(workDir, `${mode}.json`);
    writeFileSync(file, JSON.stringify({ OpcUa: { Server: { ResourceIsolation: { Mode: mode } } } }));
    return configuredServer(workDir, mode, file);
  });
}

/** The reference server with a configuration file. @param workDir holds its certificates. */
export function configuredServer(workDir: string, name: string, file: string): ServerKind {
  return bulkhead(workDir, name, ['--config', file]);
}

/** A server that runs already. */
export function foreignServer(name: string, url: string, pid: number | undefined, nodePrefix: string = NODE_PREFIX): ServerKind {
  const server: RunningServer = { url, urls: [url], pid, stop: async () => {} };
  return { name, isOpcUaServer: true, transports: [new URL(url).protocol], nodePrefix, missing: undefined, start: async () => server };
}

function bulkhead(workDir: string, name = 'bulkhead', more: readonly string[] = []): ServerKind {
  // More clients connect at a time than a server lets in by default.
  const args = ['--port', '0', '--rate', '0', '--log-format', 'json', '--auto-accept', '--pki', join(workDir, 'bulkhead'), ...more];
  return {
    name,
    isOpcUaServer: true,
    transports: ['opc.tcp:', 'opc.wss:', 'opc.https:'],
    nodePrefix: NODE_PREFIX,
    missing: existsSync(REFERENCE_SERVER) ? undefined : `${REFERENCE_SERVER} is not built`,
    start: (tickMs) => startServerProcess([process.execPath, REFERENCE_SERVER, ...args, ...tickArgs(tickMs)]),
  };
}

function nodeOpcua(workDir: string): ServerKind {
  const main = join(DIST, 'peers/node-opcua-server.js');
  const args = ['--pki', join(workDir, 'node-opcua')];
  return {
    name: 'node-opcua',
    isOpcUaServer: true,
    transports: ['opc.tcp:'],
    nodePrefix: NODE_PREFIX,
    missing: undefined,
    start: (tickMs) => startServerProcess([process.execPath, main, ...args, ...tickArgs(tickMs)]),
  };
}

function floor(): ServerKind {
  return {
    name: 'floor',
    isOpcUaServer: false,
    transports: ['opc.tcp:'],
    nodePrefix: NODE_PREFIX,
    missing: undefined,
    start: () => startServerProcess([process.execPath, join(DIST, 'peers/floor-server.js')]),
  };
}

function tickArgs(tickMs: number): string[] {
  return tickMs > 0 ? ['--bench-tick', String(tickMs)] : [];
}
