import type { ResourceIsolationClassifier, ResourceIsolationOptions } from '@bulkhead/opcua';
import { parseResourceIsolationOptions } from '@bulkhead/resource-isolation';
import { createClassifier } from './classifier-section.ts';
import type { ConfigurationJson } from './configuration/file-schema.ts';
import { parseFile } from './configuration/parse-file.ts';
import { ConfigurationError, onOneLine, pathText } from './configuration/problems.ts';
import type { RoleName } from './roles.ts';

export { defaultConfiguration, demonstrationUsers } from './configuration/default-configuration.ts';
export { ConfigurationError } from './configuration/problems.ts';

export interface ConfiguredUser {
  readonly name: string;
  /** As `hash-password` prints it; one of the two is there. */
  readonly passwordHash?: string | undefined;
  readonly password?: string | undefined;
  readonly roles: readonly RoleName[];
}

type Lists = 'hostNames' | 'reverseConnect' | 'securityPolicies' | 'securityModes' | 'users';
type Values = Omit<ConfigurationJson, '$schema' | 'resourceIsolation' | 'classifiers' | Lists>;
type Always =
  | 'applicationName'
  | 'host'
  | 'port'
  | 'pki'
  | 'autoAccept'
  | 'allowAnonymous'
  | 'limits'
  | 'logFormat'
  | 'logLevel'
  | 'benchTickMs';

type AlwaysGiven = { readonly [Name in Always]: NonNullable<Values[Name]> };

/** Everything the reference server needs to know; what may be left out has the framework's default. */
export interface Configuration extends Readonly<Omit<Values, Always>>, AlwaysGiven {
  readonly hostNames?: readonly string[] | undefined;
  readonly reverseConnect?: ConfigurationJson['reverseConnect'];
  readonly securityPolicies: readonly SecurityPolicyName[];
  readonly securityModes?: readonly ('Sign' | 'SignAndEncrypt')[] | undefined;
  readonly users: readonly ConfiguredUser[];
  readonly resourceIsolation?: ResourceIsolationOptions | undefined;
  /** Default: callers are told apart by user, application and address alone. */
  readonly classifier?: ResourceIsolationClassifier | undefined;
}

export type SecurityPolicyName = NonNullable<ConfigurationJson['securityPolicies']>[number];

/** What a configuration file may say: any part of it. */
export type ConfigurationFile = { readonly [Key in keyof Configuration]?: Configuration[Key] | undefined };

/**
 * Reads the text of a configuration file.
 * @throws ConfigurationError
 */
export function parseConfiguration(text: string, fileName: string): ConfigurationFile {
  const { json, spell } = parseFile(text, fileName);
  return configurationOf(json, fileName, spell);
}

/**
 * Makes of checked JSON what the server is started with.
 * @throws ConfigurationError where its parts don't fit each other.
 */
export function configurationOf(
  json: ConfigurationJson,
  where: string,
  spell: (path: readonly PropertyKey[]) => string = pathText,
): ConfigurationFile {
  const { $schema: _editor, resourceIsolation, classifiers, ...values } = json;
  try {
    const isolation = resourceIsolation && parseResourceIsolationOptions(resourceIsolation, spell(['resourceIsolation']));
    const trustedOwners = isolation?.mode === 'TrustedReservations' ? isolation.trustedOwners.map(({ key }) => key) : [];
    if (classifiers !== undefined && isolation?.mode === 'SharedOnly') {
      throw new ConfigurationError(`${spell(['classifiers'])}: mode SharedOnly has no classes: leave out one of the two`);
    }
    return {
      ...values,
      ...(isolation === undefined ? {} : { resourceIsolation: isolation }),
      ...(classifiers === undefined ? {} : { classifier: createClassifier(classifiers, trustedOwners, spell) }),
    };
  } catch (error) {
    throw new ConfigurationError(onOneLine((error as Error).message), where);
  }
}

/**
 * What each value allows on its own but not with the others.
 * @throws ConfigurationError
 */
export function checkTogether({ allowAnonymous, users, securityPolicies, web }: Configuration): void {
  const problems: string[] = [];
  if (!allowAnonymous && users.length === 0) problems.push('users: at least one is needed where anonymous users are refused');
  if (securityPolicies.length === 0) problems.push('securityPolicies: one other than None is needed where unsecured endpoints are refused');
  const names = users.map(({ name }) => name);
  const twice = names.findIndex((name, index) => names.indexOf(name) !== index);
  if (twice !== -1) problems.push(`users[${twice}].name: ${JSON.stringify(names[twice])} is there already`);
  if ((web?.certificateFile === undefined) !== (web?.privateKeyFile === undefined)) {
    problems.push('web.certificateFile and web.privateKeyFile: both are needed, or neither');
  }
  if (problems.length > 0) throw new ConfigurationError(problems);
}
