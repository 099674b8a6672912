import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { CallerEvidence } from '@bulkhead/resource-isolation';
import { describe, expect, it } from 'vitest';
import { type Configuration, ConfigurationError, defaultConfiguration, parseConfiguration } from '../src/configuration.ts';
import { startReferenceServer } from '../src/serve.ts';

const THUMBPRINT = 'AB'.repeat(20);
const TRUSTED = { Mode: 'TrustedReservations', TrustedOwners: [{ Key: 'scada', Weight: 4 }] };

const inServer = (section: object): string => JSON.stringify({ OpcUa: { Server: section } });
const parse = (section: object): Configuration =>
  ({ ...defaultConfiguration, ...parseConfiguration(inServer(section), 'c.json') }) as Configuration;

const evidence = (fields: Partial<CallerEvidence>): CallerEvidence => ({
  address: '10.9.9.9',
  applicationThumbprint: undefined,
  applicationUri: undefined,
  userName: undefined,
  hasActivatedSession: false,
  ...fields,
});

describe('a configuration file', () => {
  it('says in which order requests run, and whether those that wait keep their slot', () => {
    const section = { RequestScheduling: { UseFairScheduling: true, SchedulingCost: 'time' }, DecoupleHeldPublishRequests: false };
    expect(parse(section)).toMatchObject({
      requestScheduling: { useFairScheduling: true, schedulingCost: 'time' },
      decoupleHeldPublishRequests: false,
    });
    expect(parse({ requestScheduling: { useFairScheduling: false } }).requestScheduling).toEqual({ useFairScheduling: false });
  });

  it('RI-32 says by address, application and user who is protected or trusted; the first rule that knows a caller counts', () => {
    const { classifier } = parse({
      ResourceIsolation: TRUSTED,
      Classifiers: [
        { Key: 'gateway', OwnerClass: 'Bootstrap', AddressRanges: ['10.0.0.0/8', 'fd00::/8'] },
        { Key: 'scada', OwnerClass: 'Trusted', Thumbprints: [THUMBPRINT], ApplicationUris: ['urn:scada'] },
        { key: 'people', users: ['ann'], roles: ['Operator'] },
        { Key: 'late', OwnerClass: 'Control', Users: ['ann', 'bob'] },
      ],
    });
    expect(classifier?.classifyIngress?.('10.1.2.3')).toEqual({ key: 'gateway', ownerClass: 'Bootstrap' });
    expect(classifier?.classifyIngress?.('11.1.2.3')).toBeUndefined();
    const scada = { key: 'scada', ownerClass: 'Trusted' };
    expect(classifier?.classify?.(evidence({ applicationThumbprint: THUMBPRINT.toLowerCase() }))).toEqual(scada);
    expect(classifier?.classify?.(evidence({ applicationThumbprint: '00', applicationUri: 'urn:scada' }))).toEqual(scada);
    expect(classifier?.classify?.(evidence({ applicationUri: 'urn:scada' }))).toBeUndefined();
    const people = { key: 'people', ownerClass: 'Shared' };
    expect(classifier?.classify?.(evidence({ hasActivatedSession: true, userName: 'ann' }))).toEqual(people);
    expect(classifier?.classify?.(evidence({ hasActivatedSession: true, userName: 'eve', roles: ['i=15680'] }))).toEqual(people);
    const late = { key: 'late', ownerClass: 'Control' };
    expect(classifier?.classify?.(evidence({ hasActivatedSession: true, userName: 'bob' }))).toEqual(late);
  });

  const rules = (...list: unknown[]): object => ({ ResourceIsolation: TRUSTED, Classifiers: list });
  it.each([
    [{ RequestScheduling: { UseFairScheduling: 'yes' } }, 'OpcUa:Server:RequestScheduling:UseFairScheduling'],
    [{ RequestScheduling: { Cost: 'time' } }, 'OpcUa:Server:RequestScheduling:Cost'],
    [{ RequestScheduling: { SchedulingCost: 'money' } }, 'OpcUa:Server:RequestScheduling:SchedulingCost'],
    [{ DecoupleHeldPublishRequests: 1 }, 'OpcUa:Server:DecoupleHeldPublishRequests'],
    [rules(), 'OpcUa:Server:Classifiers'],
    [{ Classifiers: {} }, 'OpcUa:Server:Classifiers'],
    [rules({ Users: ['a'] }), 'OpcUa:Server:Classifiers:0:key'],
    [rules({ Key: 'a' }), 'OpcUa:Server:Classifiers:0'],
    [rules({ Key: 'a', Users: ['a'] }, { Key: 'b', Users: [], Roles: ['Operator'] }), 'OpcUa:Server:Classifiers:1:Users'],
    [rules({ Key: 'a', Users: ['a'], AddressRanges: ['10.0.0.1'] }), 'OpcUa:Server:Classifiers:0'],
    [rules({ Key: 'a', AddressRanges: ['10.0.0.0/99'] }), 'OpcUa:Server:Classifiers:0: rules[0].ranges[0]'],
    [rules({ Key: 'a', Thumbprints: ['xyz'] }), 'OpcUa:Server:Classifiers:0: rules[0].thumbprints[0]'],
    [rules({ Key: 'a', Roles: ['Captain'] }), 'OpcUa:Server:Classifiers:0:Roles:0'],
    [rules({ Key: 'a', OwnerClass: 'VIP', Users: ['a'] }), 'OpcUa:Server:Classifiers:0:OwnerClass'],
    [rules({ Key: 'a', Users: ['a'], Password: 'b' }), 'OpcUa:Server:Classifiers:0:Password'],
    [rules({ Key: 'scadda', OwnerClass: 'Trusted', Users: ['a'] }), 'OpcUa:Server:Classifiers:0:Key'],
    [{ Classifiers: [{ Key: 'scada', OwnerClass: 'Trusted', Users: ['a'] }] }, 'OpcUa:Server:Classifiers:0:Key'],
    [{ ResourceIsolation: { Mode: 'SharedOnly' }, Classifiers: [{ Key: 'a', Users: ['a'] }] }, 'OpcUa:Server:Classifiers'],
  ])('RI-11 says where it is wrong: %j', (section, path) => {
    expect(() => parse(section)).toThrow(ConfigurationError);
    expect(() => parse(section)).toThrow(`c.json: ${path}`);
  });
});

describe('the reference server', () => {
  it('RI-05 does not start in mode TrustedReservations without a rule that says who is trusted', async () => {
    const configuration = parse({ ResourceIsolation: TRUSTED });
    const folder = await mkdtemp(join(tmpdir(), 'bulkhead-classifiers-'));
    await expect(startReferenceServer({ ...configuration, limits: { maxMessageSize: 1_048_576 }, port: 0, pki: folder })).rejects.toThrow(
      'classifier',
    );
    await rm(folder, { recursive: true });
  });
});
