import { readFile } from 'node:fs/promises';
import type { ServerFlags } from '../command-line.ts';
import { type Configuration, checkTogether, configurationOf } from '../configuration.ts';
import { readMachineShare } from '../memory/container.ts';
import { type MachineShare, proposeTotals } from '../memory/propose-totals.ts';
import { planReferenceServer } from '../server-options.ts';
import { defaultConfiguration } from './default-configuration.ts';
import { CONFIG_VARIABLE, readEnvironment } from './environment.ts';
import type { ConfigurationJson } from './file-schema.ts';
import { applyLimitFlags } from './limit-flags.ts';
import { checkJson, type ParsedFile, parseFile } from './parse-file.ts';
import { ConfigurationError, pathText } from './problems.ts';

/** Where a configuration comes from, beside its file. */
export interface ConfigurationSources {
  readonly flags: ServerFlags;
  /** Default: nothing. */
  readonly environment?: Readonly<Record<string, string | undefined>>;
  /** What this process may use. Default: what the container, the machine and V8 say. */
  readonly readShare?: () => Promise<MachineShare>;
}

/** A configuration, and all that it was made of. */
export interface LoadedConfiguration {
  readonly configuration: Configuration;
  /** The same as a configuration file would have it. */
  readonly json: ConfigurationJson;
  readonly share: MachineShare;
}

/**
 * Puts defaults, file, environment and command line together, in this order; what is left open is proposed last, where `memory` asks for
 * it. A relative path is relative to the current folder.
 * @throws ConfigurationError when the file can't be read or something is wrong; the message names where.
 */
export async function loadConfiguration({
  flags,
  environment = {},
  readShare = readMachineShare,
}: ConfigurationSources): Promise<LoadedConfiguration> {
  const fromEnvironment = readEnvironment(environment);
  const { file, where } = await readConfigurationFile(flags.config, fromEnvironment.configFile);
  const spell = (path: readonly PropertyKey[]): string => fromEnvironment.variableOf(path) ?? file.spell(path);
  const { users: _users, limits: _limits, ...standard } = defaultConfiguration;
  const below = merge(merge({ ...standard, users: [...defaultConfiguration.users] }, file.json), fromEnvironment.json);
  const checked = checkJson(merge(below, settingsOf(flags)), where ?? 'configuration', spell);
  const share = await readShare();
  const json = withoutUndefined(proposed(withFlags(checked, flags), share)) as ConfigurationJson;
  const configuration = { ...defaultConfiguration, ...configurationOf(json, where ?? 'configuration', spell) } as Configuration;
  checkTogether(configuration);
  return { configuration, json, share };
}

async function readConfigurationFile(
  flag: string | undefined,
  variable: string | undefined,
): Promise<{ readonly file: ParsedFile; readonly where: string | undefined }> {
  const fileName = flag ?? variable;
  if (fileName === undefined) return { file: { json: {}, spell: pathText }, where: undefined };
  const text = await readText(fileName, flag === undefined ? `${CONFIG_VARIABLE}: ` : '');
  return { file: parseFile(text, fileName), where: fileName };
}

/** What the command line says, by the names of the file. */
function settingsOf(flags: ServerFlags): ConfigurationJson {
  const { host, port, webPort, noWeb, pki, autoAccept, allowAnonymous, logFormat, logLevel, benchTickMs } = flags;
  return withoutUndefined({
    host,
    port,
    webPort,
    noWeb,
    pki,
    autoAccept,
    allowAnonymous,
    logFormat,
    logLevel,
    benchTickMs,
  }) as ConfigurationJson;
}

function withFlags(json: ConfigurationJson, flags: ServerFlags): ConfigurationJson {
  const limited = applyLimitFlags(json, flags, () => placesKept(json));
  if (flags.allowUnsecured !== false) return limited;
  return { ...limited, securityPolicies: (limited.securityPolicies ?? []).filter((policy) => policy !== 'None') };
}

/** Connections that the mode reserves, as the plan has it before the number of connections is changed. */
function placesKept(json: ConfigurationJson): number {
  const { maxChannelCount: _other, maxSessionCount: _another, ...limits } = json.limits ?? {};
  const configuration = { ...defaultConfiguration, ...configurationOf({ ...json, limits }, 'configuration') } as Configuration;
  const [connection] = planReferenceServer(configuration).stages;
  return connection === undefined ? 0 : connection.total - connection.shared;
}

function proposed(json: ConfigurationJson, share: MachineShare): ConfigurationJson {
  const { memory } = json;
  if (memory === undefined) return json;
  return proposeTotals(json, typeof memory === 'number' ? { ...share, memoryBytes: memory } : share);
}

type Json = Readonly<Record<string, unknown>>;

/** Objects are put together member by member; anything else replaces what is below. */
function merge(below: Json, above: Json): Json {
  const together: Record<string, unknown> = { ...below };
  for (const [name, value] of Object.entries(above)) {
    const known = together[name];
    together[name] = isObject(known) && isObject(value) ? merge(known, value) : value;
  }
  return together;
}

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** At every depth, so that a default applies. */
function withoutUndefined(value: unknown): unknown {
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, member]) => member !== undefined)
      .map(([name, member]) => [name, withoutUndefined(member)]),
  );
}

async function readText(fileName: string, prefix: string): Promise<string> {
  try {
    return await readFile(fileName, 'utf8');
  } catch (error) {
    throw new ConfigurationError(`${prefix}${fileName}: cannot be read (${(error as NodeJS.ErrnoException).code ?? 'unknown reason'})`);
  }
}
