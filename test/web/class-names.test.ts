import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const WEB = fileURLToPath(new URL('../../src/web', import.meta.url));

it('every class that a page names is in its style sheet, so that no class is called undefined', () => {
  const missing = readdirSync(WEB, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.tsx'))
    .flatMap((path) => {
      const text = readFileSync(join(WEB, path), 'utf8');
      const sheet = /import styles from '([^']+)'/.exec(text)?.[1];
      if (sheet === undefined) return [];
      const css = readFileSync(join(WEB, dirname(path), sheet), 'utf8');
      return [...text.matchAll(/styles\['([\w-]+)'\]/g)]
        .map(([, name = '']) => name)
        .filter((name) => !new RegExp(`\\.${name}(?![\\w-])`).test(css))
        .map((name) => `${path}: ${name}`);
    });
  expect(missing).toEqual([]);
});
