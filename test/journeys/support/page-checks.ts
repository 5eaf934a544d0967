import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** Rules of WCAG 2.0 to 2.2, levels A and AA, and what axe-core holds for good practice. */
const TAGS = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];

interface Violation {
  readonly id: string;
  readonly nodes: readonly { readonly html: string; readonly failureSummary?: string }[];
}

/**
 * What axe-core finds against a page in its present state, one line each: rule, element, what is
 * wrong.
 */
export async function violationsOf(page: Page): Promise<readonly string[]> {
  // The bar at the top covers a part of what has scrolled under it, which is no fault of its size.
  await page.evaluate('scrollTo(0, 0)');
  // the debugger's own evaluation, which the pages' policy does not hold
  await page.evaluate(axe);
  const violations = await page.evaluate<readonly Violation[]>(
    `axe.run(document, { runOnly: ${JSON.stringify(TAGS)} }).then(({ violations }) => violations)`,
  );
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary = '' }) => `${id}: ${html} ${failureSummary}`),
  );
}

/** How many pixels of a page lie beside the screen: 0 where nothing scrolls sideways. */
export async function sidewaysPixels(page: Page): Promise<number> {
  return page.evaluate<number>(
    'Math.max(0, document.body.scrollWidth - document.documentElement.clientWidth)',
  );
}

/** Waits until nothing of a page says that it is loading. */
export async function untilLoaded(page: Page): Promise<void> {
  await page.locator('[aria-busy=true]').first().waitFor({ state: 'detached' });
}
