import type { SecureChannelContext, SessionContext, UserIdentity } from '@bulkhead/contracts';
import { type CallerEvidence, createRuntimePlan, DefaultResourceIsolationProvider, type Owner } from '@bulkhead/resource-isolation';
import { MessageSecurityMode, NodeId, UserTokenType } from '@bulkhead/types';
import { describe, expect, it } from 'vitest';
import { ProviderCallerOwners } from '../src/caller-owners.ts';

type Mutable<T> = { -readonly [Key in keyof T]: T[Key] };

function channelOf(address: string, clientCertificate?: Buffer): Mutable<SecureChannelContext> {
  return {
    channelId: 1,
    transportProfileUri: 'tcp',
    endpointUrl: '',
    remote: { address, port: 1 },
    securityPolicyUri: '',
    securityMode: MessageSecurityMode.None,
    clientCertificate,
    serverCertificate: undefined,
    isOpen: true,
  };
}

function identityOf(name: string | undefined): UserIdentity {
  const kind = name === undefined ? UserTokenType.Anonymous : UserTokenType.UserName;
  return { kind, name, roles: [NodeId.numeric(0, 15_656)] };
}

function sessionOn(channel: SecureChannelContext, userName?: string): Mutable<SessionContext> {
  return {
    sessionId: NodeId.numeric(1, 1),
    sessionName: '',
    identity: identityOf(userName),
    localeIds: [],
    channel,
    clientApplicationUri: 'urn:client',
    isActivated: true,
    maxResponseMessageBytes: 0,
  };
}

/** What a classifier sees, and the owners of a real provider. */
function observed(): { owners: ProviderCallerOwners; seen: CallerEvidence[]; thumbprints: () => number } {
  const seen: CallerEvidence[] = [];
  let thumbprints = 0;
  const plan = createRuntimePlan({ maxSessionCount: 2, maxChannelCount: 20, maxMessageSize: 10_000, maxBufferSize: 8192 });
  const classify = (evidence: CallerEvidence): undefined => void seen.push(evidence);
  const provider = new DefaultResourceIsolationProvider({ plan, classifier: { classify } });
  const thumbprintOf = (certificate: Buffer): string => `${++thumbprints}:${certificate.toString('hex')}`;
  return { owners: new ProviderCallerOwners(provider, thumbprintOf), seen, thumbprints: () => thumbprints };
}

describe('owners of callers', () => {
  it('RI-36 gathers evidence once for the same caller, asks the classifier each time, and gives the same owner', () => {
    const { owners, seen, thumbprints } = observed();
    const channel = channelOf('10.0.0.1', Buffer.from('01', 'hex'));
    const session = sessionOn(channel, 'ann');
    const found = Array.from({ length: 5 }, () => owners.ownerOf(channel, session));
    expect(new Set(found).size).toBe(1);
    expect([found[0]?.key, thumbprints(), seen.length]).toEqual(['user:ann', 1, 5]);
    expect(seen[4]).toMatchObject({ userName: 'ann', roles: ['i=15656'], applicationUri: 'urn:client', hasActivatedSession: true });
  });

  it.each<[string, (channel: Mutable<SecureChannelContext>, session: Mutable<SessionContext>) => void, string]>([
    ['another certificate', (channel) => (channel.clientCertificate = Buffer.from('02', 'hex')), 'application:2:02'],
    ['another user', (_channel, session) => (session.identity = identityOf('bob')), 'user:bob'],
    ['a Session that ended', (_channel, session) => (session.isActivated = false), 'application:1:01'],
    ['a Session that moved away', (_channel, session) => (session.channel = channelOf('10.0.0.9')), 'application:1:01'],
  ])('RI-36 %s is seen at once', (_what, change, expected) => {
    const { owners } = observed();
    const channel = channelOf('10.0.0.1', Buffer.from('01', 'hex'));
    const session = sessionOn(channel);
    expect(owners.ownerOf(channel, session).key).toBe('application:1:01');
    change(channel, session);
    expect(owners.ownerOf(channel, session).key).toBe(expected);
  });

  it('RI-35 work counts only with an activated Session of this channel', () => {
    const { owners } = observed();
    const channel = channelOf('10.0.0.1');
    const session = sessionOn(channel);
    const workOf = (owner: Owner) => owner.work;
    expect(workOf(owners.ownerOf(channel, session, 'Control'))).toBe('Control');
    expect(workOf(owners.ownerOf(channel, session))).toBeUndefined();
    expect(workOf(owners.ownerOf(channel, undefined, 'Control'))).toBeUndefined();
    expect(workOf(owners.ownerOf(channelOf('10.0.0.2'), session, 'Control'))).toBeUndefined();
    session.isActivated = false;
    expect(workOf(owners.ownerOf(channel, session, 'Reconnect'))).toBeUndefined();
  });

  it('RI-34 a Session that comes back over another channel vouches for the work, not for its user', () => {
    const { owners, seen } = observed();
    const session = sessionOn(channelOf('10.0.0.1'), 'ann');
    const owner = owners.ownerOf(channelOf('10.0.0.2'), session, 'Reconnect');
    expect(owner).toMatchObject({ key: 'address:10.0.0.2', ownerClass: 'Shared', work: 'Reconnect' });
    expect(seen[0]).toMatchObject({ userName: undefined, roles: [], hasActivatedSession: true });
  });

  it('keeps nothing of a closed channel', () => {
    const { owners, thumbprints } = observed();
    const channel = channelOf('10.0.0.1', Buffer.from('01', 'hex'));
    owners.ownerOf(channel, undefined);
    owners.channelClosed(channel);
    channel.isOpen = false;
    for (let i = 0; i < 3; i++) owners.ownerOf(channel, undefined);
    expect(thumbprints()).toBe(4);
  });
});
