import { describe, expect, it } from 'vitest';
import {
  parseDurationMs,
  parseResourceIsolationOptions,
  ResourceIsolationOptionsError,
  resourceIsolationFromConfiguration,
} from '../src/index.ts';

const PATH = 'OpcUa:Server:ResourceIsolation';

function faultOf(json: unknown): string {
  try {
    parseResourceIsolationOptions(json);
    return 'valid';
  } catch (error) {
    if (!(error instanceof ResourceIsolationOptionsError)) throw error;
    expect(error.message).toContain(error.path);
    return error.path.replace(PATH, '~');
  }
}

describe('JSON binding', () => {
  it('RI-11 reads the documented section, with the keys in PascalCase', () => {
    const options = resourceIsolationFromConfiguration({
      OpcUa: {
        Server: {
          ResourceIsolation: {
            Mode: 'Balanced',
            MaxTrackedOwners: 4096,
            HandshakeTimeout: '00:00:30',
            Stages: [{ Stage: 'RequestExecution', OwnerHardLimit: 8 }],
          },
        },
      },
    });
    expect(options).toEqual({
      mode: 'Balanced',
      maxTrackedOwners: 4096,
      handshakeTimeoutMs: 30_000,
      stages: [{ stage: 'RequestExecution', ownerHardLimit: 8 }],
    });
  });

  it('RI-11 reads every option in camelCase', () => {
    const all = {
      mode: 'TrustedReservations',
      maxTrackedOwners: 10,
      maxOwnerKeyLength: 80,
      defaultWeight: 2,
      handshakeTimeoutMs: 5_000,
      maxRetainedMessageBytes: 1_000,
      bootstrapReservedBytes: 1_000,
      reconnectReservedBytes: 2_000,
      ipv6PrefixLength: 56,
      shadowOwners: ['address:10.0.0.1'],
      stages: [
        {
          stage: 'RequestQueue',
          capacity: 50,
          ownerHardLimit: 5,
          bootstrapReserved: 1,
          reconnectReserved: 2,
          controlReserved: 3,
          shadow: true,
        },
      ],
      trustedOwners: [{ key: 'plant', weight: 4, reservations: [{ stage: 'Connection', reserved: 2, hardLimit: 8 }], shadow: false }],
    };
    expect(parseResourceIsolationOptions(all)).toEqual(all);
  });

  it.each([
    [{ MaxTrackedOwners: '12abc' }, '~:MaxTrackedOwners'],
    [{ MaxTrackedOwners: '12' }, '~:MaxTrackedOwners'],
    [{ maxTrackedOwners: 1.5 }, '~:maxTrackedOwners'],
    [{ maxTrackedOwners: null }, '~:maxTrackedOwners'],
    [{ DefaultWeight: true }, '~:DefaultWeight'],
    [{ Mode: 'balanced' }, '~:Mode'],
    [{ Mode: 3 }, '~:Mode'],
    [{ MaxTrackedOwner: 3 }, '~:MaxTrackedOwner'],
    [JSON.parse('{"__proto__": 1}'), '~:__proto__'],
    [{ Mode: 'Balanced', mode: 'Balanced' }, '~:mode'],
    [{ HandshakeTimeout: '30s' }, '~:HandshakeTimeout'],
    [{ HandshakeTimeout: '00:00:30', HandshakeTimeoutMs: 30_000 }, '~:HandshakeTimeoutMs'],
    [{ Stages: {} }, '~:Stages'],
    [{ Stages: [{ Stage: 'Connection' }, { Stage: 'Conection' }] }, '~:Stages:1:Stage'],
    [{ Stages: [{ Capacity: 1 }] }, '~:Stages:0:Stage'],
    [{ stages: [{ stage: 'Connection', capacity: '1e3' }] }, '~:stages:0:capacity'],
    [{ Stages: [{ Stage: 'Connection', Limit: 1 }] }, '~:Stages:0:Limit'],
    [{ Stages: [7] }, '~:Stages:0'],
    [{ Stages: [{ Stage: 'Connection', Shadow: 'yes' }] }, '~:Stages:0:Shadow'],
    [{ ShadowOwners: [1] }, '~:ShadowOwners:0'],
    [{ TrustedOwners: [{ Weight: 1 }] }, '~:TrustedOwners:0:Key'],
    [{ TrustedOwners: [{ Key: 'a', Reservations: [{ Stage: 'Connection' }] }] }, '~:TrustedOwners:0:Reservations:0:Reserved'],
    [
      { TrustedOwners: [{ Key: 'a', Reservations: [{ Stage: 'Connection', Reserved: 1, Hard: 1 }] }] },
      '~:TrustedOwners:0:Reservations:0:Hard',
    ],
    [[], '~'],
    ['Balanced', '~'],
  ])('RI-11 refuses %j and names where', (json, path) => {
    expect(faultOf(json)).toBe(path);
  });

  it('RI-11 a file without the section has no options, and one with something else in its place is refused', () => {
    expect(resourceIsolationFromConfiguration({})).toBeUndefined();
    expect(resourceIsolationFromConfiguration({ opcUa: { server: {} } })).toBeUndefined();
    expect(resourceIsolationFromConfiguration({ opcUa: { server: { resourceIsolation: {} } } })).toEqual({});
    expect(() => resourceIsolationFromConfiguration({ OpcUa: 1 })).toThrow('OpcUa: ');
    expect(() => resourceIsolationFromConfiguration({ OpcUa: {}, opcUa: {} })).toThrow('OpcUa: ');
    expect(() => resourceIsolationFromConfiguration({ OpcUa: { Server: { ResourceIsolation: null } } })).toThrow(`${PATH}: `);
  });

  it('reads durations and nothing that only looks like one', () => {
    expect(['00:00:30', '01:02:03', '00:00:00.5', '00:00:00.1234567', '1.00:00:00'].map(parseDurationMs)).toEqual([
      30_000, 3_723_000, 500, 123, 86_400_000,
    ]);
    for (const text of ['', '30', '00:30', '00:60:00', '24:00:00', '00:00:60', '-00:00:30', '00:00:30 ', '00:00:3x']) {
      expect(parseDurationMs(text), text).toBeUndefined();
    }
  });
});
