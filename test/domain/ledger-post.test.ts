import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { asId, type TradeId } from '../../src/domain/ids.ts';
import {
  bookHoldEntry,
  depositEntry,
  fillEntry,
  holdEntry,
  releaseHoldEntry,
  reverseEntry,
  settleEntry,
  takenBackEntry,
} from '../../src/domain/ledger-entries.ts';
import { assertBalanced, isFillFinal, postEntry } from '../../src/domain/ledger-post.ts';
import type { LedgerEntry } from '../../src/domain/ledger.ts';
import { shareMicros, usdcMicros } from '../../src/domain/units.ts';
import { aFill, TOKENS, USER } from '../support/worlds/money-records.ts';
import { imbalanceMicros } from '../support/checks/stored-accounts.ts';
import { ReplayedLedger } from '../support/checks/replayed-ledger.ts';

const DEPOSIT = depositEntry({
  userId: USER,
  cashAccount: 'usdc:safe',
  transferId: 'd1',
  usdc: usdcMicros(25_000_000),
  atMs: 0,
});
const HOLD = {
  userId: USER,
  holdId: 'h1',
  purpose: 'swap' as const,
  cashAccount: 'usdc:base' as const,
  usdc: usdcMicros(4_000_000),
};
const accountsOf = (ledger: ReplayedLedger) => [...ledger.accounts()];

describe('posting', () => {
  it('gives each account it changes once, with its new balance', () => {
    const ledger = new ReplayedLedger().replay([DEPOSIT]);
    expect(postEntry(fillEntry(aFill(), 1), ledger)).toEqual([
      {
        owner: USER,
        asset: 'usdc:safe',
        balance: { provisional: -5_175_000, settled: 25_000_000 },
      },
      { owner: 'venue', asset: 'usdc:safe', balance: { provisional: 5_000_000, settled: 0 } },
      { owner: 'fees', asset: 'usdc:safe', balance: { provisional: 175_000, settled: 0 } },
      { owner: 'venue', asset: TOKENS[0], balance: { provisional: -10_000_000, settled: 0 } },
      { owner: USER, asset: TOKENS[0], balance: { provisional: 10_000_000, settled: 0 } },
    ]);
  });

  it('L4: takes back what an entry made final, once, and only what is booked', () => {
    const back = takenBackEntry(bookHoldEntry(HOLD, 2), 3);
    const ledger = new ReplayedLedger().replay([
      depositEntry({ ...HOLD, transferId: 'd2', atMs: 0 }),
      holdEntry(HOLD, 1),
    ]);
    expect(() => postEntry(back, ledger)).toThrow('is booked before it is taken back');
    ledger.replay([bookHoldEntry(HOLD, 2), back]);
    expect(postEntry(back, ledger)).toBeNull();
    expect(accountsOf(ledger)).toContainEqual({
      owner: USER,
      asset: 'usdc:base',
      balance: { provisional: 0, settled: 4_000_000 },
    });
  });

  it('L4: books an entry once', () => {
    expect(postEntry(DEPOSIT, new ReplayedLedger().replay([DEPOSIT]))).toBeNull();
  });

  it('L3: moves a settled fill into the settled column and leaves nothing provisional', () => {
    const ledger = new ReplayedLedger().replay([
      DEPOSIT,
      fillEntry(aFill(), 1),
      settleEntry(aFill(), 2),
    ]);
    expect(ledger.balanceOf(USER, 'usdc:safe')).toEqual({ provisional: 0, settled: 19_825_000 });
    expect(ledger.balanceOf(USER, TOKENS[0])).toEqual({ provisional: 0, settled: 10_000_000 });
    expect(ledger.balanceOf('fees', 'usdc:safe')).toEqual({ provisional: 0, settled: 175_000 });
  });

  it('L3: leaves no trace of a reversed fill', () => {
    const ledger = new ReplayedLedger().replay([
      DEPOSIT,
      fillEntry(aFill(), 1),
      reverseEntry(aFill(), 2),
    ]);
    expect(ledger.balanceOf(USER, 'usdc:safe')).toEqual({ provisional: 0, settled: 25_000_000 });
    expect(ledger.balanceOf(USER, TOKENS[0])).toEqual({ provisional: 0, settled: 0 });
  });

  it.each([
    ['settles before it is booked', [settleEntry(aFill(), 2)]],
    [
      'is settled and then reversed',
      [fillEntry(aFill(), 1), settleEntry(aFill(), 2), reverseEntry(aFill(), 3)],
    ],
    [
      'is reversed and then settled',
      [fillEntry(aFill(), 1), reverseEntry(aFill(), 2), settleEntry(aFill(), 3)],
    ],
  ])('L3: stops at a fill that %s', (_, entries) => {
    expect(() => new ReplayedLedger().replay(entries)).toThrow('invariant broken');
  });

  it('keeps the accounts of one user apart', () => {
    const ledger = new ReplayedLedger().replay([
      DEPOSIT,
      holdEntry(HOLD, 1),
      bookHoldEntry(HOLD, 2),
    ]);
    expect([ledger.balanceOf(USER, 'usdc:safe'), ledger.balanceOf(USER, 'usdc:base')]).toEqual([
      { provisional: 0, settled: 25_000_000 },
      { provisional: 0, settled: -4_000_000 },
    ]);
  });

  it.each([
    ['is booked before it is made', [bookHoldEntry(HOLD, 2)]],
    [
      'is booked and then released',
      [holdEntry(HOLD, 1), bookHoldEntry(HOLD, 2), releaseHoldEntry(HOLD, 3)],
    ],
    [
      'is released and then booked',
      [holdEntry(HOLD, 1), releaseHoldEntry(HOLD, 2), bookHoldEntry(HOLD, 3)],
    ],
  ])('L3: stops at a hold that %s', (_, entries) => {
    expect(() => new ReplayedLedger().replay(entries)).toThrow('invariant broken');
  });

  it('says when a fill is final', () => {
    const ledger = new ReplayedLedger().replay([fillEntry(aFill(), 1)]);
    expect(isFillFinal('0xo1:t1', ledger)).toBe(false);
    expect(isFillFinal('0xo1:t1', ledger.replay([reverseEntry(aFill(), 1)]))).toBe(true);
  });

  it.each<[string, LedgerEntry['postings']]>([
    ['one-sided', [{ owner: USER, asset: 'usdc:safe', column: 'settled', micros: 1 }]],
    [
      'balanced over the columns only',
      [
        { owner: USER, asset: 'usdc:safe', column: 'settled', micros: 1 },
        { owner: 'venue', asset: 'usdc:safe', column: 'provisional', micros: -1 },
      ],
    ],
    [
      'balanced over the assets only',
      [
        { owner: USER, asset: 'usdc:safe', column: 'settled', micros: 1 },
        { owner: 'venue', asset: TOKENS[0], column: 'settled', micros: -1 },
      ],
    ],
    [
      'with a fraction',
      [
        { owner: USER, asset: 'usdc:safe', column: 'settled', micros: 0.5 },
        { owner: 'venue', asset: 'usdc:safe', column: 'settled', micros: -0.5 },
      ],
    ],
    [
      'with nothing to post',
      [
        { owner: USER, asset: 'usdc:safe', column: 'settled', micros: 0 },
        { owner: 'venue', asset: 'usdc:safe', column: 'settled', micros: 0 },
      ],
    ],
    ['empty', []],
  ])('L4: refuses an entry that is %s', (_, postings) => {
    expect(() => assertBalanced({ ...DEPOSIT, postings })).toThrow('invariant broken');
  });

  it('L4: says by how much an entry is off', () => {
    const posting = { owner: USER, asset: 'usdc:safe', column: 'settled' } as const;
    const postings = [
      { ...posting, micros: 5 },
      { ...posting, micros: -2 },
    ];
    expect(() => assertBalanced({ ...DEPOSIT, postings })).toThrow('off by 3');
  });

  it('refuses a balance beyond the safe integers', () => {
    const most = depositEntry({
      userId: USER,
      cashAccount: 'usdc:safe',
      transferId: 'd2',
      usdc: usdcMicros(Number.MAX_SAFE_INTEGER),
      atMs: 0,
    });
    expect(() => new ReplayedLedger().replay([DEPOSIT, most])).toThrow('safe integers');
  });
});

