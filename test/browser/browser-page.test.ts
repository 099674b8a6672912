import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { VariableNode } from '@bulkhead/address-space';
import { type BrowserPage, serveBrowserPage } from '@bulkhead/examples';
import { NodeId } from '@bulkhead/types';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectNothingLeft } from '../support/test-server.ts';
import { hasNoBrowser, launchChromium, screenshotPath } from './chromium.ts';

describe.skipIf(hasNoBrowser)('a page in a browser', () => {
  let folder: string;
  let example: BrowserPage;
  let browser: Browser;
  let page: Page;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'bulkhead-browser-'));
    example = await serveBrowserPage({ pagePort: 0, webPort: 0, port: 0, pkiFolder: folder });
    browser = await launchChromium();
    page = await browser.newPage({ viewport: { width: 1000, height: 480 } });
  });

  afterAll(async () => {
    await browser.close();
    await expectNothingLeft(example.server);
    await example[Symbol.asyncDispose]();
    rmSync(folder, { recursive: true, force: true });
  });

  const textOf = async (id: string): Promise<string> => (await page.textContent(`#${id}`)) ?? '';

  /** Waits until the element's text is something else than `before`. */
  async function nextText(id: string, before: string): Promise<string> {
    let text = before;
    while (text === before) text = await textOf(id);
    return text;
  }

  it('reads and writes by OpenAPI', async () => {
    const problems: string[] = [];
    page.on('pageerror', (error) => problems.push(error.message));
    page.on('console', (message) => {
      if (message.type() === 'error') problems.push(message.text());
    });
    await page.goto(example.pageUrl);
    expect(await nextText('setpoint', '–')).toBe('2.00');
    await page.fill('#wanted', '3.5');
    await page.click('#write [type=submit]');
    expect(await nextText('setpoint', '2.00')).toBe('3.50');
    const setpoint = example.server.space.getNode(NodeId.parse('ns=1;s=Setpoint')) as VariableNode;
    expect(setpoint.dataValue.value?.value).toBe(3.5);
    expect(problems).toEqual([]);
  });

  it('subscribes over a WebSocket, and shows each change as it comes', async () => {
    await expect.poll(() => textOf('state'), { timeout: 10_000 }).toMatch(/^connected/u);
    expect(example.server.counts).toMatchObject({ sessions: 1, subscriptions: 1, monitoredItems: 1 });
    const seen = new Set<string>();
    for (let text = '–'; seen.size < 5; seen.add(text)) text = await nextText('live', text);
    expect([...seen].every((text) => Number(text) >= 1 && Number(text) <= 3)).toBe(true);
    const points = async (): Promise<number> => ((await page.getAttribute('#line', 'points')) ?? '').split(' ').length;
    await expect.poll(points, { timeout: 20_000 }).toBeGreaterThan(20);
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      const path = screenshotPath(`browser-page-${colorScheme}`);
      if (path !== undefined) await page.screenshot({ path });
    }
  });

  it('gets nothing when it is of an origin that the server does not know', async () => {
    const stranger = createServer((_request, response) => response.setHeader('content-type', 'text/html').end('<p>elsewhere</p>'));
    await new Promise<void>((resolve) => stranger.listen(0, '127.0.0.1', resolve));
    const other = await browser.newPage();
    await other.goto(`http://127.0.0.1:${(stranger.address() as AddressInfo).port}`);
    const url = (example.server.endpointUrls.find((each) => each.startsWith('opc.https:')) ?? '').replace('opc.', '');
    // As text: this file has no types of browsers.
    const outcome = await other.evaluate(`(async (target) => {
      const headers = { 'content-type': 'application/json' };
      const fetched = await fetch(target + '/read', { method: 'POST', headers, body: '{}' }).then(({ status }) => status, () => 'refused');
      const socket = new WebSocket(target.replace('https:', 'wss:'), 'opcua+uajson');
      const opened = await new Promise((resolve) => {
        socket.onopen = () => resolve('open');
        socket.onerror = () => resolve('refused');
      });
      return [fetched, opened];
    })('${url}')`);
    expect(outcome).toEqual(['refused', 'refused']);
    await other.close();
    await new Promise((resolve) => stranger.close(resolve));
  });

  it('leaves its Session to time out, or ends with the server', async () => {
    await example.server.stop();
    await expect.poll(() => textOf('state'), { timeout: 10_000 }).toBe('disconnected (1001)');
  });
});
