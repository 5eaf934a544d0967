import { describe, expect, it } from 'vitest';
import { readRow } from '../../../src/venues/venue-d/parse.ts';

const NETWORKS = [
  {
    chainId: 56,
    name: 'BNB Smart Chain',
    tokens: [
      { symbol: 'USD1', address: '0x8d0D000Ee44948FC98c9B98A4FA4921476f08B0d', isDollar: true },
    ],
  },
];
/** As a live answer had it (venue_d.md section 5.1). */
const ROW = {
  marketId: 170145,
  marketTitle: 'Will A happen in 2026?',
  marketSlug: 'will-a-happen-in-2026',
  outcomeId: 0,
  outcomeTitle: 'Yes',
  networkId: 56,
  token: '0x8d0d000ee44948fc98c9b98a4fa4921476f08b0d',
  tokenId: null,
  shares: 8.23666644,
  price: 0.1214083400468503,
  value: 0.9823048396344001,
  profit: -0.017695160365599896,
  roi: -0.017695160365599896,
  winningsToClaim: false,
  winningsClaimed: false,
  voidedWinningsToClaim: false,
  voidedWinningsClaimed: false,
  status: 'ongoing',
  claimed: false,
  executionMode: 0,
  expiresAt: '2026-12-31 23:59:00',
};
const read = (parts: object = {}) => readRow({ ...ROW, ...parts }, NETWORKS);

describe('a row of a portfolio', () => {
  it('is read digit by digit: price is what was paid, value what it is worth now', () => {
    expect(read()).toEqual({
      state: 'open',
      isClaimable: false,
      marketId: '56:170145',
      outcomeId: '0',
      network: { chainId: 56, name: 'BNB Smart Chain' },
      mechanism: 'amm',
      question: 'Will A happen in 2026?',
      outcomeLabel: 'Yes',
      shareMicros: 8_236_666n,
      entryMicros: 121_408n,
      priceMicros: 119_260n,
      currency: { symbol: 'USD1', token: ROW.token, isDollar: true },
      costMicros: 999_999n,
      valueMicros: 982_304n,
      profitMicros: -17_695n,
      endsAtMs: Date.UTC(2026, 11, 31, 23, 59),
    });
  });

  it('is the same with numbers as text', () => {
    const { shares, price, value, profit } = ROW;
    const texts = Object.entries({ shares, price, value, profit }).map(([k, v]) => [k, String(v)]);
    expect(read(Object.fromEntries(texts))).toEqual(read());
  });

  it.each([
    ['ongoing', {}, { state: 'open', isClaimable: false }],
    ['won', { winningsToClaim: true }, { state: 'won', isClaimable: true }],
    ['won', {}, { state: 'won', isClaimable: false }],
    ['lost', {}, { state: 'lost', isClaimable: false }],
    ['voided', { voidedWinningsToClaim: true }, { state: 'voided', isClaimable: true }],
    ['voided', {}, { state: 'voided', isClaimable: false }],
  ])('that is %s with %j is shown as %j', (status, flags, shown) => {
    expect(read({ status, ...flags })).toMatchObject(shown);
  });

  it.each([
    ['claimed', {}],
    ['sold', {}],
    ['won', { claimed: true }],
    ['won', { winningsClaimed: true }],
    ['voided', { voidedWinningsClaimed: true }],
    ['ongoing', { shares: 0.0099, value: 0.001, profit: 0 }],
  ])('that is %s with %j is left out', (status, parts) => {
    expect(read({ status, ...parts })).toBeNull();
  });

  it.each([
    { status: 'frozen' },
    { shares: 'NaN' },
    { shares: -1 },
    { value: null },
    { value: -0.5 },
    { value: 9 }, // more than its shares can pay
    { profit: 1 }, // more than it is worth
    { profit: 'a lot' },
    { price: -0.1 },
    { token: 'USD1' },
    { marketId: '170145' },
    { executionMode: 2 },
  ])('with %j makes no sense', (parts) => {
    expect(read(parts)).toBe('unreadable');
  });

  it.each([null, [], 'row', {}])('that is %j makes no sense', (given) => {
    expect(readRow(given, NETWORKS)).toBe('unreadable');
  });

  it('in a token or on a network that is not known is in no dollars', () => {
    const other = `0x${'ab'.repeat(20)}`;
    expect(read({ token: other })).toMatchObject({
      currency: { symbol: null, token: other, isDollar: false },
    });
    expect(read({ networkId: 97 })).toMatchObject({
      network: { chainId: 97, name: null },
      currency: { symbol: null, isDollar: false },
    });
  });

  it('shows words of the venue without what hides in them, and a name where there are none', () => {
    expect(read({ marketTitle: 'Will\u202e A\nhappen?' })).toMatchObject({
      question: 'Will A happen?',
    });
    expect(read({ marketTitle: null, outcomeTitle: '' })).toMatchObject({
      question: ROW.marketSlug,
      outcomeLabel: 'outcome 0',
    });
    expect(read({ marketTitle: null, marketSlug: null })).toMatchObject({
      question: 'market 170145',
    });
  });

  it.each([
    ['2026-12-31T23:59:00.000Z', Date.UTC(2026, 11, 31, 23, 59)],
    ['2026-13-31 23:59:00', null],
    ['soon', null],
    [null, null],
  ])('that ends at %j ends at %j', (expiresAt, endsAtMs) => {
    expect(read({ expiresAt })).toMatchObject({ endsAtMs });
  });
});
