import { describe, expect, it } from 'vitest';
import type { FillRecord } from '../../src/domain/fill.ts';
import { asId, type TokenId } from '../../src/domain/ids.ts';
import { foldFill, foldPayout } from '../../src/domain/position-fold.ts';
import type { PositionRecord } from '../../src/domain/position.ts';
import {
  reserveFor,
  roomFor,
  tightestCaps,
  type RiskCaps,
  type RiskRequest,
} from '../../src/domain/reservation.ts';
import {
  availableShares,
  availableUsdc,
  lostUsdc,
  realizedOn,
  NO_RISK,
  openPositionCount,
  withFill,
  withOrder,
  withPosition,
} from '../../src/domain/risk.ts';
import { shareMicros, usdcMicros } from '../../src/domain/units.ts';
import { aFill, anOrder, MARKET_TERMS, TOKENS } from '../support/worlds/money-records.ts';

const DAY_MS = 86_400_000;

const aRequest = (part: Partial<RiskRequest> = {}): RiskRequest => ({
  order: { side: 'buy', cashAccount: 'usdc:safe', tokenId: TOKENS[0], spendMicros: 5_000_000 },
  worstFee: usdcMicros(0),
  settledUsdc: 100_000_000,
  settledShares: 0,
  caps: {},
  atMs: 0,
  ...part,
});
const aSell = (shares: number): RiskRequest['order'] => ({
  side: 'sell',
  cashAccount: 'usdc:safe',
  tokenId: TOKENS[0],
  spendMicros: shares,
});
const aPosition = (part: Partial<FillRecord> = {}): PositionRecord =>
  foldFill(null, aFill({ fee: usdcMicros(0), ...part }), { market: MARKET_TERMS, agentId: null });
const codeOf = (run: () => unknown): unknown => {
  try {
    return run();
  } catch (error) {
    return (error as { code?: string }).code ?? error;
  }
};

describe('a reservation', () => {
  it('of a buy is its money and the largest fee it can meet', () => {
    expect(reserveFor(NO_RISK, aRequest({ worstFee: usdcMicros(351_000) }))).toEqual({
      usdc: 5_351_000,
      shares: 0,
    });
    expect(reserveFor(NO_RISK, aRequest())).toEqual({ usdc: 5_000_000, shares: 0 });
  });

  it('of a sell is its shares', () => {
    expect(reserveFor(NO_RISK, aRequest({ order: aSell(7), settledShares: 7 }))).toEqual({
      usdc: 0,
      shares: 7,
    });
  });

  it('takes the last micro of the funds, and not one more', () => {
    expect(reserveFor(NO_RISK, aRequest({ settledUsdc: 5_000_000 })).usdc).toBe(5_000_000);
    expect(codeOf(() => reserveFor(NO_RISK, aRequest({ settledUsdc: 4_999_999 })))).toBe(
      'insufficient_funds',
    );
    expect(codeOf(() => reserveFor(NO_RISK, aRequest({ order: aSell(8), settledShares: 7 })))).toBe(
      'insufficient_shares',
    );
  });

  it('sees what other orders set aside and fills on their way take out', () => {
    const bought = withFill(
      withOrder(NO_RISK, null, anOrder()),
      null,
      aFill({ tokenId: TOKENS[1] }),
    );
    expect(availableUsdc(bought, 'usdc:safe', 20_000_000)).toBe(20_000_000 - 5_351_000 - 5_175_000);
    const sold = withFill(NO_RISK, null, aFill({ side: 'sell', shares: shareMicros(4) }));
    expect(availableShares(sold, TOKENS[0], 10)).toBe(6);
    expect(availableUsdc(sold, 'usdc:safe', 20)).toBe(20);
    expect(availableUsdc(bought, 'usdc:safe', 1)).toBe(0);
  });
});

