import { describe, expect, it } from 'vitest';
import { isOpen } from '../../../src/web/pages/markets/is-open.ts';

const NOW_MS = 1_000_000;
const OPEN = {
  venue: 'venue_b',
  closed: false,
  acceptingOrders: true,
  resolution: null,
  endsAtMs: NOW_MS + 1,
  window: null,
} as const;

describe('a market in the list of open ones', () => {
  it.each([
    ['it takes orders before its end', {}, true],
    ['its end is not stated', { endsAtMs: null }, true],
    ['its end has come', { endsAtMs: NOW_MS }, false],
    ['it is closed', { closed: true }, false],
    ['it takes no orders', { acceptingOrders: false }, false],
    ['it has a result', { resolution: { label: 'Yes' } }, false],
    ['its venue trades it until the result', { venue: 'venue_a', endsAtMs: NOW_MS }, true],
    ['its round is over', { venue: 'venue_a', window: { endsAtMs: NOW_MS } }, false],
  ])('where %s: %j', (_why, part, open) => {
    expect(isOpen({ ...OPEN, ...part }, NOW_MS)).toBe(open);
  });
});
