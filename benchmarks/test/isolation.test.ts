import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

function run(args: readonly string[]): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, args, { cwd: ROOT, stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (bytes) => (output += String(bytes)));
    child.on('error', reject);
    child.on('close', () => resolve(output));
  });
}

describe('the isolation score', () => {
  it('BX-12 is measured of any server that its URL names: one polite client beside each abuse', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'bulkhead-score-'));
    const reference = join(ROOT, 'apps/reference-server/dist/main.js');
    const server = spawn(process.execPath, [reference, '--port', '0', '--log-format', 'json', '--pki', folder], {
      cwd: folder,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    try {
      let url: string | undefined;
      for await (const line of createInterface(server.stdout)) {
        url = /opc\.tcp:\/\/127\.0\.0\.1:\d+/u.exec(line)?.[0];
        if (url !== undefined) break;
      }
      const main = join(ROOT, 'benchmarks/dist/main.js');
      const isolation = ['--isolation', '--seconds', '1', '--only', 'hog,silent,slow'];
      const output = await run([main, ...isolation, '--url', url ?? '', '--pid', String(server.pid)]);
      expect(output).toMatch(/^\| hog \| url \| [\d.]+ \/ [\d.]+ \| [\d.]+ \/ [\d.]+ \| [\d.]+ \| 0 of \d+ \|/mu);
      expect(output).toMatch(/^\| silent connections \| url \|/mu);
      // It doesn't have the methods.
      expect(output).not.toContain('slow method calls');
      expect(output).toMatch(/^Isolation score: url [\d.]+$/mu);
    } finally {
      server.kill('SIGTERM');
      await once(server, 'close');
      rmSync(folder, { recursive: true, force: true });
    }
  });
});
