import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const harness = fileURLToPath(new URL('harness/main.mjs', import.meta.url));
/** Twice the script, where a busy machine needs it. */
const LIMIT_MS = 200_000;

describe('the script of the foreign clients', () => {
  it('is played by node-opcua as docs/interop.md says', { timeout: LIMIT_MS }, async () => {
    const { code, output } = await play('--check', 'node-opcua');
    expect(output).not.toContain('skipped');
    expect(code, output).toBe(0);
  });
});

function play(...args: readonly string[]): Promise<{ readonly code: number; readonly output: string }> {
  return new Promise((resolve) => {
    execFile(process.execPath, [harness, ...args], { timeout: LIMIT_MS }, (error, stdout, stderr) => {
      resolve({ code: error === null ? 0 : Number(error.code ?? 1), output: stdout + stderr });
    });
  });
}
