import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { FillRecord } from '../../src/domain/fill.ts';
import { asId, type AgentId, type TradeId, type UserId } from '../../src/domain/ids.ts';
import {
  fillEntry,
  payoutEntry,
  payoutMicros,
  reverseEntry,
  settleEntry,
} from '../../src/domain/ledger-entries.ts';
import {
  foldFill,
  foldFills,
  foldGone,
  foldMove,
  foldPartPayout,
  foldPayout,
  foldRedeeming,
  foldResolution,
} from '../../src/domain/position-fold.ts';
import type { PositionRecord } from '../../src/domain/position.ts';
import { shareMicros, usdcMicros } from '../../src/domain/units.ts';
import { aFill, MARKET_TERMS, TOKENS, USER } from '../support/worlds/money-records.ts';
import { ReplayedLedger } from '../support/checks/replayed-ledger.ts';

const TERMS = { market: MARKET_TERMS, agentId: 'btc_5min' as AgentId };
const fill = (
  side: 'buy' | 'sell',
  shares: number,
  usdc: number,
  fee = 0,
  matchedAtMs = 1_000,
): FillRecord =>
  aFill({
    side,
    shares: shareMicros(shares),
    usdc: usdcMicros(usdc),
    fee: usdcMicros(fee),
    matchedAtMs,
  });
const after = (...fills: FillRecord[]): PositionRecord => {
  const position = foldFills(fills, TERMS);
  if (position === null) throw new Error('no fills');
  return position;
};
const moneyOf = ({ shares, costUsdc, realizedPnl, feesUsdc, state }: PositionRecord) => ({
  shares,
  costUsdc,
  realizedPnl,
  feesUsdc,
  state,
});

const won = foldResolution(after(fill('buy', 10_000_000, 9_500_000)), 10_000);

describe('a position that won', () => {
  it.each([
    ['is redeemed by giving all of it for a dollar a share', 10_000_000, 'redeemed', 500_000],
    ['is closed by a sale that is reported late', 9_700_000, 'closed', 200_000],
  ])('%s', (_what, usdc, state, realizedPnl) => {
    const ended = foldFill(won, fill('sell', 10_000_000, usdc), TERMS);
    expect([ended.state, ended.realizedPnl, ended.shares]).toEqual([state, realizedPnl, 0]);
  });
});

it.each([
  [
    'a purchase reported late, whatever it cost',
    foldFill(won, fill('sell', 15_000_000, 14_000_000), TERMS),
    fill('buy', 5_000_000, 5_000_000),
    'closed',
  ],
  [
    'a sale for a dollar a share of what has not won',
    after(fill('buy', 10_000_000, 9_500_000)),
    fill('sell', 10_000_000, 10_000_000),
    'closed',
  ],
  [
    'giving all of it while it is being redeemed',
    foldRedeeming(won, true),
    fill('sell', 10_000_000, 10_000_000),
    'redeemed',
  ],
])('%s leaves nothing: %#', (_what, position, last, state) => {
  expect(foldFill(position, last, TERMS)).toMatchObject({ state, shares: 0 });
});

describe('a redemption', () => {
  it('marks what is being redeemed, until it is given up for now', () => {
    const redeeming = foldRedeeming(won, true);
    expect(redeeming).toEqual({ ...won, state: 'redeeming' });
    expect(foldRedeeming(redeeming, true)).toBe(redeeming);
    expect(foldRedeeming(redeeming, false)).toEqual(won);
    expect(foldResolution(redeeming, 10_000)).toBe(redeeming);
  });

  it('marks nothing that is over', () => {
    const paid = foldPayout(won, 10_000_000, 9_000);
    expect([foldRedeeming(paid, true), foldResolution(paid, 10_000)]).toEqual([paid, paid]);
  });

  it('pays for part of the shares, which take their part of the cost with them', () => {
    const part = foldPartPayout(won, { shares: 4_000_000, usdc: 4_000_000 }, 9_000);
    expect(part).toEqual({
      ...won,
      shares: 6_000_000,
      costUsdc: 5_700_000,
      realizedPnl: 200_000,
    });
    expect(foldPartPayout(foldRedeeming(won, true), { shares: 1, usdc: 1 }, 9_000).state).toBe(
      'resolved',
    );
    expect(foldPartPayout(part, { shares: 6_000_000, usdc: 6_000_000 }, 9_000)).toEqual(
      foldPayout(part, 6_000_000, 9_000),
    );
  });

  it.each([0, -1, 10_000_001])('pays for no %i of 10 000 000 shares', (shares) => {
    expect(() => foldPartPayout(won, { shares, usdc: 1 }, 9_000)).toThrow('at most the 10000000');
  });

  it('waits for the purchase of what was sold before', () => {
    expect(() => foldPayout(after(fill('sell', 4, 400)), 0, 9_000)).toThrow('every purchase');
  });
});

