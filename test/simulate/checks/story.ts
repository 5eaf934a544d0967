import type { AgentRecord, DecisionRecord } from '../../../src/domain/agent.ts';
import type { DomainEvent, JournalEntry } from '../../../src/domain/events.ts';
import type { FarmSettings } from '../../../src/domain/farming/settings.ts';
import {
  asId,
  type Address,
  type AttemptId,
  type DecisionId,
  type MarketId,
  type OrderId,
  type TradeId,
} from '../../../src/domain/ids.ts';
import {
  depositEntry,
  fillEntry,
  payoutEntry,
  settleEntry,
} from '../../../src/domain/ledger-entries.ts';
import type { NotificationFacts } from '../../../src/domain/notification.ts';
import type { OrderIntent } from '../../../src/domain/order.ts';
import { defaultSettings } from '../../../src/domain/settings.ts';
import { STRATEGIES } from '../../../src/domain/strategy/table.ts';
import { usdcMicros } from '../../../src/domain/units.ts';
import type { EngineTrade } from '../../../src/sandbox/engine/exchange-types.ts';
import { AGENT } from '../../../config/limits.ts';
import { aFill, anOrder, TOKENS, USER } from '../../support/worlds/money-records.ts';
import type { ExternalServices } from './journal-findings.ts';

/** What is checked: a journal and the words of those outside. */
export interface Story {
  readonly journal: readonly DomainEvent[];
  readonly outside: ExternalServices;
}

const MARKET = asId<MarketId>('0xm');
const BUY = asId<OrderId>('0xo1');
const FILL = aFill();
const at = { userId: USER, atMs: 1_000 };

/** The agent as its record is, enabled for real money unless stated. */
export function agentIs(
  part: Partial<AgentRecord> = {},
): Extract<DomainEvent, { readonly type: 'agent.changed' }> {
  const settings = defaultSettings({ agentId: 'btc_5min', rows: STRATEGIES.of('btc_5min') }, AGENT);
  return {
    type: 'agent.changed',
    ...at,
    agent: { userId: USER, agentId: 'btc_5min', enabled: true, settings, updatedAtMs: 0, ...part },
  };
}

/** The farming agent as its record is: one position, 20 USDC, sold a tenth below its price. */
export function farmerIs(part: Partial<FarmSettings> = {}): DomainEvent {
  const { settings } = agentIs().agent;
  const farming: FarmSettings = {
    maxOpenPositions: 1,
    maxTotalExposure: usdcMicros(20_000_000),
    stopLossPerMille: 100,
    ...part,
  };
  return agentIs({ agentId: 'venue_a_farming', settings: { ...settings, farming } });
}

/** The farming agent decided to sell at this best bid. */
export function farmerSells(decisionId: DecisionId, bidTicks: number): DomainEvent {
  const decision = {
    decisionId,
    agentId: 'venue_a_farming',
    inputs: [{ name: 'best bid', value: String(bidTicks), ageMs: 0, limitMs: 100 }],
    outcome: { kind: 'none' },
  };
  // The checks read no more of a decision than this.
  return { type: 'decision.made', ...at, decision: decision as unknown as DecisionRecord };
}

/** An order is made: an entry of the agent for 5 USDC unless stated. */
export function intended(part: Partial<OrderIntent> = {}): DomainEvent {
  const origin = {
    kind: 'agent',
    agentId: 'btc_5min',
    decisionId: asId<DecisionId>('dec_1'),
    purpose: 'entry',
  } as const;
  return { type: 'order.intended', ...at, intent: anOrder({ intent: { origin, ...part } }).intent };
}

/**
 * An agent decided for an order on an input of this age; on a price of at most 100 ms unless
 * stated.
 */
export function decided(ageMs: number | null, name = 'oracle price', limitMs = 100): DomainEvent {
  const decision = {
    decisionId: asId<DecisionId>('dec_1'),
    inputs: [{ name, value: '1', ageMs, limitMs }],
    outcome: { kind: 'order', intentId: asId('int_1') },
  };
  // The checks read no more of a decision than this.
  return { type: 'decision.made', ...at, decision: decision as unknown as DecisionRecord };
}

/** The user is notified. */
export function reported(
  number: number,
  facts: NotificationFacts,
): Extract<DomainEvent, { readonly type: 'notification.made' }> {
  return {
    type: 'notification.made',
    ...at,
    unread: number,
    notification: {
      userId: USER,
      number,
      atMs: at.atMs,
      facts,
      push: { waiting: 0, sent: 0, dropped: 0 },
    },
  };
}

const market = { marketId: MARKET, question: 'Bitcoin up or down?', outcomeLabel: 'Up' };
const tradeFacts: NotificationFacts = {
  kind: 'trade',
  agentId: 'btc_5min',
  purpose: 'entry',
  intentId: FILL.intentId,
  side: 'buy',
  shares: FILL.shares,
  usdc: FILL.usdc,
  fee: FILL.fee,
  ...market,
};
const wonFacts: NotificationFacts = {
  kind: 'position_redeemed',
  agentId: 'btc_5min',
  tokenId: TOKENS[0],
  realizedPnl: usdcMicros(4_825_000),
  ...market,
};
const payout = payoutEntry({
  userId: USER,
  cashAccount: 'usdc:safe',
  marketId: MARKET,
  tokenId: TOKENS[0],
  shares: FILL.shares,
  usdc: usdcMicros(10_000_000),
  atMs: 3_000,
});

