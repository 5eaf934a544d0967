import { spawn } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';

const DRAW = new URL('../../grafana/draw.ts', import.meta.url).pathname;
const LOADER = new URL('../../support/typescript-loader.mjs', import.meta.url).pathname;
/** How much of the past its charts show. */
const MINUTES = '15';

/**
 * Returns what writes the overview into a folder as a page for a browser, named as the row is:
 * `MATRIX_PICTURES=<folder> npx vitest run … test/alerts/matrix`. Undefined where no folder is
 * named.
 */
export function overviewPictures(prometheus: string): ((row: string) => Promise<void>) | undefined {
  const folder = process.env['MATRIX_PICTURES'];
  if (folder === undefined) return undefined;
  mkdirSync(folder, { recursive: true });
  return async (row) => {
    const file = join(folder, `${row.replaceAll(/\W+/g, '-')}.html`);
    const child = spawn(
      process.execPath,
      ['--import', LOADER, DRAW, prometheus, 'overview', MINUTES, file],
      { stdio: 'inherit' },
    );
    await new Promise((resolve) => child.once('exit', resolve));
  };
}
