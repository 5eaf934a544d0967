import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CASH_ACCOUNTS, type CashAccount, type Hold } from '../../src/domain/cash.ts';
import { AppError } from '../../src/domain/errors.ts';
import { takerFeeMicros } from '../../src/domain/fees.ts';
import type { FillRecord } from '../../src/domain/fill.ts';
import {
  asId,
  type IntentId,
  type TokenId,
  type TradeId,
  type UserId,
} from '../../src/domain/ids.ts';
import type { OrderRecord } from '../../src/domain/order.ts';
import { foldFill } from '../../src/domain/position-fold.ts';
import type { PositionRecord } from '../../src/domain/position.ts';
import { reserveFor, type RiskCaps } from '../../src/domain/reservation.ts';
import {
  availableShares,
  availableUsdc,
  cashRisk,
  deriveRisk,
  NO_RISK,
  openPositionCount,
  withFill,
  withHold,
  withOrder,
  withPosition,
  type RiskState,
} from '../../src/domain/risk.ts';
import { costMicros, priceTicks, shareMicros, usdcMicros } from '../../src/domain/units.ts';
import { venueARules } from '../../src/venues/venue-a/rules.ts';
import {
  aFill,
  anOrder,
  MARKET_TERMS,
  TOKENS,
  type OrderPart,
} from '../support/worlds/money-records.ts';
import { aMarket } from '../support/builders.ts';

const CRYPTO_FEE = { rateMicros: 70_000, exponent: 1, takerOnly: true };
const TERMS = { market: MARKET_TERMS, agentId: null };
const NOTHING = { usdc: usdcMicros(0), shares: shareMicros(0) };
const partlyFilled = (part: OrderPart = {}) =>
  anOrder({
    state: 'live',
    filledUsdc: usdcMicros(2_000_000),
    feesUsdc: usdcMicros(70_000),
    reserved: { ...NOTHING, usdc: usdcMicros(3_281_000) },
    ...part,
  });

describe('L5: what is set aside', () => {
  const open = anOrder({ state: 'live' });
  const state = withOrder(NO_RISK, null, open);
  const partly = partlyFilled();

  it('shrinks by what was filled', () => {
    expect(cashRisk(withOrder(state, open, partly), 'usdc:safe').reservedUsdc).toBe(3_281_000);
  });

  it('is given back when the order has ended', () => {
    expect(withOrder(state, open, anOrder({ state: 'cancelled', reserved: NOTHING }))).toEqual(
      NO_RISK,
    );
  });

  it.each<[string, Partial<OrderRecord>]>([
    ['an order of unknown status', { state: 'unknown', reserved: NOTHING }],
    [
      'an order whose fill was smaller',
      {
        state: 'live',
        filledUsdc: usdcMicros(1),
        reserved: { ...NOTHING, usdc: usdcMicros(5_350_998) },
      },
    ],
    [
      'an order that would set more aside',
      { state: 'live', reserved: { ...NOTHING, usdc: usdcMicros(5_351_001) } },
    ],
    ['an ended order that keeps something', { state: 'filled' }],
    ['another order', { intent: { ...open.intent, intentId: asId<IntentId>('int_2') } }],
  ])('is not given back by %s', (_, part) => {
    expect(() => withOrder(state, open, anOrder(part))).toThrow('invariant broken');
  });

  it('of a fill on its way is given back when it is final, once', () => {
    const settled = aFill({ settlement: 'settled' });
    const moved = withFill(withFill(NO_RISK, null, aFill()), aFill(), settled);
    expect(moved).toEqual(NO_RISK);
    expect(withFill(moved, settled, settled)).toEqual(NO_RISK);
  });

  it('is set aside in the account that pays, and in no other', () => {
    expect(
      CASH_ACCOUNTS.map((account) =>
        availableUsdc(withFill(state, null, aFill()), account, 20_000_000),
      ),
    ).toEqual([20_000_000 - 5_351_000 - 5_175_000, 20_000_000, 20_000_000]);
  });

  it('of a hold is given back when it ends, once', () => {
    const hold = { cashAccount: 'usdc:base' as const, usdc: usdcMicros(7) };
    const held = withHold(NO_RISK, hold, 'opened');
    expect([availableUsdc(held, 'usdc:base', 10), availableUsdc(held, 'usdc:safe', 10)]).toEqual([
      3, 10,
    ]);
    expect(withHold(held, hold, 'ended')).toEqual(NO_RISK);
    expect(() => withHold(NO_RISK, hold, 'ended')).toThrow('invariant broken');
  });
});

