import { type Configuration, type ConfiguredUser, demonstrationUsers } from './configuration.ts';

/** Something about the configuration that is fine on a bench and not in a plant. */
export interface ConfigurationWarning {
  /** Dotted name for the log. */
  readonly event: string;
  readonly text: string;
  readonly howToChange: string;
}

/** What whoever starts the server should know before others reach it. */
export function configurationWarnings(configuration: Configuration): readonly ConfigurationWarning[] {
  const warnings: ConfigurationWarning[] = [];
  if (configuration.allowAnonymous) {
    warnings.push({
      event: 'security.anonymousAllowed',
      text: 'Anonymous users are allowed.',
      howToChange: '--no-anonymous, or "allowAnonymous": false in the configuration file',
    });
  }
  if (configuration.securityPolicies.includes('None')) {
    warnings.push({
      event: 'security.noneOffered',
      text: 'An endpoint without security (None) is offered: anyone on the way can read and change everything.',
      howToChange: '--no-unsecured, or "securityPolicies" without "None" in the configuration file',
    });
  }
  const known = configuration.users.filter(isDemonstrationUser).map(({ name }) => name);
  if (known.length > 0) {
    warnings.push({
      event: 'security.demonstrationUsers',
      text: `Everybody knows the password of ${known.join(' and ')}.`,
      howToChange: 'your own "users" in the configuration file',
    });
  }
  const plain = configuration.users.filter((user) => user.password !== undefined && !isDemonstrationUser(user)).map(({ name }) => name);
  if (plain.length > 0) {
    warnings.push({
      event: 'security.plainPasswords',
      text: `The configuration has the password of ${plain.join(' and ')} in plain text.`,
      howToChange: '"passwordHash" with what "bulkhead hash-password" prints, in place of "password"',
    });
  }
  if (configuration.autoAccept) {
    warnings.push({
      event: 'security.autoAccept',
      text: 'Every client certificate is trusted.',
      howToChange: 'leave out --auto-accept, and "autoAccept" in the configuration file',
    });
  }
  return warnings;
}

/** Whether everybody knows the password. */
export function isDemonstrationUser({ name, password }: ConfiguredUser): boolean {
  return demonstrationUsers.some((user) => user.name === name && user.password === password);
}
