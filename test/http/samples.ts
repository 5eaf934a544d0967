import { AGENT_PROFILES } from '../../src/domain/agent.ts';
import {
  asId,
  type Address,
  type AgentId,
  type DecisionId,
  type IntentId,
  type MarketId,
  type TokenId,
  type UserId,
} from '../../src/domain/ids.ts';
import type { Market } from '../../src/domain/market.ts';
import type { MarketListing } from '../../src/domain/market-listing.ts';
import type { OrderRecord } from '../../src/domain/order.ts';
import { priceTicks, shareMicros, usdcMicros } from '../../src/domain/units.ts';
import type { BookView } from '../../src/domain/book.ts';
import type { AgentPerformance, AgentView } from '../../src/services/agents/agent-views.ts';
import type { OrderEstimate } from '../../src/services/orders/estimate.ts';
import type { PlaceOrder } from '../../src/services/orders/place-order.ts';
import type { Holding } from '../../src/services/portfolio/portfolio.ts';
import type { MarketEvent, WhaleTrade } from '../../src/ports/catalogue.ts';
import { aMarketListing } from '../support/builders.ts';
import { anAttempt } from '../support/attempts.ts';
import { basisOf } from '../../src/domain/decision-basis.ts';
import type { DecisionView, RecordedDecision } from '../../src/services/execution/receipts-list.ts';
import { VENUE_A } from '../support/venue-ids.ts';

export const MARKET_ID = asId<MarketId>(`0x${'ab'.repeat(32)}`);
export const TOKEN_ID = asId<TokenId>('1234567890');

export function aMarket(): Market {
  return {
    venue: VENUE_A,
    marketId: MARKET_ID,
    listingId: '501',
    eventId: '77',
    slug: 'btc-updown-5m-1800000000',
    question: 'BTC Up or Down?',
    outcomes: [
      { tokenId: TOKEN_ID, label: 'Up' },
      { tokenId: asId<TokenId>('987'), label: 'Down' },
    ],
    // as venue_c keeps it: its routes read it
    own: {
      tradeType: 'clob',
      conditionId: `0x${'11'.repeat(32)}`,
      exchange: `0x${'22'.repeat(20)}`,
      adapter: null,
      negRiskRequestId: null,
    },
    tickSize: priceTicks(100),
    minSize: shareMicros(5_000_000),
    fee: { rateMicros: 70_000, exponent: 1, takerOnly: true },
    takerDelay: false,
    acceptingOrders: true,
    closed: false,
    window: {
      asset: 'BTC',
      minutes: 5,
      startsAtMs: 1_800_000_000_000,
      endsAtMs: 1_800_000_300_000,
      strike: null,
      twap: false,
    },
    endsAtMs: 1_800_000_300_000,
    volumeUsd: 1_234.5,
    liquidityUsd: 99,
  };
}

export function aListing(): MarketListing {
  return aMarketListing(aMarket(), {
    eventSlug: 'btc-updown-5m-1800000000',
    eventTitle: 'BTC Up or Down',
    series: { seriesId: '7', slug: 'btc-up-or-down-5m', title: 'BTC Up or Down 5m' },
    tags: [{ slug: 'crypto', label: 'Crypto' }],
    description: 'Up if it ends at or above where it began.',
    opensAtMs: 1_799_913_600_000,
    volume24hUsd: 1_234.5,
    prices: {
      bid: priceTicks(4_600),
      ask: priceTicks(4_800),
      last: priceTicks(4_700),
      probabilityE5: 47_000,
      statedAtMs: 1_800_000_000_000,
    },
  });
}

export const EVENT: MarketEvent = {
  eventId: '77',
  slug: 'btc-updown-5m-1800000000',
  title: 'BTC Up or Down',
  description: '',
  series: { seriesId: '7', slug: 'btc-up-or-down-5m', title: 'BTC Up or Down 5m' },
  tags: [],
  imageUrl: null,
  iconUrl: null,
  startsAtMs: 1_800_000_000_000,
  endsAtMs: 1_800_000_300_000,
  closed: false,
  volumeUsd: 1_234.5,
  volume24hUsd: null,
  liquidityUsd: 99,
  markets: [aListing()],
};

