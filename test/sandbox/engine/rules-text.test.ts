import { expect, it } from 'vitest';
import { furtherRules } from '../../../src/sandbox/engine/rules-text.ts';

it('rules of markets are as long as recorded ones: 542 characters at the median, 1,876 at most', () => {
  const names = Array.from({ length: 500 }, (_, index) => `market-${index}-of-many`);
  const lengths = names.map((name) => furtherRules(name).length).sort((a, b) => a - b);
  expect(lengths[250]).toBeGreaterThan(350);
  expect(lengths[250]).toBeLessThan(600);
  expect(lengths.at(-1)).toBeGreaterThan(1_600);
  expect(lengths.at(-1)).toBeLessThan(1_876);
  expect(furtherRules('market-1')).toBe(furtherRules('market-1'));
});
