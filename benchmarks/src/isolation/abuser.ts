import type { AbuseTarget, RunningAbuse } from './abuses/abuse.ts';
import { allAbuses } from './abuses/all-abuses.ts';

/** Begins the abuse of this name, or ends what was begun. */
export type AbuserCommand = { readonly name: string; readonly target: AbuseTarget } | { readonly name: undefined };

/** The process of the abusers: does what it is told by the one that started it. */
let running: RunningAbuse | undefined;
process.on('message', (command: AbuserCommand) => void obey(command));
process.once('disconnect', () => process.exit(0));

async function obey(command: AbuserCommand): Promise<void> {
  if (command.name === undefined) {
    running?.stop();
    process.send?.(running?.counts ?? {});
    running = undefined;
    return;
  }
  const abuse = allAbuses.find(({ name }) => name === command.name);
  try {
    running = await abuse?.start(command.target);
    process.send?.({});
  } catch (error) {
    process.send?.({ error: (error as Error).message });
  }
}
