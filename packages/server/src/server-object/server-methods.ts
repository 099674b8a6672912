import { MethodIds, StatusCodes, UaStatusError } from '@bulkhead/types';
import type { ServerParts } from '../wiring.ts';
import type { StandardNodes } from './standard-nodes.ts';

/** The Methods of the Server object. OPC 10000-5 §9. */
export function bindServerMethods(nodes: StandardNodes, { subscriptions }: ServerParts): void {
  nodes.method(MethodIds.Server_GetMonitoredItems).bind(([subscriptionId], { session }) => {
    if (session === undefined) throw new UaStatusError(StatusCodes.BadSessionIdInvalid, 'no Session');
    const { serverHandles, clientHandles } = subscriptions.getMonitoredItems(session, subscriptionId as number);
    return [serverHandles, clientHandles];
  });
  nodes.method(MethodIds.Server_ResendData).bind(([subscriptionId], { session }) => {
    if (session === undefined) throw new UaStatusError(StatusCodes.BadSessionIdInvalid, 'no Session');
    subscriptions.resendData(session, subscriptionId as number);
    return [];
  });
}
