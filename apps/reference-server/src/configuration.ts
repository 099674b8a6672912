import { readFile } from 'node:fs/promises';
import type {
  RequestSchedulingOptions,
  ResourceIsolationClassifier,
  ResourceIsolationOptions,
  ServerRateLimitOptions,
} from '@bulkhead/opcua';
import { z } from 'zod';
import type { CommandLine, LogFormat, LogLevelName } from './command-line.ts';
import { type RoleName, roleNames } from './roles.ts';
import { type ServerSection, takeServerSection } from './server-section.ts';

const policyNames = ['None', 'Basic256Sha256', 'Aes128_Sha256_RsaOaep', 'Aes256_Sha256_RsaPss'] as const;

export type SecurityPolicyName = (typeof policyNames)[number];

export interface ConfiguredUser {
  readonly name: string;
  readonly password: string;
  readonly roles: readonly RoleName[];
}

export interface ConfiguredLimits {
  readonly maxMessageSize?: number | undefined;
  readonly maxBufferSize?: number | undefined;
  readonly maxSessionCount?: number | undefined;
  readonly maxChannelCount?: number | undefined;
  readonly maxQueuedRequestCount?: number | undefined;
  readonly maxConcurrentRequests?: number | undefined;
  readonly maxParkedRequestCount?: number | undefined;
  readonly maxReassemblyBytes?: number | undefined;
}

/** Everything the reference server needs to know. */
export interface Configuration {
  readonly applicationName: string;
  readonly host: string;
  readonly port: number;
  /** Of opc.wss and opc.https. Default: 3 above `port`, and 0 where that is 0. */
  readonly webPort?: number | undefined;
  /** Serves opc.tcp only. */
  readonly noWeb?: boolean | undefined;
  /** Default: the framework's. */
  readonly hostNames?: readonly string[] | undefined;
  readonly pki: string;
  readonly autoAccept: boolean;
  readonly allowAnonymous: boolean;
  readonly securityPolicies: readonly SecurityPolicyName[];
  readonly users: readonly ConfiguredUser[];
  readonly limits: ConfiguredLimits;
  /** Default: the framework's. */
  readonly resourceIsolation?: ResourceIsolationOptions | undefined;
  /** Default: the framework's. */
  readonly rateLimits?: ServerRateLimitOptions | undefined;
  /** Default: the framework's. */
  readonly requestScheduling?: RequestSchedulingOptions | undefined;
  /** Default: the framework's. */
  readonly decoupleHeldPublishRequests?: boolean | undefined;
  /** Default: callers are told apart by user, application and address alone. */
  readonly classifier?: ResourceIsolationClassifier | undefined;
  readonly logFormat: LogFormat;
  readonly logLevel: LogLevelName;
  readonly benchTickMs: number;
}

/** What a configuration file may say: any part of it. */
export type ConfigurationFile = { readonly [Key in keyof Configuration]?: Configuration[Key] | undefined };

const fileSchema: z.ZodType<Omit<ConfigurationFile, keyof ServerSection>> = z
  .strictObject({
    applicationName: z.string().min(1).max(256),
    host: z.string().min(1),
    port: z.int().min(0).max(65_535),
    webPort: z.int().min(0).max(65_535),
    noWeb: z.boolean(),
    hostNames: z.array(z.string().min(1).max(253)).min(1).max(32),
    pki: z.string().min(1),
    autoAccept: z.boolean(),
    allowAnonymous: z.boolean(),
    securityPolicies: z.array(z.enum(policyNames)).min(1),
    users: z
      .array(
        z.strictObject({
          name: z.string().min(1).max(256),
          password: z.string().min(1).max(1024),
          roles: z.array(z.enum(roleNames)).default([]),
        }),
      )
      .max(1000),
    limits: z
      .strictObject({
        maxMessageSize: z.int().min(8192),
        maxSessionCount: z.int().min(1),
        maxChannelCount: z.int().min(1),
        maxQueuedRequestCount: z.int().min(1),
        maxBufferSize: z.int().min(8192),
        maxConcurrentRequests: z.int().min(1),
        maxParkedRequestCount: z.int().min(1),
        maxReassemblyBytes: z.int().min(8192),
      })
      .partial(),
    logFormat: z.enum(['pretty', 'json']),
    logLevel: z.enum(['debug', 'info', 'warn', 'error', 'silent']),
    benchTickMs: z.int().min(0).max(3_600_000),
  })
  .partial();