describe('what a token ties up', () => {
  const OPEN_SALE = {
    intent: { side: 'sell' as const },
    state: 'live' as const,
    reserved: { ...NOTHING, shares: shareMicros(9) },
    filledShares: shareMicros(5),
  };
  const aSale = (part: Partial<FillRecord> = {}) =>
    aFill({ side: 'sell', shares: shareMicros(10_000), releasedUsdc: usdcMicros(6), ...part });

  it('is no position while shares are only offered', () => {
    const state = withOrder(NO_RISK, null, anOrder(OPEN_SALE));
    expect([state.tokens[TOKENS[0]], openPositionCount(state)]).toEqual([
      { openBuys: 0, reservedShares: 9, outgoingShares: 0, heldShares: 0, costUsdc: 0 },
      0,
    ]);
  });

  it('leaves to be sold what is final and neither offered nor on its way', () => {
    const state = withFill(withOrder(NO_RISK, null, anOrder(OPEN_SALE)), null, aSale());
    const free = (settled: number) => availableShares(state, TOKENS[0], settled);
    expect([free(20_000), free(10_009), free(5)]).toEqual([9_991, 0, 0]);
  });

  it('is a position from the least that can be sold, held or on its way out', () => {
    const heldOf = (micros: number) =>
      withPosition(NO_RISK, {
        before: null,
        after: foldFill(null, aFill({ shares: shareMicros(micros) }), TERMS),
        atMs: 0,
      });
    const sold = withFill(NO_RISK, null, aSale());
    expect([heldOf(10_000), heldOf(9_999), sold].map(openPositionCount)).toEqual([1, 0, 1]);
  });

  it('of a fill is the cost of a sale that is not final, and of no other', () => {
    const tokensOf = (fill: FillRecord) => withFill(NO_RISK, null, fill).tokens;
    expect([
      tokensOf(aSale())[TOKENS[0]],
      tokensOf(aSale({ settlement: 'settled' })),
      tokensOf(aFill()),
    ]).toEqual([
      { openBuys: 0, reservedShares: 0, outgoingShares: 10_000, heldShares: 0, costUsdc: 6 },
      {},
      {},
    ]);
  });

  it('ends with its position, and begins with none', () => {
    const position = foldFill(null, aFill(), TERMS);
    const held = withPosition(NO_RISK, { before: null, after: position, atMs: 0 });
    expect(withPosition(held, { before: position, after: null, atMs: 0 }).tokens).toEqual({});
    expect(withPosition(held, { before: null, after: null, atMs: 0 })).toBe(held);
  });

  it.each<[string, () => unknown]>([
    [
      'a buy that had filled before and gives back more',
      () =>
        withOrder(
          withOrder(NO_RISK, null, partlyFilled()),
          partlyFilled(),
          partlyFilled({ reserved: { ...NOTHING, usdc: usdcMicros(3_280_999) } }),
        ),
    ],
    [
      'a sale that gives back shares it has not sold',
      () =>
        withOrder(
          withOrder(NO_RISK, null, anOrder(OPEN_SALE)),
          anOrder(OPEN_SALE),
          anOrder({ ...OPEN_SALE, reserved: { ...NOTHING, shares: shareMicros(8) } }),
        ),
    ],
    [
      'a sale that has ended and keeps shares',
      () => withOrder(NO_RISK, null, anOrder({ ...OPEN_SALE, state: 'cancelled' })),
    ],
    [
      'a buy that ends and was never counted',
      () =>
        withOrder(
          NO_RISK,
          anOrder({ reserved: NOTHING }),
          anOrder({ state: 'filled', reserved: NOTHING }),
        ),
    ],
    [
      'a sale that ends and was never counted',
      () =>
        withOrder(
          NO_RISK,
          anOrder(OPEN_SALE),
          anOrder({ ...OPEN_SALE, state: 'filled', reserved: NOTHING }),
        ),
    ],
    [
      'a sale that settles and was never counted',
      () => withFill(NO_RISK, aSale(), aSale({ settlement: 'settled' })),
    ],
    [
      'a buy whose money was never counted',
      () =>
        withOrder(
          { ...withOrder(NO_RISK, null, anOrder()), cash: {} },
          anOrder(),
          anOrder({ state: 'filled', reserved: NOTHING }),
        ),
    ],
  ])('stops at %s', (_, change) => {
    expect(change).toThrow('invariant broken');
  });
});