export const WHALE: WhaleTrade = {
  transactionHash: `0x${'11'.repeat(32)}`,
  trader: asId<Address>(`0x${'22'.repeat(20)}`),
  marketId: MARKET_ID,
  tokenId: TOKEN_ID,
  title: 'BTC Up or Down',
  slug: 'btc-updown-5m-1800000000',
  eventSlug: null,
  outcome: 'Up',
  outcomeIndex: 0,
  side: 'buy',
  shares: shareMicros(50_000_000_000),
  price: priceTicks(4_700),
  usdc: usdcMicros(23_500_000_000),
  atMs: 1_800_000_000_000,
};

/** What placing an order would do: a part at once, the rest to rest; but buying is stopped. */
export function anEstimate(userId: UserId, request: PlaceOrder): OrderEstimate {
  const { intent } = anOrderRecord(userId, 1, request);
  return {
    intent,
    market: aMarket(),
    shares: shareMicros(8_000_000),
    usdc: usdcMicros(3_840_000),
    restingShares: shareMicros(2_000_000),
    fee: usdcMicros(100_000),
    feeShares: shareMicros(0),
    worstFee: usdcMicros(180_000),
    networkCost: usdcMicros(4_100),
    gas: {
      chain: 'BASE',
      amount: 1_200_000_000_000n,
      needed: 25_000_000_000_000n,
      held: 40_000_000_000_000_000n,
      lacking: null,
    },
    setsAside: { usdc: usdcMicros(5_180_000), shares: shareMicros(0) },
    room: {
      usdc: usdcMicros(40_000_000),
      shares: shareMicros(0),
      orderUsdc: 5_000_000_000,
      exposureUsdc: 24_000_000_000,
      dailyLossUsdc: null,
      openPositions: 499,
    },
    keyDayUsdc: null,
    refusal: {
      code: 'trading_stopped',
      message: 'buying is stopped for everybody',
      isRetryable: false,
    },
    book: {
      ageMs: 120,
      isTrusted: true,
      bid: { price: priceTicks(4_700), size: shareMicros(1_000_000) },
      ask: null,
    },
  };
}

/** The record of an order that rests at the venue. */
export function anOrderRecord(userId: UserId, number: number, request: PlaceOrder): OrderRecord {
  const price = request.type.kind === 'limit' ? request.type.price : priceTicks(5_000);
  return {
    intent: {
      intentId: asId<IntentId>(`int_${String(number).padStart(26, '0')}`),
      userId,
      venue: request.venue,
      cashAccount: 'usdc:safe',
      origin: request.origin,
      marketId: request.marketId,
      tokenId: TOKEN_ID,
      outcome: request.outcome,
      side: request.side,
      life: request.type.kind === 'limit' ? 'rests' : 'all_now',
      price,
      spendMicros: request.amount.micros,
      receiveMicros: request.amount.micros * 2,
      exact: request.type.kind === 'limit' ? 'receive' : 'spend',
      createdAtMs: 1_800_000_000_000,
      expiresAtMs:
        request.type.kind === 'limit' ? (request.type.expiresAtMs ?? 1_800_086_400_000) : null,
      sendUntilMs: 1_800_000_005_000,
      requested: request.amount,
      ...(request.type.kind === 'limit' && request.type.cents !== undefined
        ? { requestedCents: request.type.cents }
        : {}),
      ...(request.clientOrderId === undefined ? {} : { clientOrderId: request.clientOrderId }),
    },
    attempts: [
      anAttempt(`0x${String(number).padStart(64, '0')}`, { lastSentAtMs: 1_800_000_000_000 }),
    ],
    state: 'live',
    reason: null,
    filledShares: shareMicros(0),
    filledUsdc: usdcMicros(0),
    feesUsdc: usdcMicros(0),
    matchedShares: null,
    reserved: { usdc: usdcMicros(request.amount.micros), shares: shareMicros(0) },
    cancelWanted: false,
    ending: null,
    updatedAtMs: 1_800_000_000_000,
  };
}

