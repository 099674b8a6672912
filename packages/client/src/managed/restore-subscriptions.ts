import { isBad } from '@bulkhead/types';
import { ServiceResultError } from '../service-result-error.ts';
import type { ClientSession } from '../session/client-session.ts';
import { expectResults } from '../session/session-operations.ts';
import type { Subscription } from '../subscription/subscription.ts';
import type { SubscriptionSet } from '../subscription/subscription-set.ts';
import type { Establishment } from './session-establisher.ts';

/**
 * Gives a session its Subscriptions back after a reconnect: takes them over from the Session before where the server lets it, fetches
 * what was sent and never came, and makes anew those that the server doesn't know any more. OPC 10000-4 §6.7.
 * @returns those that were made anew.
 * @throws UaStatusError (as a rejection) of a lost connection.
 */
export async function restoreSubscriptions({ session, kind }: Establishment, subscriptions: SubscriptionSet): Promise<Subscription[]> {
  const known = [...subscriptions].filter(({ state }) => state !== 'lost' && state !== 'closed');
  const taken = kind === 'reactivated' ? known : await transfer(session, known);
  for (const subscription of taken) await subscription.resume(session.services);
  const lost = [...subscriptions].filter((subscription) => subscription.state === 'lost' || !taken.includes(subscription));
  const recreated: Subscription[] = [];
  for (const subscription of lost) {
    if (await recreate(session, subscriptions, subscription)) recreated.push(subscription);
  }
  return recreated;
}

/** Makes a Subscription anew. @returns false when the server refuses. @throws UaStatusError (as a rejection) of a lost connection. */
export async function recreate(session: ClientSession, subscriptions: SubscriptionSet, subscription: Subscription): Promise<boolean> {
  if (subscription.state === 'closed') return false;
  subscriptions.forgetAcknowledgements(subscription.id);
  try {
    await subscription.create(session.services);
    return true;
  } catch (error) {
    if (!(error instanceof ServiceResultError)) throw error;
    subscription.markLost();
    return false;
  }
}

/** Initial values aren't asked for: what changed meanwhile is in the Subscription's queues. */
async function transfer(session: ClientSession, subscriptions: readonly Subscription[]): Promise<Subscription[]> {
  if (subscriptions.length === 0) return [];
  try {
    const { results } = await session.services.transferSubscriptions({
      subscriptionIds: subscriptions.map(({ id }) => id),
      sendInitialValues: false,
    });
    const checked = expectResults(results, subscriptions.length);
    return subscriptions.filter((_, index) => !isBad(checked[index]?.statusCode ?? 0));
  } catch (error) {
    // A server without this service.
    if (error instanceof ServiceResultError) return [];
    throw error;
  }
}
