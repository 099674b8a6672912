import { addOpcUa, OptionsError, type ServerOptions } from '@bulkhead/opcua';
import { describe, expect, it } from 'vitest';
import { startTestServer } from '../support/test-server.ts';

/** Every limit of a server that is a number. A new option that is missing here fails the last test. */
const counts = [
  'maxMessageSize',
  'maxBufferSize',
  'maxSessionCount',
  'maxChannelCount',
  'maxQueuedRequestCount',
  'maxConcurrentRequests',
  'maxParkedRequestCount',
  'maxReassemblyBytes',
  'minSessionTimeoutMs',
  'maxSessionTimeoutMs',
  'handshakeTimeoutMs',
  'helloTimeoutMs',
  'slowReaderTimeoutMs',
  'maxUnsentBytesPerOwner',
  'maxRetainedBytes',
  'maxRetainedBytesPerOwner',
  'sourceTimeoutMs',
] as const satisfies readonly (keyof ServerOptions)[];

/** Port 0 is right. */
const webPort: Omit<Names<ServerOptions['webPort']>, 'port' | 'host' | 'tls' | 'plain' | 'allowedOrigins'> = {
  startUpTimeoutMs: true,
  tlsHandshakesPerSecond: true,
  headersTimeoutMs: true,
  requestTimeoutMs: true,
  keepAliveTimeoutMs: true,
  maxHeaderBytes: true,
};

const webSocket: Names<ServerOptions['webSocket']> = { pingIntervalMs: true };

type Names<T> = Readonly<Record<keyof NonNullable<T>, true>>;

const operationLimits: Names<ServerOptions['operationLimits']> = {
  maxNodesPerRead: true,
  maxNodesPerWrite: true,
  maxNodesPerMethodCall: true,
  maxNodesPerBrowse: true,
  maxNodesPerRegisterNodes: true,
  maxNodesPerTranslateBrowsePathsToNodeIds: true,
  maxMonitoredItemsPerCall: true,
  maxBrowseContinuationPoints: true,
  maxReferencesPerNode: true,
};

const subscriptionLimits: Omit<Names<ServerOptions['subscriptionLimits']>, 'anonymousTransferNeedsSecurity'> = {
  maxSubscriptions: true,
  maxSubscriptionsPerOwner: true,
  maxSubscriptionsPerSession: true,
  maxMonitoredItems: true,
  maxMonitoredItemsPerOwner: true,
  maxSamplesPerSecondPerOwner: true,
  maxMonitoredItemsPerSubscription: true,
  maxMonitoredItemsQueueSize: true,
  maxPublishRequestsPerSession: true,
  maxNotificationsPerPublish: true,
  maxNotificationBytesPerPublish: true,
  maxRetransmissionMessages: true,
  maxRetransmissionNotifications: true,
  minPublishingIntervalMs: true,
  maxPublishingIntervalMs: true,
  minSamplingIntervalMs: true,
  maxSamplingIntervalMs: true,
  defaultKeepAliveCount: true,
  maxKeepAliveCount: true,
  maxLifetimeMs: true,
  maxMonitoredItemsPerCall: true,
  maxSubscriptionsPerCall: true,
  maxTriggeringLinksPerSubscription: true,
};

type RateLimits = NonNullable<ServerOptions['rateLimits']>;

/** 0 or less is the default of `maxConcurrentSessionEstablishment`, and 0 is right for `sessionEstablishmentQueueLimit`. */
const rateLimits: Names<Omit<RateLimits, 'maxConcurrentSessionEstablishment' | 'sessionEstablishmentQueueLimit' | FlagNames>> = {
  listenBacklog: true,
  connectionsPerSecond: true,
  connectionBurst: true,
};
type FlagNames = 'enabled' | 'connectionRateLimitEnabled' | 'sessionRateLimitEnabled';

type Https = NonNullable<ServerOptions['https']>;
const https: Names<Omit<Https, 'path' | 'json' | 'sessionless'>> = {
  maxRequestsPerConnection: true,
  maxRequestsPerWebSocket: true,
  maxJsonBodyBytes: true,
};
const sessionless: Names<Pick<NonNullable<Https['sessionless']>, 'maxRequests' | 'maxRequestsPerConnection'>> = {
  maxRequests: true,
  maxRequestsPerConnection: true,
};
const httpsRateLimits: Names<
  Pick<NonNullable<ServerOptions['httpsRateLimits']>, 'requestsPerWindow' | 'windowMs' | 'requestsPerClient' | 'maxClients'>
> = { requestsPerWindow: true, windowMs: true, requestsPerClient: true, maxClients: true };
const proxyProtocol: Names<Exclude<ServerOptions['proxyProtocol'], boolean>> = { headerTimeoutMs: true, maxWaitingConnections: true };

const absurd: readonly number[] = [0, -1, Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, 2 ** 60];

const paths = [
  ...counts.map((name) => [name, (value: number) => ({ [name]: value })] as const),
  ...Object.keys(operationLimits).map(
    (name) => [`operationLimits.${name}`, (value: number) => ({ operationLimits: { [name]: value } })] as const,
  ),
  ...Object.keys(subscriptionLimits).map(
    (name) => [`subscriptionLimits.${name}`, (value: number) => ({ subscriptionLimits: { [name]: value } })] as const,
  ),
  ...Object.keys(https).map((name) => [`https.${name}`, (value: number) => ({ https: { [name]: value } })] as const),
  ...Object.keys(sessionless).map(
    (name) => [`https.sessionless.${name}`, (value: number) => ({ https: { sessionless: { [name]: value } } })] as const,
  ),
  ...Object.keys(httpsRateLimits).map(
    (name) => [`httpsRateLimits.${name}`, (value: number) => ({ https: {}, httpsRateLimits: { [name]: value } })] as const,
  ),
  ...Object.keys(rateLimits).map((name) => [`rateLimits.${name}`, (value: number) => ({ rateLimits: { [name]: value } })] as const),
  ...Object.keys(webPort).map((name) => [`webPort.${name}`, (value: number) => ({ webPort: { [name]: value } })] as const),
  ...Object.keys(webSocket).map((name) => [`webSocket.${name}`, (value: number) => ({ webSocket: { [name]: value } })] as const),
  ...Object.keys(proxyProtocol).map(
    (name) => [`proxyProtocol.${name}`, (value: number) => ({ trustedProxies: ['10.0.0.0/8'], proxyProtocol: { [name]: value } })] as const,
  ),
];

/** What starting a server with these options fails with. Nothing is made before the options are checked. */
async function refusal(options: Partial<ServerOptions>): Promise<unknown> {
  try {
    const server = await addOpcUa()
      .addServer({ applicationName: 'Test', port: 0, pki: { folder: '/nowhere/at/all' }, ...options })
      .start();
    await server.stop();
    return undefined;
  } catch (error) {
    return error;
  }
}

describe('a limit of 0, below 0, infinite or absurd is refused with its path', () => {
  it.each(paths)('%s', async (path, optionsOf) => {
    for (const value of absurd) {
      const error = await refusal(optionsOf(value));
      expect(error, `${path} = ${value}`).toBeInstanceOf(OptionsError);
      expect((error as OptionsError).path, `${path} = ${value}`).toBe(path);
    }
  });

  it('knows every limit', async () => {
    const test = await startTestServer();
    const numbers = Object.entries(test.server.options).filter(([name, value]) => typeof value === 'number' && name !== 'port');
    expect(numbers.map(([name]) => name).sort()).toEqual([...counts].sort());
    await test.end();
  });
});
