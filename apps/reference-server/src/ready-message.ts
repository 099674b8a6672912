import { join, resolve } from 'node:path';
import type { Configuration } from './configuration.ts';
import { REFERENCE_NAMESPACE_INDEX, REFERENCE_NAMESPACE_URI } from './nodes/node-ids.ts';
import { configurationWarnings, isDemonstrationUser } from './warnings.ts';

export const MEMORY_ADVICE = '"memory": "auto" in the configuration file, lower limits, a larger container, or --max-old-space-size';

/** The one line that programs wait for. */
export function readyLine(endpoints: readonly string[]): string {
  return JSON.stringify({ event: 'ready', pid: process.pid, endpoints });
}

/** What people are told once the server listens. */
export function readyText(configuration: Configuration, endpoints: readonly string[], memory: readonly string[] = []): string {
  const sections = [
    section(`${configuration.applicationName} listens. Ctrl-C stops it.`, endpoints),
    section('Connect', connectLines(configuration)),
    section('Certificates', certificateLines(configuration)),
    ...configurationWarnings(configuration).map(({ text, howToChange }) =>
      section(`Warning: ${text}`, [`To change that: ${howToChange}.`]),
    ),
    ...memory.map((text) => section(`Warning: ${text}`, [`To change that: ${MEMORY_ADVICE}.`])),
  ];
  return `\n${sections.join('\n\n')}\n`;
}

function section(title: string, lines: readonly string[]): string {
  return [title, ...lines.map((line) => `  ${line}`)].join('\n');
}

function connectLines({ securityPolicies, allowAnonymous, users }: Configuration): readonly string[] {
  const shown = users.filter(isDemonstrationUser).map(({ name, password }) => `${name} / ${password}`);
  const others = users.length - shown.length;
  const who = [...(allowAnonymous ? ['anonymous'] : []), ...shown, ...(others > 0 ? [`${others} of the configuration file`] : [])];
  return [
    'Give an address above to any OPC UA client.',
    `Security: ${securityPolicies.map((policy) => (policy === 'None' ? policy : `${policy} (Sign, SignAndEncrypt)`)).join(', ')}`,
    `Users:    ${who.join(', ')}`,
    `Nodes:    Objects/Bulkhead, namespace ${REFERENCE_NAMESPACE_INDEX} (${REFERENCE_NAMESPACE_URI}), for example`,
    ...['Scalar.Static.Double', 'Analog.Temperature', 'Counter.100ms'].map((id) => `          ns=${REFERENCE_NAMESPACE_INDEX};s=${id}`),
  ];
}

function certificateLines({ pki, autoAccept }: Configuration): readonly string[] {
  const folder = resolve(pki);
  return [
    `Server's own: ${join(folder, 'own', 'certs')}`,
    ...(autoAccept
      ? ['Every client certificate is accepted.']
      : [
          'A client that nobody knows is refused on endpoints with security. To trust it, move its certificate',
          `from ${join(folder, 'rejected')}`,
          `to   ${join(folder, 'trusted', 'certs')}; the running server notices.`,
        ]),
  ];
}