export function HOLDING(userId: UserId): Holding {
  return {
    position: {
      userId,
      cashAccount: 'usdc:safe',
      marketId: MARKET_ID,
      tokenId: TOKEN_ID,
      outcome: 0,
      question: 'BTC Up or Down?',
      outcomeLabel: 'Up',
      agentId: 'btc_5min',
      state: 'open',
      shares: shareMicros(10_000_000),
      costUsdc: usdcMicros(4_700_000),
      realizedPnl: usdcMicros(-250_000),
      feesUsdc: usdcMicros(20_000),
      openedAtMs: 1_800_000_000_000,
      endsAtMs: 1_800_000_300_000,
      closedAtMs: null,
    },
    settledShares: shareMicros(10_000_000),
    provisionalShares: shareMicros(0),
    reservedShares: shareMicros(0),
    availableShares: shareMicros(10_000_000),
    resolution: null,
    redeemable: false,
  };
}

export function agentView(agentId: AgentId, enabled: boolean): AgentView {
  return {
    profile: AGENT_PROFILES[agentId],
    strategies: ['up_down'],
    rules: [{ strategy: 'up_down', rule: 'Buys what is predicted.' }],
    enabled,
    mode: 'live',
    activity: enabled ? 'watching' : 'disabled',
    degraded: [],
    onStop: 'cancel_only',
    unwind: null,
    missing: enabled ? [] : [{ path: '/strategy', message: 'not chosen' }],
    updatedAtMs: null,
    settings: {
      minPositionSize: '1',
      avgPositionSize: '5',
      maxPositionSize: '5',
      strategy: 'up_down',
      notifyOnTrade: true,
    },
  };
}

export function DECISION(userId: UserId): DecisionView {
  return {
    order: null,
    realizedPnl: null,
    place: { seq: 7, hash: 'ab'.repeat(32), previousHash: 'cd'.repeat(32) },
    decision: {
      decisionId: asId<DecisionId>('dec_1'),
      userId,
      agentId: 'btc_5min',
      marketId: MARKET_ID,
      strategy: 'up_down',
      atMs: 1_800_000_000_000,
      inputs: [{ name: 'oracle', value: '97000.5', ageMs: 120, limitMs: 5_000 }],
      decision: {
        verdict: 'skip',
        outcome: null,
        criteria: [{ name: 'signal', value: '0.61', threshold: '0.70', passed: false }],
        reason: 'The signal is weak.',
      },
      amountUsdc: null,
      outcome: { kind: 'none' },
    },
  };
}

export const PERFORMANCE: AgentPerformance = {
  trades: 4,
  filledTrades: 3,
  fillRateMicros: 750_000,
  wins: 2,
  losses: 1,
  winRateMicros: 666_666,
  realizedPnl: usdcMicros(1_250_000),
  drawdownUsdc: usdcMicros(750_000),
  unrealizedPnl: usdcMicros(-10_000),
  unpricedPositions: 0,
  openPositions: 1,
  exposureUsdc: usdcMicros(5_000_000),
  feesUsdc: usdcMicros(70_000),
};

/** A book with one level a side. */
export function aBook(fields: Partial<BookView> = {}): BookView {
  return {
    tokenId: TOKEN_ID,
    marketId: MARKET_ID,
    epoch: 1,
    seq: 1,
    bids: [{ price: priceTicks(4_700), size: shareMicros(100_000_000) }],
    asks: [{ price: priceTicks(4_800), size: shareMicros(50_000_000) }],
    venueAtMs: 1_800_000_000_000,
    receivedAtMs: 1_800_000_000_000,
    distrust: null,
    ...fields,
  };
}

/** A recorded decision under this id, with what it was decided by. */
export function recordedDecision(userId: UserId, decisionId: DecisionId): RecordedDecision {
  const view = DECISION(userId);
  const basis = basisOf({
    kind: 'stop_loss',
    held: 0,
    entry: { usdc: 5_000_000, shares: 5_200_000 },
    lossPerMille: 100,
    looks: [],
    atMs: 1_800_000_000_000,
  });
  const decision = { ...view.decision, decisionId, basis };
  return { ...view, decision, text: JSON.stringify({ type: 'decision.made', decision }) };
}
