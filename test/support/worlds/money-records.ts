import type { FillRecord } from '../../../src/domain/fill.ts';
import {
  asId,
  type IntentId,
  type MarketId,
  type OrderId,
  type TokenId,
  type TradeId,
  type UserId,
} from '../../../src/domain/ids.ts';
import type { Market } from '../../../src/domain/market.ts';
import type { OrderRecord } from '../../../src/domain/order.ts';
import { priceTicks, shareMicros, usdcMicros } from '../../../src/domain/units.ts';
import { anAttempt } from '../attempts.ts';
import { VENUE_A } from '../venue-ids.ts';

/** A user who trades in the tests of ledger, positions and risk. */
export const USER = asId<UserId>('usr_a');

/** The Up and the Down token of the one market of these tests. */
export const TOKENS = [asId<TokenId>('7001'), asId<TokenId>('7002')] as const;

/** What those tests need of their market. */
export const MARKET_TERMS: Pick<Market, 'question' | 'outcomes' | 'endsAtMs'> = {
  question: 'Bitcoin up or down?',
  outcomes: [
    { tokenId: TOKENS[0], label: 'Up' },
    { tokenId: TOKENS[1], label: 'Down' },
  ],
  endsAtMs: 300_000,
};

/** A fill of 10 shares bought at 0.50 with a fee of 0.175, provisional. */
export function aFill(part: Partial<FillRecord> = {}): FillRecord {
  return {
    userId: USER,
    cashAccount: 'usdc:safe',
    intentId: asId<IntentId>('int_1'),
    orderId: asId<OrderId>('0xo1'),
    tradeId: asId<TradeId>('t1'),
    marketId: asId<MarketId>('0xm'),
    tokenId: TOKENS[0],
    outcome: 0,
    side: 'buy',
    role: 'taker',
    shares: shareMicros(10_000_000),
    usdc: usdcMicros(5_000_000),
    fee: usdcMicros(175_000),
    settlement: 'provisional',
    word: 'matched',
    transactionHash: null,
    matchedAtMs: 1_000,
    recordedAtMs: 1_001,
    ...part,
  };
}

/** What a test says of an order; the rest is an intended buy on the Up token. */
export type OrderPart = Partial<Omit<OrderRecord, 'intent'>> & {
  readonly intent?: Partial<OrderRecord['intent']>;
};

/** An intended buy for 5 USDC that sets aside 5.351. */
export function anOrder({ intent = {}, ...part }: OrderPart = {}): OrderRecord {
  return {
    intent: {
      intentId: asId<IntentId>('int_1'),
      userId: USER,
      venue: VENUE_A,
      cashAccount: 'usdc:safe',
      origin: { kind: 'manual' },
      marketId: asId<MarketId>('0xm'),
      tokenId: TOKENS[0],
      outcome: 0,
      side: 'buy',
      life: 'all_now',
      price: priceTicks(5_000),
      spendMicros: 5_000_000,
      receiveMicros: 10_000_000,
      exact: 'spend',
      createdAtMs: 0,
      expiresAtMs: null,
      sendUntilMs: 5_000,
      ...intent,
    },
    attempts: [anAttempt('0xo1')],
    state: 'intended',
    reason: null,
    filledShares: shareMicros(0),
    filledUsdc: usdcMicros(0),
    feesUsdc: usdcMicros(0),
    matchedShares: null,
    ending: null,
    reserved: { usdc: usdcMicros(5_351_000), shares: shareMicros(0) },
    cancelWanted: false,
    updatedAtMs: 0,
    ...part,
  };
}
