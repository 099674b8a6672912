import { SessionStorm } from './session-storm.ts';
import { startStormServer } from './storm-server.ts';

/** How sessions came back after the server they were subscribed at was started anew. */
export interface RestartResult {
  readonly sessions: number;
  /** Sessions that are connected and got a value from the new server. */
  readonly back: number;
  /** From the new server's first moment to the last session's first value, ms. */
  readonly backMs: number;
}

const BACK_WITHIN_MS = 60_000;

/** @param workDir holds certificates and configurations. */
export async function measureRestart(workDir: string, sessions: number): Promise<RestartResult> {
  const options = { sessions, maxConcurrentSessionEstablishment: undefined };
  let server = await startStormServer(workDir, options);
  const storm = new SessionStorm(workDir);
  try {
    await storm.connect(server.url, sessions);
    const items = await storm.monitorEach();
    const port = Number(new URL(server.url).port);
    await server.stop();
    server = await startStormServer(workDir, { ...options, port });
    const startMs = performance.now();
    const recreated = await storm.recreated(sessions, BACK_WITHIN_MS);
    return { sessions, back: Math.min(recreated, items, storm.connectedCount), backMs: performance.now() - startMs };
  } finally {
    await storm.close();
    await server.stop();
  }
}
