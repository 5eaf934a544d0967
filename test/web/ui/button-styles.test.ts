import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

const SHEET = new URL('../../../src/web/ui/button.module.css', import.meta.url);

it('a button that can be pressed again is legible at once: its opacity fades in no time', () => {
  const transitions = [...readFileSync(SHEET, 'utf8').matchAll(/transition:([^;]*);/g)];
  expect(transitions).toHaveLength(1);
  expect(transitions[0]?.[1]).not.toMatch(/opacity|all/);
});
