import { describe, expect, it } from 'vitest';
import { asId, type MarketId } from '../../src/domain/ids.ts';
import {
  bookHoldEntry,
  departureEntry,
  depositEntry,
  fillEntry,
  holdEntry,
  payoutEntry,
  payoutMicros,
  releaseHoldEntry,
  reverseEntry,
  settleEntry,
  sharesArrivedEntry,
  sharesGoneEntry,
  sharesLeftEntry,
} from '../../src/domain/ledger-entries.ts';
import { assertBalanced } from '../../src/domain/ledger-post.ts';
import { shareMicros, usdcMicros } from '../../src/domain/units.ts';
import { aFill, TOKENS, USER } from '../support/worlds/money-records.ts';

const TRANSFER = {
  userId: USER,
  cashAccount: 'usdc:safe' as const,
  transferId: 'd1',
  usdc: usdcMicros(25_000_000),
  atMs: 5,
};
const PAYOUT = {
  userId: USER,
  cashAccount: 'usdc:safe' as const,
  marketId: asId<MarketId>('0xm'),
  tokenId: TOKENS[1],
  shares: shareMicros(9),
  usdc: usdcMicros(9),
  atMs: 3,
};
const HOLD = {
  userId: USER,
  holdId: 'h1',
  purpose: 'withdrawal' as const,
  cashAccount: 'usdc:solana' as const,
  usdc: usdcMicros(25_000_000),
};

