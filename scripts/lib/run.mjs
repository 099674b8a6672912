import { spawn, spawnSync } from 'node:child_process';
import { ROOT } from './workspace.mjs';

const windows = process.platform === 'win32';

/** A step of a task failed. Its message is all a user needs to see; whatever the tool printed is on the screen already. */
export class StepError extends Error {
  name = 'StepError';
}

/**
 * Runs a command at the repository's root with its output on the screen.
 * @returns its exit status; 1 where a signal ended it.
 */
export function run(command, args, { env = {} } = {}) {
  const { status, error } = spawnSync(command, args, { cwd: ROOT, stdio: 'inherit', env: { ...process.env, ...env } });
  if (error) throw new StepError(`cannot run ${command}: ${error.message}`);
  return status ?? 1;
}

/** Runs a Node script that is part of the repository or of its node_modules. */
export function runNode(script, args = [], options = {}) {
  return run(process.execPath, [script, ...args], options);
}

/** Runs npm, keeping its output to itself. */
export function captureNpm(args, { env = {} } = {}) {
  const options = { cwd: ROOT, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'], env: { ...process.env, ...env }, shell: windows };
  const { status, error, stdout, stderr } = spawnSync('npm', args, options);
  if (error) throw new StepError(`cannot run npm: ${error.message}`);
  return { status: status ?? 1, output: `${stdout}${stderr}`.trim() };
}

/** Runs a Node script without blocking and collects what it prints. */
export function captureNode(script, args = [], { cwd = ROOT } = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [script, ...args], { cwd, stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    const collect = (text) => {
      output += text;
    };
    child.stdout.setEncoding('utf8').on('data', collect);
    child.stderr.setEncoding('utf8').on('data', collect);
    child.once('error', reject);
    child.once('close', (code) => resolve({ status: code ?? 1, output: output.trim() }));
  });
}
