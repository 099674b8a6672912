import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { type Browser, chromium } from 'playwright-core';

const NAMES: readonly string[] = ['chromium', 'chromium-browser', 'google-chrome-stable', 'google-chrome'];

/**
 * Where the browser of this machine is: `TEST_CHROMIUM`, or one on the PATH. Undefined when there is none, so that tests that need it
 * are skipped; with `TEST_REQUIRE_BROWSER` they fail instead.
 */
export const chromiumPath: string | undefined =
  process.env['TEST_CHROMIUM'] ??
  (process.env['PATH'] ?? '')
    .split(delimiter)
    .flatMap((folder) => NAMES.map((name) => join(folder, name)))
    .find((path) => existsSync(path));

/** True where tests with a browser can't run. */
export const hasNoBrowser: boolean = chromiumPath === undefined && process.env['TEST_REQUIRE_BROWSER'] === undefined;

/** A headless Chromium that takes servers' own certificates, on which nothing of another run is left. */
export function launchChromium(): Promise<Browser> {
  if (chromiumPath === undefined) throw new Error('no Chromium on the PATH, and TEST_CHROMIUM names none');
  return chromium.launch({ executablePath: chromiumPath, args: ['--no-sandbox', '--ignore-certificate-errors'] });
}

/** Saves a picture of the page where `TEST_SCREENSHOTS` names a folder. */
export function screenshotPath(name: string): string | undefined {
  const folder = process.env['TEST_SCREENSHOTS'];
  return folder === undefined ? undefined : join(folder, `${name}.png`);
}
