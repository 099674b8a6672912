import { readFileSync } from 'node:fs';
import { Ajv } from 'ajv';
import { describe, expect, it } from 'vitest';
import { configurationJsonSchema, configurationMembers } from '../src/configuration/json-schema.ts';
import { parseConfiguration } from '../src/configuration.ts';

const published = new URL('../../../docs/configuration.schema.json', import.meta.url);
const validate = new Ajv({ allErrors: true }).compile(configurationJsonSchema());

/** Whether the parser takes it. */
function isParsed(content: unknown): boolean {
  try {
    parseConfiguration(JSON.stringify(content), 'c.json');
    return true;
  } catch {
    return false;
  }
}

/** Values that a member of this schema takes or doesn't take. */
const probes: readonly unknown[] = [
  ...[-1, 0, 1, 1.5, 99, 8192, 65_536, 2 ** 31, 2 ** 53, '', 'a', 'auto', 'json', 'None', 'turn', true, null, [], ['a'], [''], {}],
  ...[
    ['None'],
    ['Sign'],
    { '/read': 3 },
    { read: 3 },
    [{ clientUrl: 'opc.tcp://a' }],
    [{ key: 'a', users: ['b'] }],
    [{ stage: 'Handshake' }],
  ],
  [{ name: 'a', password: 'b' }],
  [{ name: 'a', password: 'b', passwordHash: 'c' }],
  [{ name: 'a' }],
];

describe('the JSON Schema of the configuration file', () => {
  it('is the one that is published (bulkhead schema > docs/configuration.schema.json)', () => {
    expect(JSON.parse(readFileSync(published, 'utf8'))).toEqual(configurationJsonSchema());
  });

  it('takes what the parser takes, and nothing else, at every member', () => {
    let taken = 0;
    for (const { path } of configurationMembers()) {
      for (const probe of probes) {
        const content = path.reduceRight<unknown>((value, name) => ({ [name]: value }), probe);
        const isTaken = isParsed(content);
        expect(validate(content), `${path.join('.')} = ${JSON.stringify(probe)}`).toBe(isTaken);
        if (isTaken) taken++;
      }
    }
    expect(taken).toBeGreaterThan(300);
  });

  it.each([
    [{ $schema: './configuration.schema.json', port: 4840 }, true],
    [{ prot: 4840 }, false],
    [{ limits: { maxSesionCount: 3 } }, false],
    [{ OpcUa: { Server: { RateLimits: { ConnectionsPerSecond: 5 } } } }, true],
    [{ opcUa: { server: { rateLimits: { connectionsPerSecond: 5 } } } }, true],
    [{ OpcUa: { Server: { RateLimits: { ConnectionsPerMinute: 5 } } } }, false],
    [{ OpcUa: { Server: { ResourceIsolation: { Stages: [{ Stage: 'Handshake', OwnerHardLimit: 3 }] } } } }, true],
    [{ OpcUa: { Server: { ResourceIsolation: { Stages: [{ OwnerHardLimit: 3 }] } } } }, false],
    [{ OpcUa: { Client: {} } }, false],
    [{ OpcUa: { Server: { Users: [] } } }, false],
    [[], false],
  ])('agrees with the parser on %j', (content, isRight) => {
    expect([validate(content), isParsed(content)]).toEqual([isRight, isRight]);
  });

  it('has a description of every member, and its default or what it follows from', () => {
    for (const { path, schema, standard } of configurationMembers()) {
      expect(schema.description, path.join('.')).toMatch(/\.$/u);
      if (path[0] !== 'telemetry') expect(schema.standard ?? standard, path.join('.')).toBeDefined();
    }
  });
});