describe('an entry', () => {
  it('books a deposit from outside, final at once', () => {
    expect(depositEntry(TRANSFER)).toEqual({
      entryId: 'deposit:usr_a:d1',
      kind: 'deposit',
      atMs: 5,
      postings: [
        { owner: 'outside', asset: 'usdc:safe', column: 'settled', micros: -25_000_000 },
        { owner: USER, asset: 'usdc:safe', column: 'settled', micros: 25_000_000 },
      ],
    });
  });

  it('books money that left by its owner, final at once', () => {
    expect(departureEntry(TRANSFER)).toEqual({
      entryId: 'departure:usr_a:d1',
      kind: 'departure',
      atMs: 5,
      postings: [
        { owner: USER, asset: 'usdc:safe', column: 'settled', micros: -25_000_000 },
        { owner: 'outside', asset: 'usdc:safe', column: 'settled', micros: 25_000_000 },
      ],
    });
  });

  it.each([
    [
      'gone by another hand',
      () => sharesGoneEntry(PAYOUT),
      'shares_gone',
      'shares_gone:0xm:usr_a:7002',
      -9,
    ],
    [
      'that left by their owner',
      () => sharesLeftEntry({ ...PAYOUT, transferId: 'x1' }),
      'shares_gone',
      'shares_left:usr_a:7002:x1',
      -9,
    ],
    [
      'that arrived',
      () => sharesArrivedEntry({ ...PAYOUT, transferId: 'x1' }),
      'shares_arrived',
      'shares_arrived:usr_a:7002:x1',
      9,
    ],
  ])('books shares %s, final at once and for no money', (_, make, kind, entryId, micros) => {
    const booked = make();
    assertBalanced(booked);
    const { postings, ...named } = booked;
    expect(named).toEqual({ entryId, kind, atMs: 3 });
    const asset = TOKENS[1];
    expect(postings).toHaveLength(2);
    expect(postings).toContainEqual({ owner: USER, asset, column: 'settled', micros });
    expect(postings).toContainEqual({
      owner: 'outside',
      asset,
      column: 'settled',
      micros: -micros,
    });
  });

  it('L3: holds money provisionally, in the account it lies in', () => {
    expect(holdEntry(HOLD, 5)).toEqual({
      entryId: 'hold:withdrawal:usr_a:h1',
      kind: 'hold',
      atMs: 5,
      postings: [
        { owner: USER, asset: 'usdc:solana', column: 'provisional', micros: -25_000_000 },
        { owner: 'outside', asset: 'usdc:solana', column: 'provisional', micros: 25_000_000 },
      ],
    });
  });

  it('L3: makes final, or gives back, exactly what was held', () => {
    const { postings } = holdEntry(HOLD, 5);
    expect(bookHoldEntry(HOLD, 6)).toEqual({
      entryId: 'hold_booked:withdrawal:usr_a:h1',
      kind: 'hold_booked',
      atMs: 6,
      postings: postings.flatMap((posting) => [
        { ...posting, micros: -posting.micros },
        { ...posting, column: 'settled' },
      ]),
    });
    expect(releaseHoldEntry(HOLD, 6)).toEqual({
      entryId: 'hold_released:withdrawal:usr_a:h1',
      kind: 'hold_released',
      atMs: 6,
      postings: postings.map((posting) => ({ ...posting, micros: -posting.micros })),
    });
  });

  it('L3: books a buy provisionally, its fee on top of the money', () => {
    expect(fillEntry(aFill(), 7)).toEqual({
      entryId: 'fill:0xo1:t1',
      kind: 'fill',
      atMs: 7,
      postings: [
        { owner: USER, asset: 'usdc:safe', column: 'provisional', micros: -5_000_000 },
        { owner: 'venue', asset: 'usdc:safe', column: 'provisional', micros: 5_000_000 },
        { owner: USER, asset: 'usdc:safe', column: 'provisional', micros: -175_000 },
        { owner: 'fees', asset: 'usdc:safe', column: 'provisional', micros: 175_000 },
        { owner: 'venue', asset: TOKENS[0], column: 'provisional', micros: -10_000_000 },
        { owner: USER, asset: TOKENS[0], column: 'provisional', micros: 10_000_000 },
      ],
    });
  });

  it('books a sale with the fee out of the proceeds, and no posting for no fee', () => {
    const sums = fillEntry(aFill({ side: 'sell', fee: usdcMicros(0) }), 7).postings.map(
      ({ owner, asset, micros }) => [owner, asset, micros],
    );
    expect(sums).toEqual([
      ['venue', 'usdc:safe', -5_000_000],
      [USER, 'usdc:safe', 5_000_000],
      [USER, TOKENS[0], -10_000_000],
      ['venue', TOKENS[0], 10_000_000],
    ]);
  });

  it('L3: settles exactly what the fill posted, from the provisional column into the settled one', () => {
    const { postings } = fillEntry(aFill(), 7);
    expect(settleEntry(aFill(), 8)).toEqual({
      entryId: 'settle:0xo1:t1',
      kind: 'settle',
      atMs: 8,
      postings: postings.flatMap((posting) => [
        { ...posting, micros: -posting.micros },
        { ...posting, column: 'settled' },
      ]),
    });
  });

  it('L3: reverses exactly what the fill posted', () => {
    const { postings } = fillEntry(aFill(), 7);
    expect(reverseEntry(aFill(), 8)).toEqual({
      entryId: 'reverse:0xo1:t1',
      kind: 'reverse',
      atMs: 8,
      postings: postings.map((posting) => ({ ...posting, micros: -posting.micros })),
    });
  });

  it('pays out: shares go back to the venue, money comes from it; a lost outcome only gives its shares', () => {
    const won = payoutEntry(PAYOUT);
    expect(won.entryId).toBe('payout:0xm:usr_a:7002');
    expect(
      won.postings.map(({ owner, asset, column, micros }) => [owner, asset, column, micros]),
    ).toEqual([
      [USER, TOKENS[1], 'settled', -9],
      ['venue', TOKENS[1], 'settled', 9],
      ['venue', 'usdc:safe', 'settled', -9],
      [USER, 'usdc:safe', 'settled', 9],
    ]);
    expect(payoutEntry({ ...PAYOUT, usdc: usdcMicros(0) }).postings).toHaveLength(2);
  });

  it('L4: balances, whatever its kind', () => {
    [
      depositEntry(TRANSFER),
      holdEntry(HOLD, 5),
      bookHoldEntry(HOLD, 6),
      releaseHoldEntry(HOLD, 6),
      fillEntry(aFill(), 1),
      settleEntry(aFill(), 1),
      reverseEntry(aFill({ side: 'sell' }), 1),
    ].forEach(assertBalanced);
  });

  it.each([0, -1])('refuses to move %d micros', (micros) => {
    const [usdc, shares] = [usdcMicros(micros), shareMicros(micros)];
    const moves = [
      () => depositEntry({ ...TRANSFER, usdc }),
      () => departureEntry({ ...TRANSFER, usdc }),
      () => holdEntry({ ...HOLD, usdc }, 5),
      () => fillEntry(aFill({ shares }), 1),
      () => payoutEntry({ ...PAYOUT, shares }),
      () => sharesGoneEntry({ ...PAYOUT, shares }),
      () => sharesArrivedEntry({ ...PAYOUT, shares, transferId: 'x1' }),
      () => sharesLeftEntry({ ...PAYOUT, shares, transferId: 'x1' }),
    ];
    for (const move of moves) expect(move).toThrow('above zero');
  });

  it('refuses money and fees below zero, and takes none', () => {
    const none = { usdc: usdcMicros(0), fee: usdcMicros(0), feeShares: shareMicros(0) };
    expect(fillEntry(aFill(none), 1).postings).toHaveLength(2);
    for (const name of ['usdc', 'fee', 'feeShares'] as const)
      expect(() => fillEntry(aFill({ [name]: -1 }), 1)).toThrow('invariant broken');
    expect(() => payoutEntry({ ...PAYOUT, usdc: usdcMicros(-1) })).toThrow('not below');
  });

  it('takes a fee in shares out of what was bought', () => {
    const { postings } = fillEntry(aFill({ fee: usdcMicros(0), feeShares: shareMicros(7) }), 1);
    expect(postings.slice(2)).toEqual([
      { owner: 'venue', asset: TOKENS[0], column: 'provisional', micros: -10_000_000 },
      { owner: USER, asset: TOKENS[0], column: 'provisional', micros: 10_000_000 },
      { owner: USER, asset: TOKENS[0], column: 'provisional', micros: -7 },
      { owner: 'fees', asset: TOKENS[0], column: 'provisional', micros: 7 },
    ]);
  });
});

describe('a payout', () => {
  it.each([
    [9_999_999, 10_000, 9_999_999],
    [9_999_999, 5_000, 4_999_999],
    [9_999_999, 0, 0],
    [1, 5_000, 0],
  ])('of %d micro-shares at %d ticks is %d micros, rounded down', (shares, ticks, usdc) => {
    expect(payoutMicros(shareMicros(shares), ticks)).toBe(usdc);
  });

  it.each([-1, 10_001, 0.5])('is refused at %s ticks', (ticks) => {
    expect(() => payoutMicros(shareMicros(1), ticks)).toThrow('payout');
  });
});
