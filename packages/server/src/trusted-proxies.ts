import type { Runtime } from '@bulkhead/contracts';
import { IpNetwork, parseIpAddress } from '@bulkhead/limits';
import { ProxyHeaderGate } from '@bulkhead/transport-tcp';
import { OptionsError, type ProxyProtocolOptions, type ResolvedServerOptions, type ServerOptions } from './server-options.ts';

const DEFAULT_HEADER_TIMEOUT_MS = 2000;
const DEFAULT_MAX_WAITING = 256;
const MAX_WAITING = 65_535;
/** A network that contains both is everybody of its family. */
const everybody: readonly (readonly [string, string])[] = [
  ['0.0.0.0', '255.255.255.255'],
  ['::', 'ffff::'],
];

/**
 * Fills in defaults and checks whose word about addresses is taken.
 * @throws OptionsError naming the option's path.
 */
export function resolveTrustedProxies(
  options: ServerOptions,
  helloTimeoutMs: number,
): Pick<ResolvedServerOptions, 'trustedProxies' | 'proxyProtocol'> {
  const { trustedProxies = [] } = options;
  if (!Array.isArray(trustedProxies)) throw new OptionsError('trustedProxies', 'a list of addresses and networks', trustedProxies);
  for (const [at, text] of trustedProxies.entries()) checkNetwork(`trustedProxies[${at}]`, text);
  const proxyProtocol = resolveProxyProtocol(options.proxyProtocol ?? false, helloTimeoutMs);
  if (proxyProtocol !== undefined && trustedProxies.length === 0) {
    throw new OptionsError('trustedProxies', 'at least one proxy, as proxyProtocol is on,', trustedProxies);
  }
  if (proxyProtocol === undefined && trustedProxies.length > 0) {
    throw new OptionsError('proxyProtocol', 'true, as there are trustedProxies,', options.proxyProtocol);
  }
  return { trustedProxies, proxyProtocol };
}

/** Undefined where every peer speaks for itself. */
export function createProxyHeaderGate(
  { trustedProxies, proxyProtocol }: ResolvedServerOptions,
  runtime: Runtime,
): ProxyHeaderGate | undefined {
  return proxyProtocol === undefined ? undefined : new ProxyHeaderGate({ trustedProxies, ...proxyProtocol, runtime });
}

function resolveProxyProtocol(option: boolean | ProxyProtocolOptions, helloTimeoutMs: number): Required<ProxyProtocolOptions> | undefined {
  if (option === false) return undefined;
  if (option !== true && (typeof option !== 'object' || option === null)) {
    throw new OptionsError('proxyProtocol', 'true, false or an object', option);
  }
  const { headerTimeoutMs = Math.min(DEFAULT_HEADER_TIMEOUT_MS, helloTimeoutMs), maxWaitingConnections = DEFAULT_MAX_WAITING } =
    option === true ? {} : option;
  return {
    headerTimeoutMs: integer('headerTimeoutMs', headerTimeoutMs, helloTimeoutMs),
    maxWaitingConnections: integer('maxWaitingConnections', maxWaitingConnections, MAX_WAITING),
  };
}

function checkNetwork(path: string, text: string): void {
  let network: IpNetwork;
  try {
    network = new IpNetwork(text);
  } catch {
    throw new OptionsError(path, 'an address or a network such as 10.0.0.0/8, without bits behind the prefix,', text);
  }
  const isEverybody = everybody.some((ends) => ends.every((end) => network.contains(parseIpAddress(end) ?? [])));
  if (isEverybody) throw new OptionsError(path, 'a part of the addresses, as a trusted proxy may name any client,', text);
}

function integer(name: keyof ProxyProtocolOptions, value: number, max: number): number {
  if (Number.isSafeInteger(value) && value >= 1 && value <= max) return value;
  throw new OptionsError(`proxyProtocol.${name}`, `an integer from 1 to ${max}`, value);
}
