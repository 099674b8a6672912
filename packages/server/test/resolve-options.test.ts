import { describe, expect, it } from 'vitest';
import { MiB, OptionsError, resolveServerOptions, type ServerOptions } from '../src/index.ts';

const name = { applicationName: 'Line 3' };

function pathOfError(options: ServerOptions): string | undefined {
  try {
    resolveServerOptions(options);
    return undefined;
  } catch (error) {
    if (error instanceof OptionsError) return error.path;
    throw error;
  }
}

describe('server options', () => {
  it('have defaults that let nobody in from elsewhere and nothing through unsecured', () => {
    const options = resolveServerOptions(name);
    expect(options.host).toBe('127.0.0.1');
    expect(options.security.policies).not.toContain('None');
    expect(options.pki.autoAcceptUntrustedCertificates).toBe(false);
    expect(options.maxMessageSize).toBe(4 * MiB);
    expect(options.applicationUri).toMatch(/^urn:[^:]+:Line3$/u);
  });

  it('allow anonymous users only as long as there is no other way to log in', () => {
    expect(resolveServerOptions(name).security.allowAnonymous).toBe(true);
    expect(resolveServerOptions({ ...name, security: { validateUser: () => true } }).security.allowAnonymous).toBe(false);
    expect(pathOfError({ ...name, security: { allowAnonymous: false } })).toBe('security.validateUser');
  });

  it('always leave one channel more than Sessions (OPC 10000-4 §5.6.2)', () => {
    expect(pathOfError({ ...name, maxSessionCount: 10, maxChannelCount: 10 })).toBe('maxChannelCount');
    expect(pathOfError({ ...name, maxSessionCount: 10, maxChannelCount: 11 })).toBeUndefined();
  });

  it('RI-02 RI-09 requests run in arrival order in mode SharedOnly and where that is asked for, else by turns', () => {
    const schedulingOf = (options: Partial<ServerOptions>) => resolveServerOptions({ ...name, ...options }).requestScheduling;
    const inOrder = { useFairScheduling: false, schedulingCost: 'turn' };
    expect(schedulingOf({ resourceIsolation: { mode: 'SharedOnly' } })).toEqual(inOrder);
    expect(schedulingOf({ resourceIsolation: { mode: 'Balanced' }, requestScheduling: { useFairScheduling: false } })).toEqual(inOrder);
    expect(schedulingOf({ resourceIsolation: { mode: 'Balanced' } })).toEqual({ useFairScheduling: true, schedulingCost: 'turn' });
    expect(schedulingOf({ resourceIsolation: { mode: 'FairShare' }, requestScheduling: { schedulingCost: 'time' } })).toEqual({
      useFairScheduling: true,
      schedulingCost: 'time',
    });
  });

  it('take a proxy’s word only where both the proxies and their protocol are named, and never everybody’s', () => {
    const trustedProxies = ['10.0.0.0/8', 'fd00::1'];
    const { proxyProtocol } = resolveServerOptions({ ...name, trustedProxies, proxyProtocol: true });
    expect(proxyProtocol).toEqual({ headerTimeoutMs: 2000, maxWaitingConnections: 256 });
    expect(resolveServerOptions({ ...name, trustedProxies, proxyProtocol: true, helloTimeoutMs: 500 }).proxyProtocol).toEqual({
      headerTimeoutMs: 500,
      maxWaitingConnections: 256,
    });
    expect(resolveServerOptions(name)).toMatchObject({ trustedProxies: [], proxyProtocol: undefined });
    expect(pathOfError({ ...name, trustedProxies })).toBe('proxyProtocol');
    expect(pathOfError({ ...name, proxyProtocol: true })).toBe('trustedProxies');
    expect(pathOfError({ ...name, trustedProxies, proxyProtocol: { headerTimeoutMs: 10_001 } })).toBe('proxyProtocol.headerTimeoutMs');
    expect(pathOfError({ ...name, trustedProxies, proxyProtocol: 'v2' as never })).toBe('proxyProtocol');
    expect(pathOfError({ ...name, trustedProxies: '10.0.0.1' as never, proxyProtocol: true })).toBe('trustedProxies');
    for (const wrong of ['10.0.0.1/8', 'proxy', '', '10.0.0.0/33', '0.0.0.0/0', '::/0', '::ffff:0:0/96', 7 as never]) {
      expect(pathOfError({ ...name, trustedProxies: ['10.0.0.1', wrong], proxyProtocol: true }), wrong).toBe('trustedProxies[1]');
    }
  });

  it.each([
    ['applicationName', { applicationName: '' }],
    ['port', { ...name, port: 65_536 }],
    ['port', { ...name, port: -1 }],
    ['maxMessageSize', { ...name, maxMessageSize: 8191 }],
    ['maxBufferSize', { ...name, maxBufferSize: 0 }],
    ['maxSessionCount', { ...name, maxSessionCount: 0 }],
    ['maxSessionCount', { ...name, maxSessionCount: Number.POSITIVE_INFINITY }],
    ['maxQueuedRequestCount', { ...name, maxQueuedRequestCount: 1.5 }],
    ['maxReassemblyBytes', { ...name, maxReassemblyBytes: 1000 }],
    ['handshakeTimeoutMs', { ...name, handshakeTimeoutMs: 120_001 }],
    ['maxSessionTimeoutMs', { ...name, minSessionTimeoutMs: 1000, maxSessionTimeoutMs: 999 }],
    ['operationLimits.maxNodesPerRead', { ...name, operationLimits: { maxNodesPerRead: 0 } }],
    ['operationLimits.maxNodesPerBrowse', { ...name, operationLimits: { maxNodesPerBrowse: Number.POSITIVE_INFINITY } }],
    ['subscriptionLimits.maxSubscriptions', { ...name, subscriptionLimits: { maxSubscriptions: -1 } }],
    ['subscriptionLimits', { ...name, subscriptionLimits: { maxSubscriptions: 1.5 } }],
    ['subscriptionLimits', { ...name, subscriptionLimits: { minSamplingIntervalMs: 100, maxSamplingIntervalMs: 10 } }],
    [
      'requestScheduling.useFairScheduling',
      { ...name, resourceIsolation: { mode: 'SharedOnly' }, requestScheduling: { useFairScheduling: true } },
    ],
    [
      'requestScheduling.schedulingCost',
      { ...name, resourceIsolation: { mode: 'SharedOnly' }, requestScheduling: { schedulingCost: 'time' } },
    ],
    ['security.policies', { ...name, security: { policies: [] } }],
    ['security.modes', { ...name, security: { modes: [] } }],
  ] as const)('name the path %s when it is wrong', (path, options) => {
    expect(pathOfError(options)).toBe(path);
  });
});
