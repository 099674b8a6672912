import { readFileSync } from 'node:fs';
import { get } from 'node:http';
import { AttributeIds, MessageSecurityMode } from 'node-opcua';
import { identityOf } from './connecting.mjs';
import { check, pause, until, within } from './report.mjs';
import { monitor, withSubscription } from './subscription-steps.mjs';

const SHORT_LIFETIME_MS = 4000;
const currentTime = { nodeId: 'i=2258', attributeId: AttributeIds.Value };

/** The steps before the main session, by id. */
export function connectionSteps(clients) {
  const { config } = clients;
  const steps = new Map([['endpoints', () => endpoints(clients)]]);
  for (const endpoint of config.endpoints) {
    for (const user of [undefined, config.user]) {
      steps.set(`connect:${endpoint.policy}:${endpoint.mode}:${user ? 'username' : 'anonymous'}`, () => connect(clients, endpoint, user));
    }
  }
  steps.set('wrong-password', () => wrongPassword(clients));
  steps.set('untrusted-certificate', () => untrustedCertificate(clients));
  return steps;
}

async function endpoints(clients) {
  const { config } = clients;
  const client = clients.create({ policy: 'None', mode: 'None' });
  await client.connect(config.url);
  try {
    // Other transports have endpoints of their own.
    const found = (await client.getEndpoints()).filter(({ endpointUrl }) => endpointUrl.startsWith('opc.tcp:'));
    const offered = found.map(({ securityPolicyUri, securityMode }) => `${securityPolicyUri} ${MessageSecurityMode[securityMode]}`);
    const wanted = config.endpoints.map(({ policyUri, mode }) => `${policyUri} ${mode}`);
    check(offered.toSorted().join() === wanted.toSorted().join(), `offered: ${offered.join()}`);
    const certificate = readFileSync(config.serverCertificateFile);
    check(
      found.every(({ serverCertificate }) => serverCertificate.subarray(0, certificate.length).equals(certificate)),
      'another server certificate',
    );
    return `${found.length} endpoints`;
  } finally {
    await client.disconnect();
  }
}

function connect(clients, endpoint, user) {
  return clients.withSession(endpoint, user, async (session) => {
    const { statusCode } = await session.read(currentTime);
    check(statusCode.isGood(), `CurrentTime: ${statusCode.name}`);
  });
}

async function wrongPassword(clients) {
  const { config } = clients;
  const client = clients.create(config.main);
  await client.connect(config.url);
  try {
    return await refused(client.createSession(identityOf({ ...config.user, password: config.wrongPassword })), config.expect.wrongPassword);
  } finally {
    await client.disconnect();
  }
}

async function untrustedCertificate(clients) {
  const client = clients.create(clients.config.main, { identity: 'untrusted' });
  try {
    return await refused(client.connect(clients.config.url), clients.config.expect.untrustedCertificate);
  } finally {
    await client.disconnect();
  }
}

async function refused(attempt, expected) {
  const message = await attempt.then(
    () => undefined,
    (error) => `${error.message} ${error.response?.responseHeader.serviceResult.name ?? ''}`,
  );
  check(message !== undefined, 'not refused');
  // Of a refused channel the library tells nothing but that the server may have rejected it.
  if (!message.includes('Bad') && message.includes('rejected by server')) return 'the client does not tell the code';
  const name = expected.find((code) => message.includes(code));
  check(name !== undefined, `refused with: ${message}`);
  return name;
}

export function tokenRenewal(clients) {
  return clients.withMainSession(
    async (session, client) => {
      let renewals = 0;
      client.on('security_token_renewed', () => renewals++);
      let reads = 0;
      const endMs = performance.now() + 3.5 * SHORT_LIFETIME_MS;
      // After the second renewal the first token is gone for good.
      while (performance.now() < endMs && renewals < 2) {
        const { statusCode } = await session.read(currentTime);
        check(statusCode.isGood(), `read: ${statusCode.name}`);
        reads++;
        await pause(50);
      }
      check(renewals > 0, 'no renewal happened');
      check((await session.read(currentTime)).statusCode.isGood(), 'read after the renewal');
      return `${renewals} renewals, ${reads} reads`;
    },
    { defaultSecureTokenLifetime: SHORT_LIFETIME_MS },
  );
}

export function reconnect(clients) {
  const { proxy, counters } = clients.config;
  const connectionStrategy = { maxRetry: 20, initialDelay: 50, maxDelay: 500 };
  return clients.withMainSession(
    (session) =>
      withSubscription(session, 100, async (subscription) => {
        const values = await monitor(subscription, [counters['100ms']], { samplingInterval: 50, queueSize: 100 });
        const seen = () => values.get(counters['100ms']);
        await pause(500);
        check(seen().length > 0, 'no notification before the cut');
        const before = [session.sessionId.toString(), subscription.subscriptionId];
        await httpGet(`${proxy.control}/cut`);
        const count = seen().length;
        await within(10_000, readUntilGood(session), 'no read after the cut');
        await until(() => seen().length > count + 3, 10_000, 'no notifications after the cut');
        const after = [session.sessionId.toString(), subscription.subscriptionId];
        const lost = seen().reduce((sum, value, i, all) => sum + (i === 0 ? 0 : value - all[i - 1] - 1), 0);
        return [
          before[0] === after[0] ? 'same session' : 'new session',
          before[1] === after[1] ? 'same subscription' : 'new subscription',
          lost === 0 ? 'no value lost' : `${lost} values lost`,
        ].join(', ');
      }),
    { connectionStrategy },
    proxy.url,
  );
}

async function readUntilGood(session) {
  for (;;) {
    try {
      if ((await session.read(currentTime)).statusCode.isGood()) return;
    } catch {
      // It is still on its way back.
    }
    await pause(100);
  }
}

function httpGet(url) {
  return new Promise((resolve, reject) => {
    get(url, (response) => response.resume().once('end', resolve)).once('error', reject);
  });
}

export async function close(clients) {
  const client = clients.create(clients.config.main);
  await client.connect(clients.config.url);
  const session = await client.createSession(identityOf(clients.config.user));
  await session.close();
  await client.disconnect();
  const failure = await session.read(currentTime).then(
    () => undefined,
    (error) => error.message.split('\n')[0],
  );
  check(failure !== undefined, 'a read still works');
  return `then ${failure}`.slice(0, 80);
}
