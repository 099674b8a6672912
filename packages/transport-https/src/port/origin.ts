import type { IncomingMessage } from 'node:http';

/**
 * Whether a browser may use the server for the page that it shows. Other programs send no Origin.
 * @param allowed origins such as `https://plant.example`; `*` for any.
 */
export function isOriginAllowed(request: IncomingMessage, allowed: readonly string[]): boolean {
  const { origin } = request.headers;
  return origin === undefined || allowed.includes('*') || allowed.includes(origin.toLowerCase());
}
