import { type Stage, Stage as Stages, stageNames } from '@bulkhead/resource-isolation';
import type { World } from './world.ts';

/** What has to hold after each event. */
export function checkInvariants(world: World): void {
  world.server.provider.check();
  const expected = reachable(world);
  for (const [stage, amount] of expected) {
    const leased = world.server.provider.leased(stage);
    if (leased !== amount) world.findings.report(`${stageNames[stage]}: ${leased} leased, ${amount} in use`);
  }
  checkDispatcher(world);
  checkRetained(world);
  world.server.requests.checkAnswers();
  world.server.requests.checkTurns(world.server.turns.pending > 0);
}

/** What each stage is used for, counted where it is used. */
function reachable({ server, network, options }: World): ReadonlyMap<Stage, number> {
  const requests = server.requests.counts();
  let connections = 0;
  let handshakes = 0;
  for (const { server: side } of network.links) {
    // One that waits for a place has its handshake already.
    if (side.state === 'handshake' || side.state === 'waiting') handshakes++;
    if (side.state !== 'closed' && side.state !== 'waiting' && side.state !== 'refused') connections++;
  }
  let retainedBytes = 0;
  for (const { channel } of server.parts.connections.registry) retainedBytes += channel?.retainedBytes ?? 0;
  const admitted = requests.queued + requests.handled + requests.parked;
  return new Map<Stage, number>([
    [Stages.Connection, connections],
    [Stages.Handshake, handshakes],
    [Stages.ReassemblyBytes, retainedBytes],
    [Stages.RequestQueue, requests.queued],
    [Stages.RequestQueueBytes, admitted * options.maxMessageSize],
    [Stages.ParkedRequest, requests.parkable],
    [Stages.RequestExecution, requests.handled],
    [Stages.SessionEstablishment, requests.establishing],
  ]);
}

function checkRetained({ server, findings, options }: World): void {
  const { usedBytes, maxBytes, maxBytesPerOwner } = server.parts.isolation.retained;
  if (usedBytes > maxBytes) findings.report(`${usedBytes} bytes are retained, of ${maxBytes}`);
  for (const { address } of options.clients) {
    const ofOwner = server.parts.isolation.retained.ofOwner(`address:${address}`);
    if (ofOwner > maxBytesPerOwner) findings.report(`${ofOwner} bytes are retained for ${address}, of ${maxBytesPerOwner}`);
  }
}

function checkDispatcher({ server, findings }: World): void {
  const { handled, parked } = server.requests.counts();
  const { dispatcher } = server.parts;
  if (dispatcher.executingCount !== handled) findings.report(`the dispatcher executes ${dispatcher.executingCount}, in use are ${handled}`);
  if (dispatcher.parkedCount !== parked) findings.report(`the dispatcher has parked ${dispatcher.parkedCount}, waiting are ${parked}`);
}

/** What has to hold once everybody has left: nothing of anybody is kept. */
export function checkNothingLeft(world: World): void {
  const { server, network, findings, connections, actors } = world;
  const { sessions, subscriptions, dispatcher, connections: factory } = server.parts;
  const left: Readonly<Record<string, number>> = {
    ...Object.fromEntries(stageNames.map((name) => [name, server.provider.getUsage(Stages[name])])),
    'tracked owners': server.provider.trackedOwnerCount,
    'retained bytes': server.parts.isolation.retained.usedBytes,
    'owners of retained bytes': server.parts.isolation.retained.ownerCount,
    connections: factory.registry.connectionCount,
    channels: factory.registry.openChannelCount,
    sessions: sessions.sessionCount,
    subscriptions: subscriptions.totals.subscriptions,
    'monitored items': subscriptions.totals.monitoredItems,
    'sessions with publishing': subscriptions.totals.sessions,
    'queued requests': dispatcher.queuedCount,
    'owners in the dispatcher': [...dispatcher.owners()].length,
    timers: server.clock.pendingTimers,
    turns: server.turns.pending,
    links: network.links.length,
    clients: actors.running,
    'open client connections': [...connections].filter(({ isClosed }) => !isClosed).length,
  };
  for (const [what, count] of Object.entries(left)) if (count !== 0) findings.report(`left behind: ${count} ${what}`);
}
