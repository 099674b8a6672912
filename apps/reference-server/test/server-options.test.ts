import { describe, expect, it } from 'vitest';
import { type Configuration, defaultConfiguration, parseConfiguration } from '../src/configuration.ts';
import { planReferenceServer, serverOptionsOf } from '../src/server-options.ts';

const optionsOf = (file: object) =>
  serverOptionsOf({ ...defaultConfiguration, ...parseConfiguration(JSON.stringify(file), 'c.json') } as Configuration);

describe('the options of the framework', () => {
  it('have every transport by default, the web port three above', () => {
    const options = optionsOf({});
    expect(options).toMatchObject({ port: 4840, webPort: { port: 4843 }, webSocket: {}, https: { sessionless: {} } });
    expect(options).not.toHaveProperty('httpsRateLimits');
    expect(options).not.toHaveProperty('trustedProxies');
  });

  it('have what the sections of the file say', () => {
    expect(
      optionsOf({
        applicationUri: 'urn:plant',
        webPort: 7000,
        web: { host: '127.0.0.1', plain: true, allowedOrigins: ['https://plant.example'], requestTimeoutMs: 9000 },
        webSocket: { pingIntervalMs: 500 },
        https: { path: '/UA', json: false, sessionless: { maxRequests: 5 }, rateLimits: { requestsPerWindow: 7, routes: { '/read': 3 } } },
        proxies: { trusted: ['10.0.0.0/8'], proxyProtocol: true, headerTimeoutMs: 700 },
        reverseConnect: [{ clientUrl: 'opc.tcp://client', retryMs: 100 }],
        securityModes: ['SignAndEncrypt'],
        limits: { maxSessionCount: 5, helloTimeoutMs: 900 },
        operationLimits: { maxNodesPerRead: 10 },
        subscriptionLimits: { maxSubscriptions: 20 },
        bandwidth: { total: { bytesPerSecond: 5000 } },
        rateLimits: { connectionsPerSecond: 30 },
        resourceIsolation: { mode: 'FairShare', handshakeTimeout: '00:00:09' },
        requestScheduling: { schedulingCost: 'time' },
        decoupleHeldPublishRequests: false,
      }),
    ).toMatchObject({
      applicationUri: 'urn:plant',
      webPort: { port: 7000, host: '127.0.0.1', plain: true, allowedOrigins: ['https://plant.example'], requestTimeoutMs: 9000 },
      webSocket: { pingIntervalMs: 500 },
      https: { path: '/UA', json: false, sessionless: { maxRequests: 5 } },
      httpsRateLimits: { requestsPerWindow: 7, routes: { '/read': 3 }, trustedProxies: ['10.0.0.0/8'] },
      trustedProxies: ['10.0.0.0/8'],
      proxyProtocol: { headerTimeoutMs: 700 },
      reverseConnect: [{ clientUrl: 'opc.tcp://client', retryMs: 100 }],
      security: { modes: ['SignAndEncrypt'] },
      maxSessionCount: 5,
      helloTimeoutMs: 900,
      operationLimits: { maxNodesPerRead: 10 },
      subscriptionLimits: { maxSubscriptions: 20 },
      bandwidth: { total: { bytesPerSecond: 5000 } },
      rateLimits: { connectionsPerSecond: 30 },
      resourceIsolation: { mode: 'FairShare', handshakeTimeoutMs: 9000 },
      requestScheduling: { schedulingCost: 'time' },
      decoupleHeldPublishRequests: false,
    });
  });

  it('leave out what is switched off', () => {
    expect(optionsOf({ noWeb: true, webPort: 7000, https: { path: '/UA' } })).not.toHaveProperty('webPort');
    const options = optionsOf({ webSocket: { enabled: false }, https: { sessionless: { enabled: false }, rateLimits: {} } });
    expect(options).not.toHaveProperty('webSocket');
    expect(options.https).toEqual({});
    const withoutHttps = optionsOf({ https: { enabled: false, rateLimits: { requestsPerWindow: 1 } } });
    expect(withoutHttps).not.toHaveProperty('https');
    expect(withoutHttps).not.toHaveProperty('httpsRateLimits');
    expect(optionsOf({ proxies: { trusted: ['10.0.0.0/8'] } })).not.toHaveProperty('proxyProtocol');
  });

  it('are checked as those of any server when the plan is made', () => {
    const plan = (file: object) => () =>
      planReferenceServer({ ...defaultConfiguration, ...parseConfiguration(JSON.stringify(file), 'c.json') } as Configuration);
    expect(plan({ proxies: { proxyProtocol: true } })).toThrow('proxyProtocol');
    expect(plan({ host: '0.0.0.0', web: { plain: true } })).toThrow('webPort.plain');
    expect(plan({ https: { path: 'UA' } })).toThrow('https.path');
  });
});
