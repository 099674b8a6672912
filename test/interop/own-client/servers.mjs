import { spawn } from 'node:child_process';
import { createServer } from 'node:net';
import { createInterface } from 'node:readline';
import { makeClientIdentity } from '../harness/certificates.mjs';
import { endWithProcess } from '../harness/children.mjs';

const READY_WITHIN_MS = 30_000;

/**
 * Servers of other stacks, in the order of the table. `stack` is the folder beside this one whose tools and cache they use; `run` gets
 * port, certificate (DER), key (PEM), ApplicationUri and certificate (PEM) as further arguments.
 */
export const FOREIGN_SERVERS = [
  { name: 'node-opcua', stack: 'node-opcua', run: ['node', '{own}/node-opcua-server.mjs'] },
  { name: 'asyncua', stack: 'asyncua', run: ['{cache}/venv/bin/python', '-B', '{own}/asyncua_server.py'] },
  {
    name: 'gopcua',
    stack: 'gopcua',
    prepare: ['go', 'build', '-trimpath', '-o', '{cache}/server', '.'],
    prepareIn: '{own}/gopcua-server',
    run: ['{cache}/server'],
  },
  {
    name: 'milo',
    stack: 'milo',
    run: [
      'java',
      '-XX:+UseSerialGC',
      '-Dorg.slf4j.simpleLogger.defaultLogLevel=warn',
      '-cp',
      '{cache}/target/classes:{cache}/target/lib/*',
      'bulkhead.interop.server.Main',
    ],
  },
];

/** Starts a server that has a certificate. @returns `{ url, nodeId, restart(), stop() }`. */
export async function startForeignServer([program, ...args], folder, log) {
  const applicationUri = 'urn:bulkhead:interop:foreign-server';
  const { identity } = await makeClientIdentity(folder, 'server', applicationUri);
  const port = await freePort();
  const more = [String(port), identity.certificateFile, identity.privateKeyFile, applicationUri, identity.certificatePemFile];
  let running;
  const start = async () => {
    running = await startOnce(program, [...args, ...more], folder, log);
  };
  await start();
  return {
    url: `opc.tcp://127.0.0.1:${port}`,
    nodeId: running.nodeId,
    restart: async () => {
      await running.kill();
      await start();
    },
    stop: () => running.kill(),
  };
}

async function startOnce(program, args, cwd, log) {
  const child = spawn(program, args, { cwd, stdio: ['ignore', 'pipe', 'pipe'] });
  endWithProcess(child);
  child.stderr.on('data', (bytes) => log.write(bytes));
  let timer;
  const exited = new Promise((resolve) => {
    child.once('error', (error) => resolve(error.message));
    child.once('exit', (code, signal) => resolve(signal ?? code));
  });
  const kill = async () => {
    child.kill('SIGKILL');
    await exited;
  };
  const ready = new Promise((resolve) => {
    createInterface({ input: child.stdout }).on('line', (line) => {
      log.write(`${line}\n`);
      if (line.startsWith('{"event":')) resolve(JSON.parse(line.replaceAll('": ', '":')).nodeId);
    });
    timer = setTimeout(resolve, READY_WITHIN_MS);
  });
  const nodeId = await Promise.race([ready, exited.then(() => undefined)]);
  clearTimeout(timer);
  if (nodeId !== undefined) return { nodeId, kill };
  await kill();
  throw new Error(`${program} does not start (${await exited})`);
}

function freePort() {
  return new Promise((resolve, reject) => {
    const probe = createServer().once('error', reject);
    probe.listen(0, '127.0.0.1', () => {
      const { port } = probe.address();
      probe.close(() => resolve(port));
    });
  });
}
