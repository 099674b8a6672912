import { planServer } from '@bulkhead/opcua';
import { defaultConfiguration, parseConfiguration, planReferenceServer } from '@bulkhead/reference-server';
import { DefaultResourceIsolationProvider, describePlan, refusalReasons, Stage } from '@bulkhead/resource-isolation';
import { resolveServerOptions } from '@bulkhead/server';
import { planConnectionLimits } from '@bulkhead/transport';
import { describe, expect, it } from 'vitest';
import { readDocument, type Table } from './markdown.ts';
import { quantityOf } from './quantity.ts';

const page = readDocument('docs/resource-isolation.md');
const applicationName = 'Documented';
/** With an establishment limit that doesn't follow the number of processors. */
const plan = planServer({ applicationName, rateLimits: { maxConcurrentSessionEstablishment: 128 } });

function tableBelow(heading: string): Table {
  const table = page.tables.find((one) => one.heading === heading);
  if (table === undefined) throw new Error(`${page.path} has no table below ${heading}`);
  return table;
}

function column(heading: string, title: string): string[] {
  const { titles, rows } = tableBelow(heading);
  return rows.map(({ cells }) => cells[titles.indexOf(title)] ?? '');
}

/** From its heading to the next. */
function section(heading: string): string {
  return page.text.split(/^## /mu).find((text) => text.startsWith(`${heading}\n`)) ?? '';
}

describe('the page of resource isolation', () => {
  it('has the stages in the order a request meets them, with their units and totals', () => {
    const rows = describePlan(plan);
    const heading = 'What is counted';
    expect(column(heading, 'stage')).toEqual(rows.map(({ stage }) => stage));
    expect(column(heading, 'unit')).toEqual(rows.map(({ unit }) => unit));
    expect(column(heading, 'default total').map(quantityOf)).toEqual(rows.map(({ total }) => total));
  });

  it('names every reason of a refusal', () => {
    for (const reason of refusalReasons) expect(section('When something is refused')).toContain(`\`${reason}\` means`);
  });

  it('RI-47 has advice for containers that adds up', () => {
    const { maxReassemblyBytes, maxUnsentBytesPerOwner, maxChannelCount } = resolveServerOptions({ applicationName });
    const readAhead = maxChannelCount * planConnectionLimits().maxReadAheadBytes;
    const costs = [maxReassemblyBytes, plan.getStage('RequestQueueBytes').total, maxUnsentBytesPerOwner, readAhead];
    expect(column('In a container', 'with the defaults').map(quantityOf)).toEqual(costs);

    const [, small] = page.blocks.filter(({ language }) => language === 'json');
    const configuration = { ...defaultConfiguration, ...parseConfiguration(small?.text ?? '', page.path) } as typeof defaultConfiguration;
    const smallPlan = planReferenceServer(configuration);
    const [, reassembly, requests] = /at most (.+?) here, requests (.+?)\./u.exec(section('In a container')) ?? [];
    expect(smallPlan.getStage('ReassemblyBytes').total).toBe(quantityOf(reassembly ?? ''));
    expect(smallPlan.getStage('RequestQueueBytes').total).toBe(quantityOf(requests ?? ''));
  });

  it('RI-47 says what is not promised', () => {
    const stated = [...section('What is not promised').matchAll(/^- \*\*(?<claim>.+?)\*\*/gmu)].map(({ groups }) => groups?.['claim']);
    expect(stated).toEqual([
      'No cap on the whole heap.',
      'Unknown callers are served at best effort.',
      'An address is no identity.',
      'Not a share of processor time.',
      'No response time is guaranteed.',
      'Not a quota for a fleet.',
      'The network is not protected.',
      'No access control.',
    ]);
  });

  it('RI-47 is right about unknown callers: they are refused while reserves are idle', () => {
    const provider = new DefaultResourceIsolationProvider({ plan });
    const { total, shared } = plan.getStage('Connection');
    for (let at = 0; at < shared; at++) {
      expect(provider.tryAcquire(Stage.Connection, provider.classifyIngress(`10.0.1.${at}`), 1).kind).toBe('lease');
    }
    const refused = provider.tryAcquire(Stage.Connection, provider.classifyIngress('10.0.2.1'), 1);
    expect(refused).toMatchObject({ kind: 'refusal', reason: 'Capacity' });
    expect(provider.getUsage(Stage.Connection)).toBeLessThan(total);
  });

  it('RI-47 is right about fleets: two providers share nothing', () => {
    const [one, other] = [new DefaultResourceIsolationProvider({ plan }), new DefaultResourceIsolationProvider({ plan })];
    expect(one.tryAcquire(Stage.RequestExecution, one.classifyIngress('10.0.0.1'), 1).kind).toBe('lease');
    expect(other.getUsage(Stage.RequestExecution)).toBe(0);
  });
});
