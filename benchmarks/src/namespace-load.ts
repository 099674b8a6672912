import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { AddressSpace } from '@bulkhead/address-space';
import { DateTime } from '@bulkhead/types';
import { browseAll } from './namespace-load/browse-all.ts';
import { NAMESPACE_URI, nodeSetText, VARIABLES_PER_FOLDER } from './namespace-load/nodeset-text.ts';

/** Loads a namespace of 100,000 nodes, browses all of it, and prints time and memory. One process for each way of loading. */
const FOLDERS = 1000;
const NODES = FOLDERS * (VARIABLES_PER_FOLDER + 1);
const LOADERS: Readonly<Record<string, (space: AddressSpace) => void | Promise<void>>> = { api: addByCalls, nodeset: loadDocument };

const [way] = process.argv.slice(2);
const load = way === undefined ? undefined : LOADERS[way];
if (load && way !== undefined) await run(way, load);
else runEachWay();

function runEachWay(): void {
  console.log('| step | ms | heap MB | RSS MB |\n|---|---:|---:|---:|');
  for (const name of Object.keys(LOADERS)) {
    const { status } = spawnSync(process.execPath, [fileURLToPath(import.meta.url), name], { stdio: 'inherit' });
    if (status !== 0) process.exitCode = 1;
  }
}

async function run(name: string, loadNodes: (space: AddressSpace) => void | Promise<void>): Promise<void> {
  const space = new AddressSpace({
    runtime: {
      clock: { nowMs: () => performance.now(), utcNow: () => DateTime.fromUnixMs(Date.now()) },
      timers: { after: (delayMs, task) => cancellable(setTimeout(task, delayMs)) },
    },
    applicationUri: 'urn:bulkhead:benchmarks',
  });
  await step(`${name}: core namespace`, () => space.loadCoreNamespace());
  const coreNodes = space.nodeCount;
  await step(`${name}: ${NODES.toLocaleString('en-US')} nodes`, () => loadNodes(space));
  if (space.nodeCount !== coreNodes + NODES) throw new Error(`${space.nodeCount - coreNodes} nodes were added instead of ${NODES}`);
  await step(`${name}: browsed from Root`, () => {
    const reached = browseAll(space);
    if (reached < NODES) throw new Error(`only ${reached} nodes can be reached from Root`);
  });
  const peakMb = Math.round(process.resourceUsage().maxRSS / 1024);
  console.log(`| ${name}: most of all | | | ${peakMb} |`);
}

async function step(name: string, work: () => void | Promise<void>): Promise<void> {
  const startMs = performance.now();
  await work();
  const durationMs = Math.round(performance.now() - startMs);
  collectGarbage();
  const { heapUsed, rss } = process.memoryUsage();
  console.log(`| ${name} | ${durationMs} | ${toMb(heapUsed)} | ${toMb(rss)} |`);
}

function addByCalls(space: AddressSpace): void {
  const namespace = space.namespaces.register(NAMESPACE_URI);
  for (let folder = 0; folder < FOLDERS; folder++) {
    const parent = space.addFolder({ namespace, nodeId: `s=Folder${folder}`, browseName: `Folder${folder}` });
    for (let variable = 0; variable < VARIABLES_PER_FOLDER; variable++) {
      const value = folder * VARIABLES_PER_FOLDER + variable;
      space.addVariable(parent, {
        nodeId: `s=Folder${folder}.V${variable}`,
        browseName: `V${variable}`,
        dataType: 'Double',
        value,
        writable: true,
      });
    }
  }
}

async function loadDocument(space: AddressSpace): Promise<void> {
  const { problems } = await space.loadNodeSet(nodeSetText(FOLDERS));
  if (problems.length > 0) throw new Error(problems[0]);
}

/** So that the memory of a step is what it keeps. */
function collectGarbage(): void {
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
}

function cancellable(timeout: NodeJS.Timeout): { cancel(): void } {
  return { cancel: () => clearTimeout(timeout) };
}

function toMb(bytes: number): number {
  return Math.round(bytes / 2 ** 20);
}
