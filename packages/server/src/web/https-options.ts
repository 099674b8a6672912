import type { UserIdentity } from '@bulkhead/contracts';
import {
  HttpsRateLimiter,
  type HttpsRateLimiterOptions,
  planHttpsLimits,
  planSessionlessLimits,
  type SessionlessLimits,
} from '@bulkhead/transport-https';
import { OptionsError } from '../options-error.ts';

/** OPC UA over HTTPS on the web port. */
export interface HttpsSettings {
  /** Where requests may be posted to beside `/`, such as `/UA/MyServer`. Default: nowhere else. */
  readonly path?: string;
  /** Requests on their way on one connection; one more is refused with 503 and the connection closed. Default 16. */
  readonly maxRequestsPerConnection?: number;
  /** Speaks JSON too: https-uajson, and OpenAPI with a description at `/openapi.json`. Default true. */
  readonly json?: boolean;
  /** Largest body in JSON, bytes: JSON is parsed in one go. Default 1 MiB, or `maxMessageSize` if that is less. */
  readonly maxJsonBodyBytes?: number;
  /** Requests on their way on one WebSocket that speaks JSON; one more closes it with 1013. Default 64. */
  readonly maxRequestsPerWebSocket?: number;
  /** Serves Read, Write, Browse, Call and their kind without a Session too. Default: they need one. */
  readonly sessionless?: SessionlessSettings;
}

/** Who may ask without a Session; a user name and a password are checked by `security.validateUser`. OPC 10000-4 §6.3. */
export interface SessionlessSettings extends Partial<SessionlessLimits> {
  /** Default: as for Sessions. */
  readonly allowAnonymous?: boolean;
  /** Checks the token of an `Authorization: Bearer` header. Default: none is accepted. */
  readonly validateBearer?: (token: string) => IdentityAnswer | Promise<IdentityAnswer>;
  /** Says who the client of a TLS certificate (DER) is; nobody else has checked that one. Default: nobody is asked for one. */
  readonly validateClientCertificate?: (certificate: Buffer) => IdentityAnswer | Promise<IdentityAnswer>;
}

/** A user, true for one without roles of his own, undefined or false for nobody. */
type IdentityAnswer = UserIdentity | boolean | undefined;

/** Filled in. */
export interface ResolvedHttps {
  readonly paths: readonly string[];
  readonly maxRequestsPerConnection: number;
  readonly maxJsonBodyBytes: number;
  readonly maxRequestsPerWebSocket: number;
  readonly json: boolean;
  readonly sessionless: (SessionlessSettings & SessionlessLimits) | undefined;
}

/** @throws OptionsError naming the option's path. */
export function resolveHttps(settings: HttpsSettings, maxMessageSize: number): ResolvedHttps {
  const { path, sessionless } = settings;
  if (path !== undefined && !/^\/[\w./~-]*$/u.test(path)) throw new OptionsError('https.path', 'a path such as /UA/MyServer', path);
  const given = Object.fromEntries(
    (['maxRequestsPerConnection', 'maxJsonBodyBytes', 'maxRequestsPerWebSocket'] as const).flatMap((name) =>
      settings[name] === undefined ? [] : [[name, settings[name]]],
    ),
  );
  const limits = named('https', () => planHttpsLimits({ maxMessageSize, ...given }), given);
  return {
    paths: path === undefined ? [] : [path],
    maxRequestsPerConnection: limits.maxRequestsPerConnection,
    maxJsonBodyBytes: limits.maxJsonBodyBytes,
    maxRequestsPerWebSocket: limits.maxRequestsPerWebSocket,
    json: settings.json ?? true,
    sessionless: sessionless && {
      ...sessionless,
      ...named('https.sessionless', () => planSessionlessLimits(sessionless), sessionless),
    },
  };
}

/** @throws OptionsError naming the option's path. */
export function createHttpsRateLimiter(options: HttpsRateLimiterOptions): HttpsRateLimiter {
  return named('httpsRateLimits', () => new HttpsRateLimiter(options), options);
}

/** Turns a RangeError, whose message begins with an option's name, into the error of the server's options. */
function named<T>(path: string, make: () => T, given: object): T {
  try {
    return make();
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    const [name = '', expected = error.message] = error.message.split(': ', 2);
    throw new OptionsError(`${path}.${name}`, expected.replace(/ is needed.*$/u, ''), (given as Record<string, unknown>)[name]);
  }
}
