import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

/** What `npm test` has built; tests that compile nothing may find none. */
const BUILT = fileURLToPath(new URL('../../dist/web', import.meta.url));

describe.skipIf(!existsSync(BUILT))('the first paint', () => {
  const page = existsSync(BUILT) ? readFileSync(join(BUILT, 'index.html'), 'utf8') : '';

  it('waits for no style and for no script, and has words and a way on in the document', () => {
    expect(page).not.toMatch(/rel="stylesheet"|<style/);
    const scripts = [...page.matchAll(/<script[^>]*>/g)].map(([tag]) => tag);
    expect(scripts.filter((tag) => !tag.includes('type="module"'))).toEqual([]);
    expect(page).toMatch(/<div id="app">\s*<p class="starting">Loading\. If this stays, <a/);
  });

  it('asks for the app and its styles at once, by hints', () => {
    const hinted = (rel: string) =>
      [...page.matchAll(new RegExp(`<link rel="${rel}"[^>]*href="(/assets/[^"]+)"`, 'g'))].map(
        ([, path = '']) => path,
      );
    expect(hinted('modulepreload').some((path) => path.includes('/main-'))).toBe(true);
    expect(hinted('preload').filter((path) => path.endsWith('.css'))).not.toEqual([]);
  });

  it('leaves the order of the layers to no chunk: each file of styles states it first', () => {
    const styles = readdirSync(join(BUILT, 'assets')).filter((name) => name.endsWith('.css'));
    const others = styles.filter(
      (name) =>
        !readFileSync(join(BUILT, 'assets', name), 'utf8').startsWith(
          '@layer reset, tokens, base, components, pages;',
        ),
    );
    expect([styles.length > 3, others]).toEqual([true, []]);
  });
});
