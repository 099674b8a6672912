import { createWriteStream } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { missingTools, prepareStack, readStack } from '../harness/stack.mjs';
import { runToEnd } from '../harness/tools.mjs';
import { OWN_STEPS, playOwnClient } from './play.mjs';
import { FOREIGN_SERVERS, startForeignServer } from './servers.mjs';

const OWN = dirname(fileURLToPath(import.meta.url));

/**
 * Plays our client at the servers of other stacks.
 * @param names stacks; all when empty.
 * @returns `{ name: { title, steps } }` of the servers that were there; the others are named on standard output.
 */
export async function playOwnClientAtServers(interopFolder, folder, names) {
  const entries = {};
  for (const server of FOREIGN_SERVERS.filter(({ stack }) => names.length === 0 || names.includes(stack))) {
    const stack = readStack(interopFolder, server.stack);
    const missing = await missingTools(stack);
    if (missing.length > 0) {
      console.log(`our client at ${server.name}: skipped, this machine has no ${missing.join(', ')}`);
      continue;
    }
    const steps = await playAt(server, stack, join(folder, `own-client-${server.name}`));
    console.log(`our client at ${server.name}: ${OWN_STEPS.map(({ id }) => `${id} ${steps[id].result}`).join(', ')}`);
    for (const [id, { detail }] of Object.entries(steps)) if (detail !== undefined) console.log(`  ${id}: ${detail}`);
    entries[server.name] = { title: stack.title, steps };
  }
  return entries;
}

async function playAt(server, stack, folder) {
  await mkdir(folder);
  const fill = (text) => text.replaceAll('{own}', OWN).replaceAll('{cache}', stack.cache);
  const log = createWriteStream(join(folder, 'server.log'));
  let foreign;
  try {
    await prepareStack(stack);
    if (server.prepare !== undefined) {
      const { code, output } = await runToEnd(server.prepare.map(fill), { folder: fill(server.prepareIn) });
      if (code !== 0) throw new Error(`${server.prepare.join(' ')} ended with ${code}: ${output}`);
    }
    foreign = await startForeignServer(server.run.map(fill), folder, log);
    return await playOwnClient(foreign.url, foreign.nodeId, join(folder, 'client'), foreign.restart);
  } catch (error) {
    return Object.fromEntries(OWN_STEPS.map(({ id }) => [id, { result: 'fails', detail: error.message.slice(0, 300) }]));
  } finally {
    await foreign?.stop();
    log.end();
  }
}
