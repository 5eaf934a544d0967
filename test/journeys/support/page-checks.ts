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

/** Screens from the narrowest phone to a small window, CSS pixels. */
const NARROW = [280, 320, 768, 1024] as const;

/** Captions of tables that are wider than the card they are in; a chart's own has no caption. */
const CUT_TABLES = `[...document.querySelectorAll('table:has(caption)')]
  .filter(({ parentElement: card }) => card.scrollWidth > card.clientWidth)
  .map(({ caption }) => caption.textContent)`;

/**
 * What does not fit on narrow screens, one line each: a width with how far the page lies beside
 * it, or with a table that is cut off. The page has its own width again afterwards.
 */
export async function misfitsOf(page: Page): Promise<readonly string[]> {
  const before = page.viewportSize();
  const found: string[] = [];
  for (const width of NARROW) {
    await page.setViewportSize({ width, height: 800 });
    const beside = await sidewaysPixels(page);
    if (beside > 0) found.push(`${width}: ${beside} pixels of the page`);
    const cut = await page.evaluate<readonly string[]>(CUT_TABLES);
    found.push(...cut.map((caption) => `${width}: ${caption}`));
  }
  if (before !== null) await page.setViewportSize(before);
  return found;
}

/** Waits until nothing of a page says that it is loading. */
export async function untilLoaded(page: Page): Promise<void> {
  await page.locator('[aria-busy=true]').first().waitFor({ state: 'detached' });
}