describe('L5: a cap', () => {
  const holding = withPosition(withOrder(NO_RISK, null, anOrder()), {
    before: null,
    after: aPosition({ tokenId: TOKENS[1] }),
    atMs: 0,
  });

  it.each<[string, keyof RiskCaps, number]>([
    ['one order', 'orderUsdc', 5_000_000],
    [
      'exposure, positions at cost and open buys included',
      'exposureUsdc',
      5_351_000 + 5_000_000 + 5_000_000,
    ],
    [
      'daily loss, all that is at risk included',
      'dailyLossUsdc',
      5_351_000 + 5_000_000 + 5_000_000,
    ],
  ])('on %s holds to the micro', (_, name, limit) => {
    expect(reserveFor(holding, aRequest({ caps: { [name]: usdcMicros(limit) } })).usdc).toBe(
      5_000_000,
    );
    expect(
      codeOf(() => reserveFor(holding, aRequest({ caps: { [name]: usdcMicros(limit - 1) } }))),
    ).toBe('cap_exceeded');
  });

  it('on open positions counts tokens held or being bought, once each', () => {
    expect(openPositionCount(holding)).toBe(2);
    expect(reserveFor(holding, aRequest({ caps: { openPositions: 2 } })).usdc).toBe(5_000_000);
    const elsewhere = { ...aRequest().order, tokenId: asId<TokenId>('7003') };
    expect(
      codeOf(() => reserveFor(holding, aRequest({ order: elsewhere, caps: { openPositions: 2 } }))),
    ).toBe('cap_exceeded');
  });

  it('on daily loss counts what the UTC day has lost, profits against losses, and forgets it at midnight', () => {
    const lost = foldPayout(aPosition(), 0, DAY_MS - 1);
    const state = withPosition(
      withPosition(NO_RISK, { before: null, after: aPosition(), atMs: 0 }),
      { before: aPosition(), after: lost, atMs: DAY_MS - 1 },
    );
    expect(state).toEqual({ tokens: {}, cash: {}, day: 0, realisedUsdc: -5_000_000 });
    const caps = { dailyLossUsdc: usdcMicros(9_999_999) };
    expect(codeOf(() => reserveFor(state, aRequest({ caps, atMs: DAY_MS - 1 })))).toBe(
      'cap_exceeded',
    );
    expect(reserveFor(state, aRequest({ caps, atMs: DAY_MS })).usdc).toBe(5_000_000);
    const won = foldPayout(aPosition({ tokenId: TOKENS[1] }), 10_000_000, 5);
    expect(
      withPosition(state, {
        before: aPosition({ tokenId: TOKENS[1] }),
        after: won,
        atMs: DAY_MS - 1,
      }).realisedUsdc,
    ).toBe(0);
  });

  it('on daily loss binds an order drafted before midnight by the new day once that has begun', () => {
    const before = withPosition(NO_RISK, { before: null, after: aPosition(), atMs: 0 });
    const state = withPosition(before, {
      before: aPosition(),
      after: foldPayout(aPosition(), 0, DAY_MS),
      atMs: DAY_MS,
    });
    expect(lostUsdc(state, DAY_MS - 1)).toBe(5_000_000);
    expect(
      codeOf(() =>
        reserveFor(
          state,
          aRequest({ caps: { dailyLossUsdc: usdcMicros(9_999_999) }, atMs: DAY_MS - 1 }),
        ),
      ),
    ).toBe('cap_exceeded');
  });

  it('on daily loss counts a loss for the day it is booked on, and the cost of what is held over midnight until then', () => {
    const held = withPosition(NO_RISK, { before: null, after: aPosition(), atMs: DAY_MS - 1 });
    const caps = { dailyLossUsdc: usdcMicros(9_999_999) };
    expect(codeOf(() => reserveFor(held, aRequest({ caps, atMs: DAY_MS })))).toBe('cap_exceeded');
    const booked = withPosition(held, {
      before: aPosition(),
      after: foldPayout(aPosition(), 0, DAY_MS - 1),
      atMs: DAY_MS + 5,
    });
    expect([lostUsdc(booked, DAY_MS + 5), lostUsdc(booked, 2 * DAY_MS)]).toEqual([5_000_000, 0]);
    expect([realizedOn(booked, DAY_MS + 5), realizedOn(booked, 2 * DAY_MS)]).toEqual([
      -5_000_000, 0,
    ]);
    expect(codeOf(() => reserveFor(booked, aRequest({ caps, atMs: DAY_MS + 6 })))).toBe(
      'cap_exceeded',
    );
  });

  it('on daily loss makes no room today by taking back a loss of yesterday, and counts a profit that is taken back', () => {
    const lost = {
      ...aPosition(),
      shares: shareMicros(0),
      costUsdc: usdcMicros(0),
      realizedPnl: usdcMicros(-5_000_000),
    };
    const change = { before: lost, after: aPosition(), atMs: DAY_MS };
    const yesterday = withPosition(
      withPosition(NO_RISK, { before: null, after: aPosition(), atMs: 0 }),
      { before: aPosition(), after: lost, atMs: 1 },
    );
    expect(withPosition(yesterday, { ...change, takesBackFromMs: 1 }).realisedUsdc).toBe(0);
    expect(withPosition(yesterday, { ...change, atMs: 2, takesBackFromMs: 1 }).realisedUsdc).toBe(
      0,
    );
    const won = { ...lost, realizedPnl: usdcMicros(5_000_000) };
    expect(
      withPosition(NO_RISK, { before: won, after: aPosition(), atMs: DAY_MS, takesBackFromMs: 1 })
        .realisedUsdc,
    ).toBe(-5_000_000);
  });

  it('over a part binds beside those over all', () => {
    const part = {
      whose: 'agent btc_5min',
      state: NO_RISK,
      caps: { exposureUsdc: usdcMicros(5_000_000) },
    };
    expect(reserveFor(holding, aRequest({ part })).usdc).toBe(5_000_000);
    expect(
      codeOf(() =>
        reserveFor(
          holding,
          aRequest({ part: { ...part, caps: { exposureUsdc: usdcMicros(4_999_999) } } }),
        ),
      ),
    ).toBe('cap_exceeded');
    expect(
      codeOf(() =>
        reserveFor(holding, aRequest({ part, caps: { exposureUsdc: usdcMicros(5_000_000) } })),
      ),
    ).toBe('cap_exceeded');
  });

  it('is the tightest of those given, and none where none is given', () => {
    const many: RiskCaps = {
      orderUsdc: usdcMicros(5),
      openPositions: 3,
      dailyLossUsdc: usdcMicros(7),
    };
    expect(tightestCaps({}, many, { orderUsdc: usdcMicros(0), openPositions: 4 })).toEqual({
      orderUsdc: 0,
      openPositions: 3,
      dailyLossUsdc: 7,
    });
    expect(tightestCaps({}, {})).toEqual({});
  });

  it('never stops a sale, which takes risk away', () => {
    const caps: RiskCaps = {
      orderUsdc: usdcMicros(0),
      exposureUsdc: usdcMicros(0),
      openPositions: 0,
      dailyLossUsdc: usdcMicros(0),
    };
    expect(reserveFor(holding, aRequest({ order: aSell(5), settledShares: 5, caps })).shares).toBe(
      5,
    );
  });
});

