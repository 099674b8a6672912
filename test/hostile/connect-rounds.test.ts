import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { RawSession } from '../support/raw-session.ts';
import { expectNothingLeft, startTestServer, type TestServer } from '../support/test-server.ts';

const ROUNDS = 500;
const WARM_UP_ROUNDS = 100;
let test: TestServer;

beforeAll(async () => {
  test = await startTestServer((space) => {
    space.addVariable({ browseName: 'Value', nodeId: 's=Value', dataType: 'Double', value: 1 });
  });
});

afterAll(() => test.end());

function heapAfterCollection(): number {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  collect();
  collect();
  return process.memoryUsage().heapUsed;
}

async function rounds(count: number, end: (session: RawSession, round: number) => Promise<void>): Promise<void> {
  for (let round = 0; round < count; round++) {
    const session = await RawSession.open({ port: test.port });
    const { results } = await session.read('ns=1;s=Value');
    expect(results?.[0]?.value?.value).toBe(1);
    await end(session, round);
  }
  await expectNothingLeft(test.server);
}

describe('clients that come and go', () => {
  it('leave nothing behind after 500 rounds of connect, read and close', async () => {
    const close = (session: RawSession): Promise<void> => session.close();
    await rounds(WARM_UP_ROUNDS, close);
    const { timers } = test.server.counts;
    const heapBefore = heapAfterCollection();
    await rounds(ROUNDS, close);
    expect(test.server.counts.timers).toBe(timers);
    expect(heapAfterCollection()).toBeLessThan(heapBefore * 1.1);
  });
});
