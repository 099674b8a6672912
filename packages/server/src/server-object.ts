import { addIsolationNodes } from './server-object/isolation-nodes.ts';
import { setServerCapabilities } from './server-object/server-capabilities.ts';
import { bindServerDiagnostics } from './server-object/server-diagnostics.ts';
import { bindServerMethods } from './server-object/server-methods.ts';
import { bindServerNamespaces } from './server-object/server-namespaces.ts';
import { setServerRoles } from './server-object/server-roles.ts';
import { bindServerStatus, type LiveServerState } from './server-object/server-status.ts';
import { StandardNodes } from './server-object/standard-nodes.ts';
import { removeUnsupportedNodes } from './server-object/unsupported-nodes.ts';
import type { ResolvedServerOptions } from './server-options.ts';
import type { ServerParts } from './wiring.ts';

export type { LiveServerState } from './server-object/server-status.ts';

/**
 * Brings the standard Server object to life: status, capabilities with the limits that are enforced, diagnostics and Methods.
 * What the server doesn't support is taken out. Once per server, after namespace 0 was loaded. OPC 10000-5 §6.3.
 */
export function bindServerObject(parts: ServerParts, options: ResolvedServerOptions, live: LiveServerState): void {
  const nodes = new StandardNodes(parts.space);
  removeUnsupportedNodes(parts);
  bindServerStatus(nodes, parts, options, live);
  setServerCapabilities(nodes, parts, options);
  setServerRoles(nodes, parts);
  bindServerNamespaces(nodes, parts);
  bindServerDiagnostics(nodes, parts);
  bindServerMethods(nodes, parts);
  addIsolationNodes(parts);
}
