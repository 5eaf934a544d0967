import { expect, it } from 'vitest';
import { marketsAgainMs } from '../../../src/web/pages/markets/markets-again.ts';

it('a list of markets is read again while a venue did not answer for any of its pages', () => {
  const away = { missing: [{ venue: 'venue_c' }] };
  expect(marketsAgainMs([away])).toBe(5_000);
  expect(marketsAgainMs([away, { missing: [] }])).toBe(5_000);
  expect([marketsAgainMs(undefined), marketsAgainMs([{ missing: [] }])]).toEqual([false, false]);
});