/**
 * Histories of up to 30 fills, each settled, reversed or left, reported in any order after the fill
 * and any number of times.
 */
const history = fc
  .array(
    fc.record({
      side: fc.constantFrom('buy' as const, 'sell' as const),
      token: fc.constantFrom(0 as const, 1 as const),
      shares: fc.integer({ min: 1, max: 1e12 }),
      usdc: fc.integer({ min: 0, max: 1e12 }),
      fee: fc.integer({ min: 0, max: 1e9 }),
      end: fc.constantFrom('settle' as const, 'reverse' as const, 'open' as const),
      isRepeated: fc.boolean(),
    }),
    { maxLength: 30 },
  )
  .map((fills) =>
    fills.flatMap(({ side, token, shares, usdc, fee, end, isRepeated }, index) => {
      const fill = aFill({
        tradeId: asId<TradeId>(`t${index}`),
        side,
        tokenId: TOKENS[token],
        outcome: token,
        shares: shareMicros(shares),
        usdc: usdcMicros(usdc),
        fee: usdcMicros(fee),
      });
      const entries = [fillEntry(fill, index)];
      if (end === 'settle') entries.push(settleEntry(fill, index));
      if (end === 'reverse') entries.push(reverseEntry(fill, index));
      return isRepeated ? [...entries, ...entries] : entries;
    }),
  );

it('L4: sums to zero over all accounts after every entry', () => {
  fc.assert(
    fc.property(history, (entries) => {
      const ledger = new ReplayedLedger();
      for (const entry of entries)
        expect(imbalanceMicros(ledger.replay([entry]).accounts())).toBe(0);
    }),
  );
});

it('L4: replaying the journal twice changes nothing', () => {
  fc.assert(
    fc.property(history, (entries) => {
      const once = accountsOf(new ReplayedLedger().replay(entries));
      expect(accountsOf(new ReplayedLedger().replay([...entries, ...entries]))).toEqual(once);
    }),
  );
});

it('L3: comes to the same final balances whatever was reported in between', () => {
  fc.assert(
    fc.property(history, (entries) => {
      const ledger = new ReplayedLedger().replay(entries);
      const reversed = new Set(
        entries
          .filter(({ kind }) => kind === 'reverse')
          .map(({ entryId }) => entryId.replace('reverse', 'fill')),
      );
      const kept = new ReplayedLedger().replay(
        entries.filter(({ kind, entryId }) => kind === 'fill' && !reversed.has(entryId)),
      );
      for (const { owner, asset } of ledger.accounts()) {
        const { provisional, settled } = ledger.balanceOf(owner, asset) ?? {
          provisional: 0,
          settled: 0,
        };
        expect(provisional + settled).toBe(kept.balanceOf(owner, asset)?.provisional ?? 0);
      }
    }),
  );
});

it('shows books that are off by their distance from zero', () => {
  const balance = { provisional: 3, settled: -1 };
  expect(
    imbalanceMicros([
      { owner: USER, asset: 'usdc:safe', balance },
      { owner: USER, asset: TOKENS[0], balance: { provisional: -5, settled: 0 } },
    ]),
  ).toBe(7);
});
