/** The part of `process` that is used here. */
export interface SignalledProcess {
  on(signal: 'SIGHUP', listener: () => void): unknown;
  off(signal: 'SIGHUP', listener: () => void): unknown;
}

/**
 * Runs `reload` at each SIGHUP, one at a time; those that come meanwhile are one more.
 * @param reload may not reject.
 * @returns how to listen no more.
 */
export function onReloadSignal(reload: () => Promise<void>, program: SignalledProcess = process): () => void {
  let isReloading = false;
  let isAskedAgain = false;
  const run = async (): Promise<void> => {
    isReloading = true;
    do {
      isAskedAgain = false;
      await reload();
    } while (isAskedAgain);
    isReloading = false;
  };
  const onSignal = (): void => {
    if (isReloading) isAskedAgain = true;
    else void run();
  };
  program.on('SIGHUP', onSignal);
  return () => {
    isAskedAgain = false;
    program.off('SIGHUP', onSignal);
  };
}
