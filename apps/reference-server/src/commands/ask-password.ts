import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';

/** The first line of standard input; not shown while it is typed on a terminal. */
export async function askPassword(prompt: string): Promise<string> {
  const { stdin } = process;
  const isTerminal = stdin.isTTY === true;
  if (isTerminal) process.stderr.write(prompt);
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  const lines = createInterface({ input: stdin, output: nowhere, terminal: isTerminal });
  try {
    for await (const line of lines) return line;
    return '';
  } finally {
    lines.close();
    if (isTerminal) process.stderr.write('\n');
    stdin.unref?.();
  }
}
