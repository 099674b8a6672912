import { readFileSync } from 'node:fs';
import { Clients } from './connecting.mjs';
import { close, connectionSteps, reconnect, tokenRenewal } from './connection-steps.mjs';
import * as data from './data-steps.mjs';
import { play } from './report.mjs';
import * as subscriptions from './subscription-steps.mjs';

/** The interop script for node-opcua: node client.mjs config.json. README.md beside this folder says what is printed. */
const mainSteps = {
  'browse-all': data.browseAll,
  'read-attributes': data.readAttributes,
  'read-values': data.readValues,
  'write-scalars': data.writeAll('scalars'),
  'write-arrays': data.writeAll('arrays'),
  'write-matrices': data.writeAll('matrices'),
  'call-methods': data.callMethods,
  'index-ranges': data.indexRanges,
  'data-type-definitions': data.dataTypeDefinitions,
  structures: data.structures,
  'subscribe-100': subscriptions.subscribe100,
  deadband: subscriptions.deadband,
  'two-subscriptions': subscriptions.twoSubscriptions,
  'modify-items': subscriptions.modifyItems,
  'disable-items': subscriptions.disableItems,
  'set-triggering': subscriptions.setTriggering,
  events: data.events,
};

// The library prints warnings; standard output is for the reports.
console.log = console.error;
console.warn = console.error;

const config = JSON.parse(readFileSync(process.argv[2], 'utf8'));
const clients = new Clients(config);
for (const [id, step] of connectionSteps(clients)) await play(id, step);
try {
  await clients.withMainSession(async (session) => {
    for (const [id, step] of Object.entries(mainSteps)) await play(id, () => step(config, session));
  });
} catch (error) {
  process.stderr.write(`main session: ${error.stack}\n`);
}
await play('token-renewal', () => tokenRenewal(clients));
await play('reconnect', () => reconnect(clients));
await play('close', () => close(clients));
await clients.end();
