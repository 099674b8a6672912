import { spawn, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { startTestServer, type TestServer } from '../support/test-server.ts';
import { rootPath } from './markdown.ts';

const hasTools = ['curl', 'openssl'].every((tool) => spawnSync(tool, ['version'], { stdio: 'ignore' }).error === undefined);

let test: TestServer;

afterEach(() => test.end());

/** The commands of the page, for a server on another port with another PKI folder. */
function commands(port: number, folder: string): string {
  const script = /```sh\n(?<script>.*?)```/su.exec(readFileSync(rootPath('docs/https.md'), 'utf8'))?.groups?.['script'] ?? '';
  return script.replaceAll('localhost:4843', `localhost:${port}`).replaceAll('pki/own', `${folder}/own`).replaceAll('curl ', 'curl -sS ');
}

function run(script: string, cwd: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const shell = spawn('sh', ['-ec', script], { cwd, stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    let errors = '';
    shell.stdout.on('data', (bytes: Buffer) => (output += bytes.toString()));
    shell.stderr.on('data', (bytes: Buffer) => (errors += bytes.toString()));
    shell.on('close', (code) => (code === 0 ? resolve(output) : reject(new Error(errors))));
  });
}

describe('the page of HTTPS', () => {
  it.skipIf(!hasTools)('shows commands that tell the endpoints and read the time', async () => {
    test = await startTestServer(() => undefined, { https: { sessionless: {} }, webPort: { port: 0 }, host: '127.0.0.1' });
    const port = Number(new URL(test.server.endpointUrls.find((url) => url.startsWith('opc.https:')) ?? '').port);
    const { folder } = test.server.options.pki;
    const output = await run(commands(port, folder), dirname(`${folder}/x`));
    expect(output).toContain('"EndpointUrl":"opc.https://127.0.0.1:');
    expect(output).toMatch(/"Results":\[\{"UaType":13,"Value":"20\d\d-/u);
  });
});
