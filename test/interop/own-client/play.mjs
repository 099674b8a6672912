import { ClientApplication, ManagedSession, ReconnectPolicy } from '@bulkhead/client';
import { StatusCodes, Variant } from '@bulkhead/types';

const STEP_WITHIN_MS = 15_000;

/** What our client does at each server, in this order. */
export const OWN_STEPS = [
  { id: 'connect', title: 'connect: Basic256Sha256, SignAndEncrypt' },
  { id: 'browse', title: 'browse the Objects folder' },
  { id: 'read', title: 'read a value' },
  { id: 'write', title: 'write a value and read it back' },
  { id: 'subscribe', title: 'subscribe, and get what is written' },
  { id: 'restart', title: 'come back after a restart of the server, with the subscription' },
  { id: 'close', title: 'close the session' },
];

/**
 * Plays the steps with our client.
 * @param restart ends the server and starts it anew on the same port, with its first values.
 * @returns `{ id: { result, detail } }`; what comes after a failed connect fails too.
 */
export async function playOwnClient(url, nodeId, pkiFolder, restart) {
  const application = new ClientApplication({
    applicationName: 'Interop client',
    pki: { folder: pkiFolder, autoAcceptUntrustedCertificates: true },
  });
  const run = new OwnRun(application, url, nodeId, restart);
  const report = {};
  for (const { id } of OWN_STEPS) {
    try {
      await within(run[id]());
      report[id] = { result: 'ok' };
    } catch (error) {
      report[id] = { result: 'fails', detail: error.message };
    }
  }
  await run.end();
  return report;
}

class OwnRun {
  #application;
  #url;
  #nodeId;
  #restart;
  #abort = new AbortController();
  #session;
  #values;

  constructor(application, url, nodeId, restart) {
    this.#application = application;
    this.#url = url;
    this.#nodeId = nodeId;
    this.#restart = restart;
  }

  async connect() {
    this.#session = await ManagedSession.connect(
      {
        application: this.#application,
        endpointUrl: this.#url,
        security: { policy: 'Basic256Sha256', mode: 'SignAndEncrypt' },
        reconnectPolicy: new ReconnectPolicy({ initialDelayMs: 100, maxDelayMs: 1000 }),
      },
      this.#abort.signal,
    );
  }

  async browse() {
    const names = (await this.#connected().browseAll('i=85')).map(({ browseName }) => browseName.name);
    for (const name of ['Server', 'Value']) expect(names.includes(name), `${name} is not among ${names.join(', ')}`);
  }

  async read() {
    const { statusCode, value } = await this.#connected().readValue(this.#nodeId);
    expect((statusCode ?? 0) === StatusCodes.Good && value?.value === 0, `${value?.value} (${statusCode}) instead of 0`);
  }

  async write() {
    await this.#write(1);
    const { value } = await this.#connected().readValue(this.#nodeId);
    expect(value?.value === 1, `${value?.value} instead of 1`);
  }

  async subscribe() {
    const subscription = await this.#connected().subscribe({ publishingIntervalMs: 100 });
    const item = await subscription.monitor(this.#nodeId, { samplingIntervalMs: 50 });
    this.#values = item[Symbol.asyncIterator]();
    await this.#until(1);
    await this.#write(2);
    await this.#until(2);
  }

  async restart() {
    this.#connected();
    await this.#restart();
    await this.#until(0);
    await this.#write(3);
    await this.#until(3);
  }

  async close() {
    const session = this.#connected();
    await session.close();
    expect(session.state === 'closed', `the session is ${session.state}`);
  }

  async end() {
    this.#abort.abort();
    await this.#session?.close();
    await this.#application.close();
  }

  #connected() {
    if (this.#session === undefined) throw new Error('not connected');
    return this.#session;
  }

  async #write(number) {
    const statusCode = await this.#connected().writeValue(this.#nodeId, Variant.double(number));
    expect(statusCode === StatusCodes.Good, `writing: 0x${statusCode.toString(16)}`);
  }

  /** A value may be reported more than once. */
  async #until(number) {
    for (;;) {
      const { done, value } = await this.#values.next();
      expect(!done, `no ${number} before the end`);
      if (value.value?.value === number) return;
    }
  }
}

function expect(isMet, otherwise) {
  if (!isMet) throw new Error(otherwise);
}

async function within(work) {
  let timer;
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error(`not done within ${STEP_WITHIN_MS / 1000} s`)), STEP_WITHIN_MS);
  });
  try {
    await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