/**
 * The facts of the clean story by name, in order: a deposit, one entry of an agent that fills and
 * settles, its market's end, the win.
 */
export const FACTS = {
  deposit: {
    type: 'ledger.posted',
    ...at,
    entry: depositEntry({
      userId: USER,
      cashAccount: 'usdc:safe',
      transferId: 'd',
      usdc: usdcMicros(100_000_000),
      atMs: 0,
    }),
  },
  depositNotified: reported(1, {
    kind: 'deposit_booked',
    cashAccount: 'usdc:safe',
    usdc: usdcMicros(100_000_000),
  }),
  agent: agentIs(),
  decision: decided(100),
  intended: intended(),
  signed: { type: 'order.signed', ...at, intentId: FILL.intentId, attemptId: asId<AttemptId>(BUY) },
  filled: { type: 'fill.recorded', ...at, fill: FILL },
  fillPosted: { type: 'ledger.posted', ...at, entry: fillEntry(FILL, 1_000) },
  tradeNotified: reported(2, tradeFacts),
  ended: {
    type: 'order.changed',
    ...at,
    intentId: FILL.intentId,
    from: 'signed',
    to: 'filled',
    reason: null,
  },
  settled: {
    type: 'fill.settled',
    ...at,
    tradeId: FILL.tradeId,
    orderId: BUY,
    transactionHash: '0x1',
  },
  settlePosted: { type: 'ledger.posted', ...at, entry: settleEntry(FILL, 2_000) },
  resolved: {
    type: 'market.resolved',
    atMs: 3_000,
    marketId: MARKET,
    resolution: { marketId: MARKET, payoutTicks: [10_000, 0], resolvedAtMs: 3_000 },
  },
  payoutPosted: { type: 'ledger.posted', ...at, entry: payout },
  wonNotified: reported(3, wonFacts),
} as const satisfies Readonly<Record<string, DomainEvent>>;

const trade: EngineTrade = {
  tradeId: asId<TradeId>('t1'),
  marketId: MARKET,
  takerOrderId: BUY,
  takerOwner: 'key',
  taker: asId('0x1'),
  tokenId: TOKENS[0],
  side: 'buy',
  shares: FILL.shares,
  price: anOrder().intent.price,
  fee: FILL.fee,
  makers: [],
  bucketIndex: 0,
  status: 'CONFIRMED',
  transactionHash: '0x1',
  matchedAtMs: 1_000,
  updatedAtMs: 2_000,
};
const activity = {
  account: asId<Address>('0x1'),
  sharesMicros: 0,
  marketId: null,
  tokenId: null,
  atMs: 0,
  transactionHash: '0x2',
};

/** The clean story. */
export const CLEAN: Story = {
  journal: Object.values(FACTS),
  outside: {
    operatorCaps: {
      orderUsdc: usdcMicros(5_000_000),
      exposureUsdc: usdcMicros(12_000_000),
      openPositions: 2,
      dailyLossUsdc: usdcMicros(12_000_000),
    },
    publishedAtMs: new Map(Array.from({ length: 30 }, (_, seq) => [seq, seq * 60_000])),
    unfitToFarm: new Set(['0xsports']),
    askedToCancel: new Set(),
    marketEndsAtMs: new Map([[MARKET, 3_000]]),
    moments: new Map([['dec_1', { aheadMs: 0, sinceSlowMs: 0, slowMs: 0 }]]),
    deliveries: [
      { endpoint: 'one', topic: 'ntf_2' },
      { endpoint: 'two', topic: 'ntf_2' },
    ],
    users: [
      {
        userId: USER,
        trades: [trade],
        activity: [
          { ...activity, kind: 'DEPOSIT', usdcMicros: 100_000_000 },
          { ...activity, kind: 'REDEEM', tokenId: TOKENS[0], usdcMicros: 10_000_000 },
        ],
        atVenue: new Map([['usdc:safe', 104_825_000]]),
        balances: new Map([
          ['usdc:safe', 104_825_000],
          [TOKENS[0], 0],
        ]),
      },
    ],
  },
};

/** The clean story with other facts behind one of its own. */
export function withMore(behind: keyof typeof FACTS, ...more: readonly DomainEvent[]): Story {
  return {
    ...CLEAN,
    journal: Object.entries(FACTS).flatMap(([name, fact]) =>
      name === behind ? [fact, ...more] : [fact],
    ),
  };
}

/** The clean story without some of its facts. */
export function without(...names: readonly (keyof typeof FACTS)[]): Story {
  return {
    ...CLEAN,
    journal: Object.entries(FACTS)
      .filter(([name]) => !(names as readonly string[]).includes(name))
      .map(([, fact]) => fact),
  };
}

/** The clean story with one fact in another's place. */
export function withOther(name: keyof typeof FACTS, other: DomainEvent): Story {
  return { ...CLEAN, journal: Object.entries({ ...FACTS, [name]: other }).map(([, fact]) => fact) };
}

/** The clean story with other words from outside. */
export function withExternal(part: Partial<ExternalServices>): Story {
  return { ...CLEAN, outside: { ...CLEAN.outside, ...part } };
}

/** Facts as the journal numbers them. */
export function numbered(facts: readonly DomainEvent[]): readonly JournalEntry[] {
  return facts.map((event, index) => ({ seq: index + 1, event }));
}
