import { join } from 'node:path';
import { ClientApplication, type ClientSession, type ClientUser, openSession } from '@bulkhead/client';
import { StatusCodes } from '@bulkhead/types';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ServerProcess } from '../support/server-process.ts';

const SESSIONS = 4;
const unsecured = { mode: 'None' } as const;

/** Reads without a pause on sessions of its own, until it is ended. */
class Load {
  readonly failures: unknown[] = [];
  answered = 0;
  readonly #sessions: readonly ClientSession[];
  #isEnding = false;
  readonly #loops: readonly Promise<void>[];

  constructor(sessions: readonly ClientSession[]) {
    this.#sessions = sessions;
    this.#loops = sessions.map((session) => this.#read(session));
  }

  /** So many answers more. */
  async more(count: number): Promise<void> {
    const wanted = this.answered + count;
    while (this.answered < wanted && this.failures.length === 0) await new Promise((resolve) => setImmediate(resolve));
  }

  async end(): Promise<void> {
    this.#isEnding = true;
    await Promise.all(this.#loops);
    for (const session of this.#sessions) await session.close();
  }

  async #read(session: ClientSession): Promise<void> {
    while (!this.#isEnding) {
      try {
        const { statusCode } = await session.readValue('ns=2;s=Scalar.Static.Double');
        if (statusCode !== StatusCodes.Good) this.failures.push(statusCode);
        this.answered++;
      } catch (error) {
        this.failures.push(error);
        return;
      }
    }
  }
}

describe.skipIf(process.platform === 'win32')('SIGHUP', () => {
  let server: ServerProcess;
  let application: ClientApplication;
  let endpointUrl: string;

  beforeEach(async () => {
    server = await ServerProcess.start({ users: [{ name: 'ann', password: 'first' }], logLevel: 'warn' });
    const ready = await server.next('ready');
    [endpointUrl] = ready['endpoints'] as [string];
    const pki = { folder: join(server.folder, 'client'), autoAcceptUntrustedCertificates: true };
    application = new ClientApplication({ applicationName: 'Reload', pki });
  });
  afterEach(async () => {
    await application[Symbol.asyncDispose]();
    expect(await server.end()).toBe(0);
  });

  const open = (user?: ClientUser): Promise<ClientSession> =>
    openSession(application, { endpointUrl, security: unsecured, ...(user === undefined ? {} : { user }) });

  async function mayLogIn(userName: string, password: string): Promise<boolean> {
    try {
      const session = await open({ kind: 'userName', userName, password, allowUnencryptedPassword: true });
      await session.close();
      return true;
    } catch (error) {
      expect(error).toMatchObject({ statusCode: StatusCodes.BadUserAccessDenied });
      return false;
    }
  }

  async function hangUp(event: string): ReturnType<ServerProcess['next']> {
    server.kill('SIGHUP');
    return server.next(event);
  }

  it('takes users and log level over under load: no request is lost, no connection dropped', async () => {
    const ann = await open({ kind: 'userName', userName: 'ann', password: 'first', allowUnencryptedPassword: true });
    const subscription = await ann.subscribe({ publishingIntervalMs: 20 });
    const item = await subscription.monitor('ns=2;s=Counter.10ms');
    const load = new Load(await Promise.all(Array.from({ length: SESSIONS }, () => open())));
    await load.more(500);

    await server.configure({ users: [{ name: 'bob', password: 'second' }], logLevel: 'info', host: '127.0.0.2' });
    expect(await hangUp('configuration.reloaded')).toMatchObject({ changed: ['users', 'logLevel'], waitForRestart: ['host'] });
    await load.more(500);
    expect([await mayLogIn('ann', 'first'), await mayLogIn('bob', 'second')]).toEqual([false, true]);

    // What was granted stays: the session of a user who is gone, its subscription and those of the others.
    const { value } = (await item[Symbol.asyncIterator]().next()) as IteratorYieldResult<{ value: unknown }>;
    expect(value.value).toBeDefined();
    for (let round = 0; round < 5; round++) {
      await hangUp('configuration.reloaded');
      await load.more(200);
    }
    await load.end();
    expect(load.failures).toEqual([]);
    await ann.close();
  });

  it('refuses a file that is wrong, with its reason, and goes on as before', async () => {
    const load = new Load(await Promise.all(Array.from({ length: SESSIONS }, () => open())));
    const refusals: [object | string, RegExp][] = [
      ['{ "users": [', /c\.json: not JSON/u],
      [{ users: [{ name: 'bob', password: 'x' }], prot: 1 }, /c\.json: prot: no such option, did you mean port\?/u],
      [{ users: [{ name: 'bob', password: 'x' }], limits: { maxChannelCount: 5 } }, /maxChannelCount/u],
      [{ users: [{ name: 'bob', password: 'x' }], web: { certificateFile: '/none', privateKeyFile: '/none' } }, /cannot be read/u],
    ];
    for (const [content, reason] of refusals) {
      await server.configure(content);
      const entry = await hangUp('configuration.refused');
      expect(entry).toMatchObject({ level: 'error', reason: expect.stringMatching(reason) as string });
      expect([await mayLogIn('ann', 'first'), await mayLogIn('bob', 'x')]).toEqual([true, false]);
      await load.more(100);
    }
    await load.end();
    expect(load.failures).toEqual([]);
  });
});
