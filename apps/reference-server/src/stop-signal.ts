const signals = ['SIGINT', 'SIGTERM'] as const;
type StopSignal = (typeof signals)[number];

/** What a shell shows for a program that a signal ended. */
const exitCodes: Readonly<Record<StopSignal, number>> = { SIGINT: 130, SIGTERM: 143 };
const STOP_FAILED = 1;
/** After a stop nothing should keep the process alive; something that does is a fault, not a reason to hang. */
const LINGER_LIMIT_MS = 5000;

/** The part of `process` that is used here. */
export interface StoppableProcess {
  exitCode?: number | string | null | undefined;
  on(signal: StopSignal, listener: (signal: StopSignal) => void): unknown;
  off(signal: StopSignal, listener: (signal: StopSignal) => void): unknown;
  exit(code: number): unknown;
}

/**
 * Runs `stop` at the first SIGINT or SIGTERM and lets the process end; the second one ends it at once.
 * @param complain gets one line when the stop fails.
 * @returns how to listen no more.
 */
export function onStopSignal(
  stop: () => Promise<void>,
  program: StoppableProcess = process,
  complain: (line: string) => void = console.error,
): () => void {
  let isStopping = false;
  const finish = async (): Promise<void> => {
    try {
      await stop();
    } catch (error) {
      complain(`bulkhead: cannot stop cleanly: ${error instanceof Error ? error.message : String(error)}`);
      program.exitCode = STOP_FAILED;
    }
    const linger = setTimeout(() => {
      complain('bulkhead: something still keeps the process alive after the stop; ending it');
      program.exit(STOP_FAILED);
    }, LINGER_LIMIT_MS);
    linger.unref();
  };
  const onSignal = (signal: StopSignal): void => {
    if (isStopping) {
      program.exit(exitCodes[signal]);
      return;
    }
    isStopping = true;
    void finish();
  };
  for (const signal of signals) program.on(signal, onSignal);
  return () => {
    for (const signal of signals) program.off(signal, onSignal);
  };
}