const steps = fc.array(
  fc.oneof(
    fc.record({
      kind: fc.constant('place' as const),
      side: fc.constantFrom('buy' as const, 'sell' as const),
      token: fc.integer({ min: 1, max: 4 }),
      micros: fc.integer({ min: 1, max: 12_000_000 }),
    }),
    fc.record({
      kind: fc.constant('fill' as const),
      pick: fc.nat(20),
      percent: fc.integer({ min: 0, max: 100 }),
      price: fc.integer({ min: 100, max: 9_900 }),
      isLast: fc.boolean(),
    }),
    fc.record({ kind: fc.constant('settle' as const) }),
    fc.record({
      kind: fc.constant('hold' as const),
      account: fc.constantFrom(...CASH_ACCOUNTS),
      micros: fc.integer({ min: 1, max: 30_000_000 }),
    }),
    fc.record({ kind: fc.constant('end' as const), isBooked: fc.boolean() }),
  ),
  { maxLength: 60, size: 'max' },
);

/** Which wallet pays for a token: two of four are paid from the first. */
function accountOf(token: TokenId): CashAccount {
  return CASH_ACCOUNTS[Math.max(0, Number(token) - 2)] ?? 'usdc:safe';
}

type Step = typeof steps extends fc.Arbitrary<readonly (infer One)[]> ? One : never;

function sum<T>(items: Iterable<T>, amountOf: (item: T) => number): number {
  return [...items].reduce((total, item) => total + amountOf(item), 0);
}

/**
 * One user's records, driven by random requests and answers; every change goes through the
 * functions under test.
 */
class Book {
  state: RiskState = NO_RISK;
  orders: OrderRecord[] = [];
  fills: FillRecord[] = [];
  readonly positions = new Map<TokenId, PositionRecord>();
  holds: Hold[] = [];
  readonly settledUsdc = new Map<CashAccount, number>(
    CASH_ACCOUNTS.map((account) => [account, 15_000_000]),
  );
  readonly settledShares = new Map<TokenId, number>();
  #names = 0;
  readonly caps: RiskCaps;

  constructor(caps: RiskCaps) {
    this.caps = caps;
  }

  /** What the records say, apart from the functions under test. */
  exposure(): number {
    return (
      sum(this.orders, ({ reserved }) => reserved.usdc) +
      sum(this.positions.values(), ({ costUsdc }) => costUsdc)
    );
  }

  realised(): number {
    return sum(this.positions.values(), ({ realizedPnl }) => realizedPnl);
  }

  tokensAtRisk(): number {
    const bought = this.orders
      .filter(({ state, intent }) => state === 'live' && intent.side === 'buy')
      .map(({ intent }) => intent.tokenId);
    const held = [...this.positions.values()]
      .filter(({ shares }) => Math.abs(shares) >= 10_000)
      .map(({ tokenId }) => tokenId);
    return new Set([...bought, ...held]).size;
  }

  promisedUsdc(account: CashAccount): number {
    const outgoing = this.fills.filter(
      ({ settlement, side, cashAccount }) =>
        settlement === 'provisional' && side === 'buy' && cashAccount === account,
    );
    const orders = this.orders.filter(({ intent }) => intent.cashAccount === account);
    return (
      sum(orders, ({ reserved }) => reserved.usdc) +
      sum(outgoing, ({ usdc, fee }) => usdc + fee) +
      sum(this.holds, ({ cashAccount, usdc }) => (cashAccount === account ? usdc : 0))
    );
  }

  available(account: CashAccount): number {
    return availableUsdc(this.state, account, this.settledUsdc.get(account) ?? 0);
  }

