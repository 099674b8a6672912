import { spawn } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

const LIMIT_MS = 900_000;
const TAIL_CHARACTERS = 4000;

/** Whether a program is on this machine. */
export function hasTool(tool) {
  const folders = (process.env.PATH ?? '').split(delimiter).filter(Boolean);
  const suffixes = process.platform === 'win32' ? ['.exe', '.cmd', '.bat'] : [''];
  return folders.some((folder) => suffixes.some((suffix) => isExecutable(join(folder, tool + suffix))));
}

/**
 * Runs a command.
 * @param options `folder` to run in, `env` to add, `maxCharacters` to keep of what it prints.
 * @returns `{ code, output }`: the exit code, or what went wrong instead; and the end of what it printed.
 */
export function runToEnd([program, ...args], { folder, env = {}, maxCharacters = TAIL_CHARACTERS } = {}) {
  return new Promise((resolve) => {
    const child = spawn(program, args, {
      cwd: folder,
      env: { ...process.env, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
      timeout: LIMIT_MS,
    });
    let output = '';
    const add = (bytes) => {
      output = (output + bytes).slice(-maxCharacters);
    };
    child.stdout.on('data', add);
    child.stderr.on('data', add);
    child.once('error', (error) => resolve({ code: error.message, output }));
    child.once('close', (code, signal) => resolve({ code: signal ?? code, output }));
  });
}

function isExecutable(path) {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