describe('shares that came or went outside this service', () => {
  const move = (position: PositionRecord | null, shares: number, atMs = 5_000) =>
    foldMove(
      position,
      {
        userId: USER,
        cashAccount: 'usdc:safe',
        marketId: asId('0xm'),
        tokenId: TOKENS[0],
        outcome: 0,
        shares,
        atMs,
      },
      MARKET_TERMS,
    );
  const bought = after(fill('buy', 10, 5_000, 7));

  it('cost nothing where they came, and no agent opened them', () => {
    const came = move(null, 6);
    expect(came).toMatchObject({ agentId: null, openedAtMs: 5_000, closedAtMs: null });
    expect([moneyOf(came), came.isMoved]).toEqual([
      { shares: 6, costUsdc: 0, realizedPnl: 0, feesUsdc: 0, state: 'open' },
      true,
    ]);
    expect(move(bought, 6)).toEqual({ ...bought, shares: 16, isMoved: true });
  });

  it('take their part of the cost with them where they went, which is lost', () => {
    expect(move(bought, -3)).toEqual({
      ...bought,
      shares: 7,
      costUsdc: 3_504,
      realizedPnl: -1_503,
      isMoved: true,
    });
  });

  it('end a position of which none is left, and open it anew when some come back', () => {
    const gone = move(bought, -10);
    expect([moneyOf(gone), gone.closedAtMs]).toEqual([
      { shares: 0, costUsdc: 0, realizedPnl: -5_007, feesUsdc: 7, state: 'removed' },
      5_000,
    ]);
    expect(move(gone, 4, 6_000)).toEqual({
      ...gone,
      state: 'open',
      shares: 4,
      openedAtMs: 6_000,
      closedAtMs: null,
    });
  });

  it('are never more than there were', () => {
    expect(() => move(bought, -11)).toThrow('held what went: 10');
    expect(() => move(null, -1)).toThrow('held what went: 0');
  });

  it('are a loss where all of them were gone when they should have been redeemed', () => {
    expect(foldGone(won, 9_000)).toEqual({
      ...won,
      state: 'removed',
      shares: 0,
      costUsdc: 0,
      realizedPnl: -9_500_000,
      closedAtMs: 9_000,
    });
    expect(() => foldGone(foldGone(won, 9_000), 9_000)).toThrow('before they were gone');
  });
});

describe('a position', () => {
  it('opens with its first fill, the fee being part of its cost', () => {
    expect(foldFill(null, aFill(), TERMS)).toEqual({
      userId: USER,
      cashAccount: 'usdc:safe',
      marketId: '0xm',
      tokenId: TOKENS[0],
      outcome: 0,
      question: 'Bitcoin up or down?',
      outcomeLabel: 'Up',
      agentId: 'btc_5min',
      state: 'open',
      shares: 10_000_000,
      costUsdc: 5_175_000,
      realizedPnl: 0,
      feesUsdc: 175_000,
      openedAtMs: 1_000,
      endsAtMs: 300_000,
      closedAtMs: null,
    });
  });

  it('realises a sale against the average cost, the fee included', () => {
    const position = after(
      fill('buy', 10, 5_000),
      fill('buy', 10, 7_000),
      fill('sell', 5, 4_000, 10),
    );
    expect(moneyOf(position)).toEqual({
      shares: 15,
      costUsdc: 9_000,
      realizedPnl: 990,
      feesUsdc: 10,
      state: 'open',
    });
  });

  it('closes when the last share is sold, and opens anew with the next purchase', () => {
    const closed = after(fill('buy', 10, 5_000), fill('sell', 10, 6_000, 0, 2_000));
    expect([moneyOf(closed), closed.closedAtMs]).toEqual([
      { shares: 0, costUsdc: 0, realizedPnl: 1_000, feesUsdc: 0, state: 'closed' },
      2_000,
    ]);
    const again = foldFill(closed, fill('buy', 10, 2_000, 0, 3_000), TERMS);
    expect(moneyOf(again)).toEqual({
      shares: 10,
      costUsdc: 2_000,
      realizedPnl: 1_000,
      feesUsdc: 0,
      state: 'open',
    });
    expect([again.openedAtMs, again.closedAtMs]).toEqual([3_000, null]);
  });

  it('rounds what stays down and realises the rest, so that nothing is lost', () => {
    const position = after(fill('buy', 3, 100), fill('sell', 1, 40));
    expect(moneyOf(position)).toMatchObject({ costUsdc: 66, realizedPnl: 6 });
  });

  it('takes a sale that is reported before its purchase', () => {
    expect(moneyOf(after(fill('sell', 4, 400)))).toMatchObject({
      shares: -4,
      costUsdc: 0,
      realizedPnl: 400,
    });
    expect(moneyOf(after(fill('sell', 4, 400), fill('buy', 10, 500)))).toMatchObject({
      shares: 6,
      costUsdc: 300,
      realizedPnl: 200,
    });
  });

  it('keeps its mark while it is being closed or waits for its payout', () => {
    const closing = { ...after(fill('buy', 10, 5_000)), state: 'closing' as const };
    expect(foldFill(closing, fill('sell', 4, 2_000), TERMS).state).toBe('closing');
    expect(foldFill({ ...closing, state: 'resolved' }, fill('buy', 1, 500), TERMS).state).toBe(
      'resolved',
    );
  });

  it('is resolved when its market pays it something, and redeemed when it has been paid', () => {
    const resolved = foldResolution(after(fill('buy', 10, 5_000)), 10_000);
    expect(resolved.state).toBe('resolved');
    const paid = foldPayout(resolved, 10_000, 9_000);
    expect([moneyOf(paid), paid.closedAtMs]).toEqual([
      { shares: 0, costUsdc: 0, realizedPnl: 5_000, feesUsdc: 0, state: 'redeemed' },
      9_000,
    ]);
  });

  it('is lost when its market pays it nothing', () => {
    const open = foldResolution(after(fill('buy', 10, 5_000, 7)), 0);
    expect(open.state).toBe('open');
    expect(moneyOf(foldPayout(open, 0, 9_000))).toEqual({
      shares: 0,
      costUsdc: 0,
      realizedPnl: -5_007,
      feesUsdc: 7,
      state: 'lost',
    });
  });

  it('stays closed when its market resolves after it was sold', () => {
    const closed = after(fill('buy', 10, 5_000), fill('sell', 10, 6_000));
    expect(foldPayout(foldResolution(closed, 10_000), 0, 9_000)).toEqual(closed);
  });

  it.each([{ tokenId: TOKENS[1] }, { userId: asId<UserId>('usr_b') }])(
    'takes no fill of another token or user: %o',
    (other) => {
      expect(() => foldFill(after(fill('buy', 1, 1)), aFill(other), TERMS)).toThrow(
        'its own position',
      );
    },
  );

  it('has no trade left once the last is reversed', () => {
    expect(foldFills([], TERMS)).toBeNull();
  });
});

