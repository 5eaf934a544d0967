import { expect, it } from 'vitest';
import { noMarketWords } from '../../../src/web/pages/markets/no-market-words.ts';

const ASKED = {
  search: '',
  state: 'active',
  venue: null,
  missing: [],
  isIncomplete: false,
} as const;

it.each([
  [{}, 'No open market is listed just now.'],
  [{ venue: 'venue_b' }, 'No open market is listed at venue b just now.'],
  [
    { search: 'rain' },
    'No open market has “rain” in it. Try a part of the question, or ended markets.',
  ],
  [
    { search: 'rain', venue: 'venue_b', state: 'closed' },
    'No ended market at venue b has “rain” in it. Try a part of the question, open markets or all venues.',
  ],
  [
    { venue: 'venue_c', state: 'closed', isIncomplete: true },
    'Venue c gives no list of its ended markets. What you held there is in your portfolio.',
  ],
  [{ search: 'rain', missing: ['venue_b'] }, 'Nothing to show: venue b does not answer just now.'],
] as const)('an empty list of %j says why: %s', (asked, said) => {
  expect(noMarketWords({ ...ASKED, ...asked })).toBe(said);
});
