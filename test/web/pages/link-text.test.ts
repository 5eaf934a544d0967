import { expect, it } from 'vitest';
import { linkText } from '../../../src/web/pages/markets/link-text.ts';

it('a link to a market has no hash for its name while the market is read', () => {
  const hash = `0x${'a1'.repeat(32)}`;
  const data = { question: 'By June?', eventTitle: 'Rain' };
  expect(linkText({ data: undefined, isLoading: true }, hash)).toBe('a market');
  expect(linkText({ data, isLoading: false }, hash)).toBe('Rain: By June?');
  // it cannot be read
  expect(linkText({ data: undefined, isLoading: false }, hash)).toBe('0xa1a1…a1a1');
});