/** A wrong configuration: what, where and what would be right. One line. */
export class ConfigurationError extends Error {
  override readonly name = 'ConfigurationError';
}

/** For demonstrations: everybody who has the source knows these passwords. */
export const demonstrationUsers: readonly ConfiguredUser[] = [
  { name: 'operator', password: 'operator-password', roles: ['Operator'] },
  { name: 'observer', password: 'observer-password', roles: ['Observer'] },
];

export const defaultConfiguration: Configuration = {
  applicationName: 'Bulkhead Reference Server',
  host: '127.0.0.1',
  port: 4840,
  pki: './pki',
  autoAccept: false,
  allowAnonymous: true,
  securityPolicies: policyNames,
  users: demonstrationUsers,
  limits: {},
  logFormat: 'pretty',
  logLevel: 'info',
  benchTickMs: 0,
};

/**
 * Puts defaults, file and command line together, in this order. A relative path is relative to the current folder.
 * @throws ConfigurationError when the file can't be read or says something wrong; the message names the path in it.
 */
export async function loadConfiguration(commandLine: CommandLine): Promise<Configuration> {
  const { config, allowUnsecured, printPlan: _printPlan, ...options } = commandLine;
  const file = config === undefined ? {} : parseConfiguration(await readText(config), config);
  const given = Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined)) as ConfigurationFile;
  // Neither JSON nor `given` has an undefined value.
  const together = { ...defaultConfiguration, ...file, ...given } as Configuration;
  const { securityPolicies } = together;
  const configuration =
    allowUnsecured === false ? { ...together, securityPolicies: securityPolicies.filter((policy) => policy !== 'None') } : together;
  checkTogether(configuration);
  return configuration;
}

/**
 * Reads the text of a configuration file.
 * @throws ConfigurationError
 */
export function parseConfiguration(text: string, fileName: string): ConfigurationFile {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (error) {
    throw new ConfigurationError(`${fileName}: not JSON: ${onOneLine((error as Error).message)}`);
  }
  const { section, rest } = serverSection(json, fileName);
  const result = fileSchema.safeParse(rest);
  if (result.success) return { ...result.data, ...section };
  throw new ConfigurationError(`${fileName}: ${result.error.issues.map(describeIssue).join('; ')}`);
}

function serverSection(json: unknown, fileName: string): ReturnType<typeof takeServerSection> {
  try {
    return takeServerSection(json);
  } catch (error) {
    throw new ConfigurationError(`${fileName}: ${onOneLine((error as Error).message)}`);
  }
}

/** What each value allows on its own but not with the others. */
function checkTogether({ allowAnonymous, users, securityPolicies }: Configuration): void {
  if (!allowAnonymous && users.length === 0) {
    throw new ConfigurationError('users: at least one is needed where anonymous users are refused');
  }
  if (securityPolicies.length === 0) {
    throw new ConfigurationError('securityPolicies: one other than None is needed where unsecured endpoints are refused');
  }
  const names = users.map(({ name }) => name);
  const twice = names.findIndex((name, index) => names.indexOf(name) !== index);
  if (twice !== -1) throw new ConfigurationError(`users.${twice}.name: ${JSON.stringify(names[twice])} is there already`);
}

function describeIssue(issue: z.core.$ZodIssue): string {
  const path = issue.path.map(String);
  if (issue.code === 'unrecognized_keys') return issue.keys.map((key) => `${[...path, key].join('.')}: no such option`).join('; ');
  return `${path.join('.') || '(top)'}: ${onOneLine(issue.message)}`;
}

function onOneLine(text: string): string {
  return text.replaceAll(/\s+/gu, ' ');
}

async function readText(fileName: string): Promise<string> {
  try {
    return await readFile(fileName, 'utf8');
  } catch (error) {
    throw new ConfigurationError(`${fileName}: cannot be read (${(error as NodeJS.ErrnoException).code ?? 'unknown reason'})`);
  }
}
