import { existsSync } from 'node:fs';
import chromium from '@sparticuz/chromium';
import { type Browser, chromium as driver } from 'playwright-core';

/** Why no browser can be had here; null where one can. The package has a build for one platform. */
export const NO_BROWSER: string | null =
  process.env['CHROMIUM'] !== undefined || (process.platform === 'linux' && process.arch === 'x64')
    ? null
    : `no browser for ${process.platform}-${process.arch}: name one by CHROMIUM=<path>`;

/**
 * Opens a browser without a window: that of `CHROMIUM`, else that of the package, which unpacks
 * itself into the temporary folder the first time. Errors: what the browser says when it cannot
 * start.
 */
export async function openBrowser(): Promise<Browser> {
  const named = process.env['CHROMIUM'];
  if (named !== undefined && !existsSync(named))
    throw new Error(`CHROMIUM names ${named}, where there is nothing`);
  return driver.launch({
    executablePath: named ?? (await chromium.executablePath()),
    // what the package's own list adds is for a shared cloud machine; this one is ours
    args: ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage'],
  });
}
