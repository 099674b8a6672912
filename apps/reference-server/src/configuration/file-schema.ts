import { z } from 'zod';
import { roleNames } from '../roles.ts';
import { classifiers, requestScheduling, resourceIsolation } from './isolation-members.ts';
import { bandwidth, limits, operationLimits, rateLimits, subscriptionLimits } from './limit-members.ts';
import { flag, integer, text } from './member.ts';
import { https, port, proxies, reverseConnect, web, webPort, webSocket } from './transport-members.ts';

export const securityPolicyNames = ['None', 'Basic256Sha256', 'Aes128_Sha256_RsaOaep', 'Aes256_Sha256_RsaPss'] as const;

const MIN_CONTAINER_BYTES = 64 * 1024 * 1024;

const user = z
  .strictObject({
    name: text('Name to log in with.', 256),
    passwordHash: text('What `bulkhead hash-password` prints.', 1024).optional(),
    password: text('The password itself; for demonstrations.', 1024).optional(),
    roles: z.array(z.enum(roleNames)).meta({ description: 'Well-known roles of OPC 10000-18.' }).default([]),
  })
  .meta({ oneOf: [{ required: ['passwordHash'] }, { required: ['password'] }] });

/** Every member of a configuration file, but those of the section `OpcUa`, which has some of them by another name. */
export const fileSchema = z
  .strictObject({
    $schema: text('Where the schema of this file is, for editors.', 4096, { standard: 'none' }),
    applicationName: text('Name of the server; also part of the ApplicationUri.', 256),
    applicationUri: text('Globally unique URI of this server.', 4096, { standard: '`urn:<host name>:<applicationName>`' }),
    host: text('Address to listen on; `0.0.0.0` for every interface.', 253),
    port,
    hostNames: z
      .array(z.string().min(1).max(253))
      .min(1)
      .max(32)
      .meta({ description: 'Names in endpoint URLs and in the certificate.', standard: "the host, or the machine's name" }),
    webPort,
    noWeb: flag('Serves opc.tcp only.'),
    web,
    webSocket,
    https,
    proxies,
    reverseConnect,
    pki: text('Folder of certificates, made at the first start.'),
    autoAccept: flag('Trusts every client certificate: laboratories only.'),
    securityPolicies: z.array(z.enum(securityPolicyNames)).min(1).meta({ description: 'Security policies that are offered.' }),
    securityModes: z
      .array(z.enum(['Sign', 'SignAndEncrypt']))
      .min(1)
      .meta({ description: 'For the policies other than `None`.' }),
    allowAnonymous: flag('Users without a name may log in.'),
    users: z.array(user).max(1000).meta({ description: 'Who may log in, and in which roles.', standard: '`operator` and `observer`' }),
    memory: z.union([z.literal('auto'), z.int().min(MIN_CONTAINER_BYTES)]).meta({
      description: 'Proposes totals that are not given: for the memory of the container, or for this many bytes.',
      unit: 'bytes',
      standard: 'no proposals',
    }),
    limits,
    operationLimits,
    subscriptionLimits,
    bandwidth,
    rateLimits,
    resourceIsolation,
    requestScheduling,
    decoupleHeldPublishRequests: flag('A Publish that waits gives its execution slot back.'),
    classifiers,
    logFormat: z.enum(['pretty', 'json']).meta({ description: 'How log entries are printed.' }),
    logLevel: z.enum(['debug', 'info', 'warn', 'error', 'silent']).meta({ description: 'Least level that is printed.' }),
    telemetry: z.strictObject({}).meta({ description: 'Where metrics and traces go.' }),
    benchTickMs: integer('Between two changes of all `Bench.Double` variables; 0: never.', { min: 0, max: 3_600_000, unit: 'ms' }),
  })
  .partial();

/** What a configuration file may say, checked. */
export type ConfigurationJson = z.output<typeof fileSchema>;

/** Members of the file's top level that `OpcUa:Server` may have instead. */
export const serverSectionNames = [
  'resourceIsolation',
  'rateLimits',
  'requestScheduling',
  'decoupleHeldPublishRequests',
  'classifiers',
] as const;