const fills = fc
  .array(
    fc.record({
      side: fc.constantFrom('buy' as const, 'sell' as const),
      shares: fc.integer({ min: 1, max: 1e9 }),
      usdc: fc.integer({ min: 0, max: 1e9 }),
      fee: fc.integer({ min: 0, max: 1e7 }),
      isReversed: fc.boolean(),
    }),
    { minLength: 1, maxLength: 25 },
  )
  .map((parts) =>
    parts.map(({ side, shares, usdc, fee, isReversed }, index) => ({
      isReversed,
      fill: { ...fill(side, shares, usdc, fee, index), tradeId: asId<TradeId>(`t${index}`) },
    })),
  );

it('L4: reconciles with the ledger after every fill, reversal and payout: realised − open cost is the money that moved', () => {
  fc.assert(
    fc.property(fills, fc.constantFrom(0, 5_000, 10_000), (reported, payoutTicks) => {
      const ledger = new ReplayedLedger();
      const kept: FillRecord[] = [];
      let position: PositionRecord | null = null;
      const agree = () => {
        const usdc = ledger.balanceOf(USER, 'usdc:safe') ?? { provisional: 0, settled: 0 };
        const shares = ledger.balanceOf(USER, TOKENS[0]) ?? { provisional: 0, settled: 0 };
        expect((position?.realizedPnl ?? 0) - (position?.costUsdc ?? 0)).toBe(
          usdc.provisional + usdc.settled,
        );
        expect(position?.shares ?? 0).toBe(shares.provisional + shares.settled);
        const fees = ledger.balanceOf('fees', 'usdc:safe') ?? { provisional: 0, settled: 0 };
        expect(position?.feesUsdc ?? 0).toBe(fees.provisional + fees.settled);
      };
      for (const { fill: each, isReversed } of reported) {
        ledger.replay([fillEntry(each, 0)]);
        position = foldFill(position, each, TERMS);
        agree();
        ledger.replay([isReversed ? reverseEntry(each, 0) : settleEntry(each, 0)]);
        if (isReversed) position = foldFills(kept, TERMS);
        else kept.push(each);
        agree();
      }
      if (position === null || position.shares <= 0) return;
      const usdc = payoutMicros(position.shares, payoutTicks);
      ledger.replay([payoutEntry({ ...position, usdc, atMs: 0 })]);
      position = foldPayout(position, usdc, 0);
      agree();
      expect(position.shares).toBe(0);
    }),
  );
});

it('never puts more cost on what is left than was paid, nor less than nothing', () => {
  fc.assert(
    fc.property(fills, (reported) => {
      const position = after(...reported.map((each) => each.fill));
      const paid = reported.reduce(
        (total, { fill: each }) => total + (each.side === 'buy' ? each.usdc + each.fee : 0),
        0,
      );
      expect(position.costUsdc).toBeGreaterThanOrEqual(0);
      expect(position.costUsdc).toBeLessThanOrEqual(paid);
      if (position.shares <= 0) expect(position.costUsdc).toBe(0);
    }),
  );
});
