import { readFileSync } from 'node:fs';
import { planServer, resolveServerOptions } from '@bulkhead/server';
import { defaultOperationLimits } from '@bulkhead/services';
import { defaultPasswordLockoutOptions, defaultSessionLimits } from '@bulkhead/session';
import { defaultSubscriptionLimits } from '@bulkhead/subscription';
import { planConnectionLimits } from '@bulkhead/transport';
import { defaultHttpsRateLimits, planHttpsLimits } from '@bulkhead/transport-https';
import { defaultEncodingLimits } from '@bulkhead/types';
import { rootPath } from './markdown.ts';

/** Options of a server that limit nothing, and those whose parts are looked at one by one. */
const NOT_LIMITS: ReadonlySet<string> = new Set([
  ...['applicationName', 'applicationUri', 'productUri', 'host', 'port', 'hostNames', 'security', 'pki', 'meterProvider', 'log'],
  ...['resourceIsolationClassifier', 'resourceIsolationProvider', 'serverRateLimiterProvider', 'chunkReassemblyBudget'],
  ...['requestScheduling', 'requestParking', 'decoupleHeldPublishRequests'],
  ...['https', 'httpsRateLimits'],
  ...['trustedProxies', 'proxyProtocol'],
  ...['reverseConnect', 'webPort', 'webSocket', 'operationLimits', 'subscriptionLimits', 'resourceIsolation', 'rateLimits'],
]);

/** Of `ConnectionLimits`, what options of the server say. */
const SAID_BY_OPTIONS: ReadonlySet<string> = new Set([
  ...['receiveBufferSize', 'sendBufferSize', 'maxMessageSize', 'handshakeTimeoutMs', 'helloTimeoutMs'],
  ...['slowReaderTimeoutMs', 'maxUnsentBytesPerOwner'],
]);

/** Of `HttpsLimits`, what options of the server say. */
const SAID_BY_HTTPS_OPTIONS: ReadonlySet<string> = new Set([
  ...['maxMessageSize', 'maxJsonBodyBytes', 'maxRequestsPerConnection', 'maxRequestsPerWebSocket', 'slowReaderTimeoutMs'],
  'pingIntervalMs',
]);

const PLAN_OPTIONS = 'packages/resource-isolation/src/plan/options.ts';
/** Keys of isolation options that are no amounts. */
const NO_AMOUNTS: ReadonlySet<string> = new Set([
  'mode',
  'stage',
  'stages',
  'key',
  'shadow',
  'shadowOwners',
  'trustedOwners',
  'reservations',
]);

/** Every limit of a server by the path of its option, with its default; undefined where the default is no plain number. */
export function limitsInCode(): ReadonlyMap<string, number | undefined> {
  return new Map([...serverOptions(), ...isolationOptions(), ...fixedLimits()]);
}

function* serverOptions(): Iterable<[string, number | undefined]> {
  const applicationName = 'Documented';
  const resolved = resolveServerOptions({ applicationName, webSocket: {} });
  const [dialled] = resolveServerOptions({ applicationName, reverseConnect: [{ clientUrl: 'opc.tcp://127.0.0.1' }] }).reverseConnect;
  const { proxyProtocol } = resolveServerOptions({ applicationName, trustedProxies: ['10.0.0.0/8'], proxyProtocol: true });
  for (const name of propertiesOf('packages/server/src/server-options.ts', 'ServerOptions')) {
    if (!NOT_LIMITS.has(name)) yield [name, undefined];
  }
  yield* numbersOf('', resolved, NOT_LIMITS);
  yield* numbersOf('rateLimits.', resolved.rateLimits);
  yield* numbersOf('webPort.', resolved.webPort, NOT_LIMITS);
  yield* numbersOf('webSocket.', resolved.webSocket);
  yield* numbersOf('reverseConnect[].', dialled);
  yield* httpsOptions();
  yield* numbersOf('proxyProtocol.', proxyProtocol);
  yield* numbersOf('operationLimits.', defaultOperationLimits);
  yield* numbersOf('subscriptionLimits.', defaultSubscriptionLimits);
}

function* httpsOptions(): Iterable<[string, number | undefined]> {
  const { https } = resolveServerOptions({ applicationName: 'Documented', https: { sessionless: {} } });
  yield* numbersOf('https.', https);
  yield* numbersOf('https.sessionless.', https?.sessionless);
  yield* numbersOf('httpsRateLimits.', defaultHttpsRateLimits);
  yield ['httpsRateLimits.requestsPerClient', undefined];
  yield ['httpsRateLimits.routes', undefined];
}

function* isolationOptions(): Iterable<[string, number | undefined]> {
  const plan = planServer({ applicationName: 'Documented' });
  const { bootstrap, reconnect } = plan.getStage('ReassemblyBytes');
  yield* numbersOf('resourceIsolation.', plan);
  yield ['resourceIsolation.bootstrapReservedBytes', bootstrap];
  yield ['resourceIsolation.reconnectReservedBytes', reconnect];
  for (const [prefix, ...names] of [
    ['stages[].', 'StageLimitOptions', 'ClassReserveOptions', 'RequestStageOptions', 'ExecutionStageOptions'],
    ['trustedOwners[].', 'TrustedOwnerOptions'],
    ['trustedOwners[].reservations[].', 'TrustedReservation'],
  ] as const) {
    for (const property of names.flatMap((name) => propertiesOf(PLAN_OPTIONS, name))) {
      if (!NO_AMOUNTS.has(property)) yield [`resourceIsolation.${prefix}${property}`, undefined];
    }
  }
}

/** What no option of the server says. */
function* fixedLimits(): Iterable<[string, number | undefined]> {
  yield* numbersOf('connection.', planConnectionLimits(), SAID_BY_OPTIONS);
  yield* numbersOf('httpsConnection.', planHttpsLimits(), SAID_BY_HTTPS_OPTIONS);
  yield* numbersOf('encoding.', defaultEncodingLimits);
  yield ['session.activationTimeoutMs', defaultSessionLimits.activationTimeoutMs];
  yield* numbersOf('passwordLockout.', defaultPasswordLockoutOptions);
}

function* numbersOf(prefix: string, limits: object | undefined, without: ReadonlySet<string> = new Set()): Iterable<[string, number]> {
  for (const [name, value] of Object.entries(limits ?? {})) {
    if (typeof value === 'number' && !without.has(name)) yield [prefix + name, value];
  }
}

/** Names of the properties that an interface of this file declares itself. */
function propertiesOf(path: string, name: string): string[] {
  const body = new RegExp(`interface ${name}\\b[^{]*\\{(?<body>.*?)\\n\\}`, 'su').exec(readFileSync(rootPath(path), 'utf8'))?.groups?.[
    'body'
  ];
  if (body === undefined) throw new Error(`${path} has no interface ${name}`);
  return [...body.matchAll(/^ {2}readonly (?<property>\w+)\??:/gmu)].map(({ groups }) => groups?.['property'] as string);
}