  promisedShares(wanted: TokenId): number {
    const outgoing = this.fills.filter(
      ({ settlement, side, tokenId }) =>
        settlement === 'provisional' && side === 'sell' && tokenId === wanted,
    );
    return (
      sum(
        this.orders.filter(({ intent }) => intent.tokenId === wanted),
        ({ reserved }) => reserved.shares,
      ) + sum(outgoing, ({ shares }) => shares)
    );
  }

  /** True when the step was an order that was let through. */
  take(step: Step): boolean {
    if (step.kind === 'place')
      return this.place(step.side, asId<TokenId>(String(step.token)), step.micros);
    if (step.kind === 'fill') this.fill(step.pick, step.percent, step.price, step.isLast);
    else if (step.kind === 'settle') this.settle();
    else if (step.kind === 'hold') this.hold(step.account, step.micros);
    else this.end(step.isBooked);
    return false;
  }

  place(side: 'buy' | 'sell', tokenId: TokenId, spendMicros: number): boolean {
    this.#names += 1;
    const intent = {
      ...anOrder().intent,
      intentId: asId<IntentId>(`int_${this.#names}`),
      cashAccount: accountOf(tokenId),
      side,
      tokenId,
      spendMicros,
    };
    try {
      const settledShares = this.settledShares.get(tokenId) ?? 0;
      const reserved = reserveFor(this.state, {
        order: intent,
        worstFee: venueARules.worstFee(
          aMarket(1, { fee: CRYPTO_FEE }),
          spendMicros,
          priceTicks(5_000),
        ),
        settledUsdc: this.settledUsdc.get(intent.cashAccount) ?? 0,
        settledShares,
        caps: this.caps,
        atMs: 0,
      });
      this.#setOrder(null, anOrder({ intent, state: 'live', reserved }));
      return true;
    } catch (error) {
      if (error instanceof AppError) return false;
      throw error;
    }
  }

  /** Fills a part of an open order, and ends the order when `isLast`. */
  fill(pick: number, percent: number, price: number, isLast: boolean): void {
    const live = this.orders.filter(({ state }) => state === 'live');
    const order = live[pick % Math.max(1, live.length)];
    if (order === undefined) return;
    this.#names += 1;
    const { side, tokenId } = order.intent;
    const left = side === 'buy' ? Math.floor(order.reserved.usdc / 1.08) : order.reserved.shares;
    const given = Math.floor((left * percent) / 100);
    const shares = shareMicros(side === 'buy' ? Math.floor((given * 10_000) / price) : given);
    const usdc = costMicros(shares, priceTicks(price), 'floor');
    const fee = takerFeeMicros(shares, priceTicks(price), CRYPTO_FEE);
    // Of orders of a few micros the rounding of the fee is more than the part that is kept for it;
    // no venue takes one.
    if (side === 'buy' && usdc + fee > order.reserved.usdc) return;
    if (shares > 0) {
      const fill = aFill({
        tradeId: asId<TradeId>(`t${this.#names}`),
        cashAccount: order.intent.cashAccount,
        tokenId,
        side,
        shares,
        usdc,
        fee,
      });
      this.fills.push(fill);
      this.state = withFill(this.state, null, fill);
      this.#setPosition(tokenId, foldFill(this.positions.get(tokenId) ?? null, fill, TERMS));
    }
    const spent =
      side === 'buy'
        ? { ...NOTHING, usdc: usdcMicros(order.reserved.usdc - usdc - fee) }
        : { ...NOTHING, shares: shareMicros(order.reserved.shares - shares) };
    this.#setOrder(order, {
      ...order,
      filledShares: shareMicros(order.filledShares + shares),
      filledUsdc: usdcMicros(order.filledUsdc + usdc),
      feesUsdc: usdcMicros(order.feesUsdc + fee),
      state: isLast ? 'filled' : 'live',
      reserved: isLast ? NOTHING : spent,
    });
  }

  /** Settles the oldest fill on its way. */
  settle(): void {
    const fill = this.fills.find(({ settlement }) => settlement === 'provisional');
    if (fill === undefined) return;
    const settled: FillRecord = { ...fill, settlement: 'settled' };
    this.fills = this.fills.map((each) => (each === fill ? settled : each));
    this.state = withFill(this.state, fill, settled);
    const sign = fill.side === 'buy' ? 1 : -1;
    this.#pay(fill.cashAccount, sign * fill.usdc + fill.fee);
    this.settledShares.set(
      fill.tokenId,
      (this.settledShares.get(fill.tokenId) ?? 0) + sign * fill.shares,
    );
  }

  hold(cashAccount: CashAccount, micros: number): void {
    if (micros > this.available(cashAccount)) return;
    this.#names += 1;
    const hold: Hold = {
      userId: asId<UserId>('usr_a'),
      holdId: `h${this.#names}`,
      purpose: 'bridge',
      cashAccount,
      usdc: usdcMicros(micros),
    };
    this.holds.push(hold);
    this.state = withHold(this.state, hold, 'opened');
  }

  /** Ends the oldest hold. */
  end(isBooked: boolean): void {
    const hold = this.holds.shift();
    if (hold === undefined) return;
    this.state = withHold(this.state, hold, 'ended');
    if (isBooked) this.#pay(hold.cashAccount, hold.usdc);
  }

  #pay(account: CashAccount, micros: number): void {
    this.settledUsdc.set(account, (this.settledUsdc.get(account) ?? 0) - micros);
  }

  #setOrder(before: OrderRecord | null, after: OrderRecord): void {
    this.state = withOrder(this.state, before, after);
    this.orders = [...this.orders.filter((each) => each !== before), after];
  }

  #setPosition(tokenId: TokenId, after: PositionRecord): void {
    this.state = withPosition(this.state, {
      before: this.positions.get(tokenId) ?? null,
      after,
      atMs: 0,
    });
    this.positions.set(tokenId, after);
  }
}