describe('a refusal', () => {
  const AMOUNT = '/amount';
  const caps = { orderUsdc: usdcMicros(4_000_000) };
  const part = { whose: 'agent btc_5min', state: NO_RISK };

  it.each<[string, RiskRequest, string, string, string]>([
    [
      'an order beyond its cap',
      aRequest({ caps }),
      'the order would come to 5 USDC, the cap is 4',
      AMOUNT,
      'the order may come to 4 USDC',
    ],
    [
      "an order beyond its agent's cap",
      aRequest({ part: { ...part, caps } }),
      'the order of agent btc_5min would come to 5 USDC, the cap is 4',
      AMOUNT,
      'the order of agent btc_5min may come to 4 USDC',
    ],
    [
      'one position too many',
      aRequest({ caps: { openPositions: 0 } }),
      '1 open positions would exceed the cap of 0',
      '/marketId',
      'only one of those held',
    ],
    [
      'more than the account has',
      aRequest({ settledUsdc: 3 }),
      '5 USDC wanted, fee included, 0.000003 available',
      AMOUNT,
      'at most 0.000003 USDC, fee included',
    ],
    [
      'more than is held',
      aRequest({ order: aSell(2_000_000), settledShares: 1_500_000 }),
      '2 shares wanted, 1.5 available',
      AMOUNT,
      'at most 1.5 shares',
    ],
  ])('of %s says how much would do, and which field', (_, request, text, path, message) => {
    expect(() => reserveFor(NO_RISK, request)).toThrow(
      expect.objectContaining({
        message: expect.stringContaining(text),
        fields: [{ path, message }],
      }),
    );
  });
});

it('leaves the room that balances and caps leave, none of it below zero', () => {
  const state = withPosition(withOrder(NO_RISK, null, anOrder()), {
    before: null,
    after: aPosition({ tokenId: TOKENS[1] }),
    atMs: 0,
  });
  const wide = {
    orderUsdc: usdcMicros(7),
    exposureUsdc: usdcMicros(10_351_001),
    dailyLossUsdc: usdcMicros(10_351_002),
    openPositions: 5,
  };
  const request = aRequest({ settledUsdc: 5_351_004, settledShares: 9, caps: wide });
  expect(roomFor(state, request)).toEqual({
    usdc: 4,
    shares: 9,
    orderUsdc: 7,
    exposureUsdc: 1,
    dailyLossUsdc: 2,
    openPositions: 3,
  });
  const tight = { exposureUsdc: usdcMicros(1), openPositions: 1 };
  expect(roomFor(state, { ...request, caps: tight })).toMatchObject({
    orderUsdc: null,
    exposureUsdc: 0,
    dailyLossUsdc: null,
    openPositions: 0,
  });
});
