import { resolveServerOptions } from '@bulkhead/server';
import { defaultOperationLimits } from '@bulkhead/services';
import { defaultSubscriptionLimits } from '@bulkhead/subscription';
import { defaultHttpsRateLimits } from '@bulkhead/transport-https';
import { defaultConfiguration } from './default-configuration.ts';

/** What applies where a configuration file says nothing, in the form of the file; without what follows from other members. */
export function standardValues(): Readonly<Record<string, unknown>> {
  const options = resolveServerOptions({
    applicationName: defaultConfiguration.applicationName,
    webSocket: {},
    https: { sessionless: {} },
    trustedProxies: ['127.0.0.1'],
    proxyProtocol: true,
    reverseConnect: [{ clientUrl: 'opc.tcp://127.0.0.1' }],
  });
  const { users: _demonstration, limits: _limits, ...own } = defaultConfiguration;
  return {
    ...own,
    noWeb: false,
    securityModes: options.security.modes,
    limits: options,
    operationLimits: defaultOperationLimits,
    subscriptionLimits: defaultSubscriptionLimits,
    rateLimits: options.rateLimits,
    web: options.webPort,
    webSocket: { enabled: true, ...options.webSocket },
    https: {
      enabled: true,
      ...options.https,
      sessionless: { enabled: true, ...options.https?.sessionless },
      rateLimits: defaultHttpsRateLimits,
    },
    proxies: { proxyProtocol: false, ...options.proxyProtocol },
    resourceIsolation: {
      mode: 'Balanced',
      maxTrackedOwners: 4096,
      maxOwnerKeyLength: 256,
      defaultWeight: 1,
      ipv6PrefixLength: 64,
    },
    requestScheduling: options.requestScheduling,
    decoupleHeldPublishRequests: options.decoupleHeldPublishRequests,
  };
}