const CAPS = {
  orderUsdc: usdcMicros(8_000_000),
  exposureUsdc: usdcMicros(20_000_000),
  openPositions: 3,
  dailyLossUsdc: usdcMicros(15_000_000),
};

it('L5: no order of requests, fills and settlements overshoots a cap over all accounts by one micro', () => {
  fc.assert(
    fc.property(steps, (reported) => {
      const book = new Book(CAPS);
      for (const step of reported) {
        if (book.take(step) && step.kind === 'place' && step.side === 'buy') {
          expect(book.exposure()).toBeLessThanOrEqual(CAPS.exposureUsdc);
          expect(book.tokensAtRisk()).toBeLessThanOrEqual(CAPS.openPositions);
        }
        // Should everything held or being bought become worthless, the day's loss stays within its
        // cap.
        expect(book.exposure() - book.realised()).toBeLessThanOrEqual(CAPS.dailyLossUsdc);
      }
    }),
    { numRuns: 300 },
  );
});

it('L5: nothing is promised twice: what an account sets aside and has on its way out is there, finally, and no other account pays', () => {
  fc.assert(
    fc.property(steps, (reported) => {
      const book = new Book({});
      for (const step of reported) {
        const before = CASH_ACCOUNTS.map((account) => book.available(account));
        book.take(step);
        const spent = CASH_ACCOUNTS.filter(
          (account, at) => book.available(account) < (before[at] ?? 0),
        );
        if (step.kind === 'place')
          expect([[], [accountOf(asId<TokenId>(String(step.token)))]]).toContainEqual(spent);
        for (const account of CASH_ACCOUNTS)
          expect(book.promisedUsdc(account)).toBeLessThanOrEqual(
            book.settledUsdc.get(account) ?? 0,
          );
        for (const tokenId of book.positions.keys()) {
          expect(book.promisedShares(tokenId)).toBeLessThanOrEqual(
            book.settledShares.get(tokenId) ?? 0,
          );
        }
      }
    }),
    { numRuns: 300 },
  );
});

it('L9: is derived anew from the records as it stood', () => {
  fc.assert(
    fc.property(steps, (reported) => {
      const book = new Book({});
      reported.forEach((step) => book.take(step));
      expect(
        deriveRisk({
          orders: book.orders,
          fills: book.fills,
          positions: book.positions.values(),
          holds: book.holds,
          today: { day: book.state.day, realisedUsdc: book.state.realisedUsdc },
        }),
      ).toEqual(book.state);
    }),
  );
});
