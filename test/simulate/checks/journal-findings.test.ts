import { describe, expect, it } from 'vitest';
import type { DomainEvent } from '../../../src/domain/events.ts';
import type { FillRecord } from '../../../src/domain/fill.ts';
import {
  asId,
  type DecisionId,
  type IntentId,
  type MarketId,
  type AttemptId,
  type OrderId,
  type TokenId,
  type TradeId,
} from '../../../src/domain/ids.ts';
import { depositEntry } from '../../../src/domain/ledger-entries.ts';
import { shareMicros, usdcMicros } from '../../../src/domain/units.ts';
import { aFill, TOKENS, USER } from '../../support/worlds/money-records.ts';
import { journalFindings } from './journal-findings.ts';
import {
  agentIs,
  CLEAN,
  decided,
  FACTS,
  farmerIs,
  farmerSells,
  intended,
  numbered,
  reported,
  without,
  withMore,
  withOther,
  withExternal,
  type Story,
} from './story.ts';

const SECOND = asId<IntentId>('int_2');
const at = { userId: USER, atMs: 1_500 };
const manual = { kind: 'manual' } as const;

function found({ journal, outside }: Story): Readonly<Record<string, readonly string[]>> {
  return Object.fromEntries(
    Object.entries(journalFindings(numbered(journal), outside)).filter(
      ([, words]) => words.length > 0,
    ),
  );
}

/** A manual order that is made, signed and refused: all that the checks of orders ask for. */
function refusedOrder(
  part: Parameters<typeof intended>[0],
  intentId = SECOND,
): readonly DomainEvent[] {
  return [
    intended({ intentId, origin: manual, ...part }),
    { type: 'order.signed', ...at, intentId, attemptId: asId<AttemptId>(`0x${intentId}`) },
    { type: 'order.changed', ...at, intentId, from: 'signed', to: 'rejected', reason: null },
  ];
}

/** The same, of an agent. */
function refusedEntry(part: Parameters<typeof intended>[0] = {}): readonly DomainEvent[] {
  return refusedOrder({
    origin: {
      kind: 'agent',
      agentId: 'btc_5min',
      decisionId: asId<DecisionId>('dec_2'),
      purpose: 'entry',
    },
    marketId: asId<MarketId>('0xother'),
    ...part,
  });
}

const { fill } = FACTS.filled;

const operator = (
  type: 'all_trading.stopped' | 'all_trading.resumed',
  reason = 'keep: test',
): DomainEvent => ({ type, atMs: 0, reason });
const user = (type: 'trading.stopped' | 'trading.resumed', reason = 'keep: test'): DomainEvent => ({
  type,
  ...at,
  by: 'operator',
  reason,
});
const agentOrigin = {
  kind: 'agent',
  agentId: 'btc_5min',
  decisionId: asId<DecisionId>('dec_2'),
  purpose: 'entry',
} as const;
const resting = (origin: typeof manual | typeof agentOrigin): DomainEvent =>
  intended({
    intentId: SECOND,
    origin,
    life: 'rests',
    marketId: asId<MarketId>('0xother'),
    spendMicros: 1_000_000,
  });
const ended: DomainEvent = {
  type: 'order.changed',
  ...at,
  intentId: SECOND,
  from: 'intended',
  to: 'cancelled',
  reason: null,
};
const woundUp = (policy: 'cancel_only' | 'close'): DomainEvent => ({
  type: 'agent.unwound',
  ...at,
  agentId: 'btc_5min',
  policy,
});
const THIRD = asId<IntentId>('int_3');
const farms = (part: Parameters<typeof intended>[0]): DomainEvent =>
  intended({
    origin: {
      kind: 'agent',
      agentId: 'venue_a_farming',
      decisionId: asId<DecisionId>('dec_2'),
      purpose: 'entry',
    },
    marketId: asId<MarketId>('0xother'),
    tokenId: asId<TokenId>('7003'),
    spendMicros: 1_000_000,
    ...part,
  });
const refused = (intentId: IntentId): readonly DomainEvent[] => refusedOrder({}, intentId).slice(1);
const [records] = CLEAN.outside.users;
const ownRecords = (part: Partial<NonNullable<typeof records>>): Story =>
  withExternal({
    users:
      records === undefined
        ? []
        : [
            {
              ...records,
              ...(part.balances === undefined ? {} : { atVenue: part.balances }),
              ...part,
            },
          ],
  });
const limits = (subject: string): DomainEvent => ({
  type: 'audit.recorded',
  ...at,
  action: 'limits_changed',
  subject,
  detail: null,
  origin: null,
});
const lossless = { operatorCaps: {} };
/** A farming agent bought twenty shares at 0.5, and they settled and were lost at the venue too. */
const farmed: readonly DomainEvent[] = [
  farms({ intentId: SECOND, tokenId: asId<TokenId>('7003') }),
  {
    type: 'fill.recorded',
    ...at,
    fill: aFill({
      intentId: SECOND,
      tradeId: asId<TradeId>('t8'),
      orderId: asId<OrderId>('0xint_2'),
      tokenId: asId<TokenId>('7003'),
      shares: shareMicros(2_000_000),
      usdc: usdcMicros(1_000_000),
      fee: usdcMicros(0),
    }),
  },
  ...refused(SECOND),
];
const farmSale = intended({
  intentId: THIRD,
  side: 'sell',
  tokenId: asId<TokenId>('7003'),
  origin: {
    kind: 'agent',
    agentId: 'venue_a_farming',
    decisionId: asId<DecisionId>('dec_9'),
    purpose: 'exit',
  },
});

describe('the checks of a simulated day', () => {
  it('find nothing in a clean one', () => {
    expect(found(CLEAN)).toEqual({});
    expect(
      found(
        withMore(
          'wonNotified',
          ...refusedOrder({}),
          ...refusedOrder({ marketId: asId<MarketId>('0xthird') }, asId<IntentId>('int_3')),
        ),
      ),
    ).toEqual({});
  });

  it('find nothing in what a stop allows: manual sales, buys once it is lifted, and an agent that closes its positions', () => {
    const sale = { side: 'sell', origin: manual } as const;
    const exit = {
      kind: 'agent',
      agentId: 'btc_5min',
      decisionId: asId<DecisionId>('dec_3'),
      purpose: 'exit',
    } as const;
    expect(
      found(
        withMore(
          'ended',
          operator('all_trading.stopped'),
          user('trading.stopped'),
          ...refusedOrder(sale),
          operator('all_trading.resumed'),
          user('trading.resumed'),
          ...refusedOrder({}, asId<IntentId>('int_3')),
        ),
      ),
    ).toEqual({});
    expect(
      found(
        withMore(
          'ended',
          agentIs({ enabled: false, onStop: 'close' }),
          ...refusedOrder({ side: 'sell', origin: exit }),
        ),
      ),
    ).toEqual({});
  });

  it.each([
    [
      'L1: an intent made twice',
      'notOneOrderPerIntent',
      withMore('intended', intended({ origin: manual, spendMicros: 1 })),
    ],
    [
      'L1: an order id of two intents',
      'notOneOrderPerIntent',
      withMore(
        'ended',
        ...refusedOrder({}).map((event) =>
          event.type === 'order.signed' ? { ...event, attemptId: asId<AttemptId>('0xo1') } : event,
        ),
      ),
    ],
    ['L2: an order without an end', 'notEnded', withMore('ended', ...refusedOrder({}).slice(0, 2))],
    [
      'L2: an order that goes on behind its end',
      'notEnded',
      withMore(
        'ended',
        { ...FACTS.ended, from: 'filled', to: 'live' },
        { ...FACTS.ended, from: 'live', to: 'filled' },
      ),
    ],
    [
      'L2: an order that changes from what it was not',
      'notEnded',
      withOther('ended', { ...FACTS.ended, from: 'live' }),
    ],
    [
      'L6: a manual buy while all trading is stopped',
      'tradedAfterStop',
      withMore('ended', operator('all_trading.stopped'), ...refusedOrder({})),
    ],
    [
      'L6: a manual buy while its user is stopped',
      'tradedAfterStop',
      withMore('ended', user('trading.stopped'), ...refusedOrder({})),
    ],
    [
      'L6: an entry of an agent that is switched off',
      'tradedAfterStop',
      withMore('ended', agentIs({ enabled: false }), ...refusedEntry()),
    ],
    [
      'L6: an entry of an agent that is on paper',
      'tradedAfterStop',
      withMore('ended', agentIs({ mode: 'paper' }), ...refusedEntry()),
    ],
    [
      'L6: a sale of a stopped agent that was to leave its positions',
      'tradedAfterStop',
      withMore(
        'ended',
        agentIs({ enabled: false, onStop: 'cancel_only' }),
        ...refusedEntry({
          side: 'sell',
          origin: {
            kind: 'agent',
            agentId: 'btc_5min',
            decisionId: asId<DecisionId>('dec_2'),
            purpose: 'exit',
          },
        }),
      ),
    ],
    [
      'L7: a market an agent enters twice',
      'enteredTwice',
      withMore('ended', ...refusedEntry({ marketId: asId<MarketId>('0xm') })),
    ],
    [
      'L8: an order decided on an input above its age',
      'staleDecisions',
      withOther('decision', decided(101)),
    ],
    [
      'L8: an order decided on an input from the future',
      'staleDecisions',
      withOther('decision', decided(-1)),
    ],
    [
      'L8: an order decided on an input of no age',
      'staleDecisions',
      withOther('decision', decided(null)),
    ],
    [
      'L8: an order decided on an input above its age while our clock was behind',
      'staleInTruth',
      withExternal({
        moments: new Map([['dec_1', { aheadMs: -2_001, sinceSlowMs: 0, slowMs: 0 }]]),
      }),
    ],
    [
      'L8: an order decided on a book above its age that came in while our clock ran slow',
      'staleInTruth',
      {
        ...withOther('decision', decided(5_000, 'Up book', 5_000)),
        outside: {
          ...CLEAN.outside,
          moments: new Map([['dec_1', { aheadMs: 20_000, sinceSlowMs: 4_000, slowMs: 750 }]]),
        },
      },
    ],
    [
      'L6: a buy that a sweeping stop found and left open',
      'stopsBroken',
      withMore(
        'intended',
        operator('all_trading.stopped', 'cancel_only: test'),
        ...refusedOrder({ side: 'sell' }),
        operator('all_trading.resumed'),
      ),
    ],
    [
      'L6: the same of a user',
      'stopsBroken',
      withMore(
        'intended',
        user('trading.stopped', 'cancel_only: test'),
        ...refusedOrder({ side: 'sell' }),
        user('trading.resumed'),
      ),
    ],
    [
      'L6: a resting order that a stop was to keep and that was cancelled',
      'stopsBroken',
      withMore('intended', resting(manual), operator('all_trading.stopped'), ended),
    ],
    [
      'L6: a resting order of an agent that was to keep it and that was cancelled',
      'stopsBroken',
      withMore(
        'resolved',
        resting(agentOrigin),
        agentIs({ enabled: false, onStop: 'keep' }),
        ended,
      ),
    ],
    [
      'L6: an agent that has come to rest with an order open',
      'stopsBroken',
      withMore(
        'resolved',
        resting(agentOrigin),
        agentIs({ enabled: false }),
        woundUp('cancel_only'),
        ended,
      ),
    ],
    [
      'L6: an agent that has come to rest with shares it was to sell',
      'stopsBroken',
      withMore('ended', agentIs({ enabled: false, onStop: 'close' }), woundUp('close')),
    ],
    [
      'L6: an agent that never comes to rest',
      'stopsBroken',
      withMore(
        'resolved',
        resting(agentOrigin),
        agentIs({ enabled: false, onStop: 'close' }),
        ended,
      ),
    ],
    [
      'L5: an entry above the size its user allows',
      'aboveSize',
      {
        ...withMore('resolved', ...refusedEntry({ spendMicros: 5_000_001 })),
        outside: { ...CLEAN.outside, ...lossless },
      },
    ],
    [
      'L5: an order above the cap of the operator',
      'aboveCaps',
      withMore('resolved', ...refusedOrder({ spendMicros: 5_000_001 })),
    ],
    [
      'L5: an order above the cap of its user',
      'aboveCaps',
      withMore('resolved', limits('orderUsdc 4000000'), ...refusedOrder({})),
    ],
    [
      'L5: open orders and positions above the exposure allowed',
      'aboveCaps',
      withMore(
        'ended',
        limits('exposureUsdc 8000000'),
        ...refusedOrder({ spendMicros: 3_000_000 }),
      ),
    ],
    [
      'L5: one position more than allowed',
      'aboveCaps',
      withMore(
        'ended',
        limits('openPositions 1'),
        ...refusedOrder({ tokenId: asId<TokenId>('7003'), spendMicros: 1_000_000 }),
      ),
    ],
    [
      'L5: a buy after the day has lost all it may',
      'aboveCaps',
      withOther('resolved', {
        ...FACTS.resolved,
        resolution: { ...FACTS.resolved.resolution, payoutTicks: [0, 10_000] },
      }),
      [limits('dailyLossUsdc 6000000'), ...refusedOrder({ spendMicros: 2_000_000 })],
    ],
    [
      'L5: one position more than a farming agent may have',
      'aboveFarmCaps',
      {
        ...withMore(
          'resolved',
          farmerIs(),
          farms({ intentId: SECOND }),
          farms({
            intentId: THIRD,
            marketId: asId<MarketId>('0xthird'),
            tokenId: asId<TokenId>('7005'),
          }),
          ...refused(SECOND),
          ...refused(THIRD),
        ),
        outside: { ...CLEAN.outside, ...lossless },
      },
    ],
    [
      'L5: an entry of a farming agent above its exposure',
      'aboveFarmCaps',
      {
        ...withMore(
          'resolved',
          farmerIs({ maxTotalExposure: usdcMicros(999_999) }),
          farms({ intentId: SECOND }),
          ...refused(SECOND),
        ),
        outside: { ...CLEAN.outside, ...lossless },
      },
    ],
    [
      'an entry of a farming agent into a market it must leave alone',
      'farmedAmiss',
      withMore(
        'resolved',
        farmerIs(),
        farms({ intentId: SECOND, marketId: asId<MarketId>('0xsports') }),
        ...refused(SECOND),
      ),
    ],
    [
      'a sale of a farming agent above its stop',
      'soldAboveStop',
      withMore(
        'resolved',
        farmerIs(),
        ...farmed,
        farmerSells(asId<DecisionId>('dec_9'), 4_501),
        farmSale,
        ...refused(THIRD),
      ),
    ],
    [
      'L4: a posting made twice',
      'postedTwice',
      ownRecords({
        balances: new Map([['usdc:safe', 204_825_000]]),
        activity: [...(records?.activity ?? []), ...(records?.activity.slice(0, 1) ?? [])],
      }),
      [
        FACTS.deposit,
        reported(4, { kind: 'deposit_booked', cashAccount: 'usdc:safe', usdc: usdcMicros(1) }),
      ],
    ],
    [
      'L4: an entry that does not add up',
      'postingsDiffer',
      withOther('deposit', {
        ...FACTS.deposit,
        entry: {
          ...FACTS.deposit.entry,
          postings: FACTS.deposit.entry.postings.map((posting) =>
            posting.owner === USER ? posting : { ...posting, micros: posting.micros + 1 },
          ),
        },
      }),
    ],
    [
      'L4: money at the venue that the journal does not give',
      'postingsDiffer',
      ownRecords({ balances: new Map([['usdc:safe', 104_825_001]]) }),
    ],
    [
      'L4: shares at the venue that the journal does not give',
      'postingsDiffer',
      ownRecords({
        balances: new Map([
          ['usdc:safe', 104_825_000],
          [TOKENS[1], 1],
        ]),
      }),
    ],
    [
      'L4: money the venue does not have as the chain has it',
      'venueDiffersFromChain',
      ownRecords({ atVenue: new Map([['usdc:safe', 104_825_001]]) }),
    ],
    [
      'L3: a withdrawal that left and was not booked',
      'notPaidOnce',
      ownRecords({
        activity: [
          ...(records?.activity ?? []),
          ...(records?.activity.slice(0, 1) ?? []).map((entry) => ({
            ...entry,
            kind: 'WITHDRAWAL' as const,
          })),
        ],
      }),
    ],
    [
      'L3: a trade that settled for us and failed there',
      'tradesDiffer',
      ownRecords({
        trades: (records?.trades ?? []).map((trade) => ({ ...trade, status: 'FAILED' as const })),
      }),
    ],
    [
      'L3: a trade we never heard of',
      'tradesDiffer',
      ownRecords({
        trades: (records?.trades ?? []).flatMap((trade) => [
          trade,
          { ...trade, tradeId: asId<TradeId>('t2') },
        ]),
      }),
    ],
    ['L3: a trade the venue does not know', 'tradesDiffer', ownRecords({ trades: [] })],
    [
      'L3: a win that was paid and not booked',
      'notPaidOnce',
      ownRecords({
        activity: [
          ...(records?.activity ?? []),
          ...(records?.activity.slice(1) ?? []).map((entry) => ({ ...entry, tokenId: TOKENS[1] })),
        ],
      }),
    ],
    [
      'L3: a win that was booked and not paid',
      'notPaidOnce',
      ownRecords({ activity: records?.activity.slice(0, 1) ?? [] }),
    ],
    [
      'L3: a deposit that was made and not booked',
      'notPaidOnce',
      ownRecords({
        activity: [...(records?.activity ?? []), ...(records?.activity.slice(0, 1) ?? [])],
      }),
    ],
    [
      'a trade reported twice',
      'notifiedTwice',
      withMore('tradeNotified', {
        ...FACTS.tradeNotified,
        notification: { ...FACTS.tradeNotified.notification, number: 9 },
      }),
    ],
    [
      'two notifications of one number',
      'notifiedTwice',
      withMore(
        'wonNotified',
        reported(3, { kind: 'trading_stopped', by: 'operator', reason: 'test' }),
      ),
    ],
    [
      'a win reported twice',
      'notifiedTwice',
      withMore('wonNotified', {
        ...FACTS.wonNotified,
        notification: { ...FACTS.wonNotified.notification, number: 9 },
      }),
    ],
    [
      'a message brought to one browser twice',
      'notifiedTwice',
      withExternal({
        deliveries: [...CLEAN.outside.deliveries, { endpoint: 'one', topic: 'ntf_2' }],
      }),
    ],
    ['a trade that is not reported', 'notNotified', without('tradeNotified')],
    ['a deposit that is not reported', 'notNotified', without('depositNotified')],
  ] as const)('find %s', (_what, name, story: Story, more: readonly DomainEvent[] = []) => {
    const findings = found({ ...story, journal: [...story.journal, ...more] });
    expect(findings[name]).toHaveLength(1);
    // One fault may break a second law as well, as money that is booked twice is money the venue
    // does not have.
    expect(
      Object.keys(findings).filter((other) => other !== name && !KIN[name]?.includes(other)),
    ).toEqual([]);
  });

  it('let a farming agent sell at its stop', () => {
    expect(
      found(
        withMore(
          'resolved',
          farmerIs(),
          ...farmed,
          farmerSells(asId<DecisionId>('dec_9'), 4_500),
          farmSale,
          ...refused(THIRD),
        ),
      )['soldAboveStop'],
    ).toBeUndefined();
  });

  it('L5: count nothing against a farming agent that its user has sold', () => {
    const moved = (part: Partial<FillRecord>): DomainEvent => ({
      type: 'fill.recorded',
      ...at,
      fill: aFill({
        intentId: SECOND,
        marketId: asId<MarketId>('0xother'),
        tradeId: asId<TradeId>('t8'),
        orderId: asId<OrderId>('0xint_2'),
        tokenId: asId<TokenId>('7003'),
        shares: shareMicros(2_000_000),
        usdc: usdcMicros(1_000_000),
        fee: usdcMicros(0),
        ...part,
      }),
    });
    const sold = moved({
      intentId: asId<IntentId>('int_9'),
      side: 'sell',
      tradeId: asId<TradeId>('t9'),
      orderId: asId<OrderId>('0xo9'),
      shares: shareMicros(3_000_000),
      usdc: usdcMicros(10_000),
    });
    const another = farms({
      intentId: THIRD,
      marketId: asId<MarketId>('0xthird'),
      tokenId: asId<TokenId>('7005'),
    });
    const aboveCaps = (...between: readonly DomainEvent[]) =>
      found({
        ...withMore(
          'resolved',
          farmerIs(),
          farms({ intentId: SECOND }),
          moved({}),
          ...refused(SECOND),
          ...between,
          another,
          ...refused(THIRD),
        ),
        outside: { ...CLEAN.outside, ...lossless },
      })['aboveFarmCaps'];
    expect(aboveCaps()).toHaveLength(1);
    expect(aboveCaps(sold)).toBeUndefined();
  });

  it('L5: count what a sale frees and gains, and take it back when the sale fails', () => {
    const sale = aFill({
      side: 'sell',
      tradeId: asId<TradeId>('t9'),
      orderId: asId<OrderId>('0xo9'),
      shares: shareMicros(10_000_000),
      usdc: usdcMicros(6_000_000),
      fee: usdcMicros(0),
    });
    const sold: DomainEvent = { type: 'fill.recorded', ...at, fill: sale };
    const failed: DomainEvent = {
      type: 'fill.reversed',
      ...at,
      tradeId: sale.tradeId,
      orderId: sale.orderId,
    };
    const next = [limits('exposureUsdc 6000000'), ...refusedOrder({})];
    const caps = (...events: readonly DomainEvent[]) =>
      found(withMore('ended', ...events))['aboveCaps'] ?? [];
    expect(caps(...next)).toHaveLength(1);
    expect(caps(sold, ...next)).toEqual([]);
    expect(caps(sold, failed, ...next)).toHaveLength(1);
  });

  it("tell no agent's trade to a user who does not want to hear of them", () => {
    const { settings } = agentIs().agent;
    const silent = agentIs({ settings: { ...settings, notifyOnTrade: false } });
    const { journal } = without('tradeNotified');
    expect(
      found({
        ...CLEAN,
        journal: journal.map((event) => (event.type === 'agent.changed' ? silent : event)),
      }),
    ).toEqual({});
  });

  it.each([
    [
      'a trade',
      'tradeNotified',
      {
        kind: 'trade_reversed',
        intentId: fill.intentId,
        tradeId: fill.tradeId,
        side: 'buy',
        shares: fill.shares,
        usdc: fill.usdc,
      },
    ],
    [
      'a paid position',
      'wonNotified',
      {
        kind: 'payout_taken_back',
        agentId: null,
        tokenId: fill.tokenId,
        cashAccount: 'usdc:safe',
        usdc: fill.usdc,
        transactionHash: null,
      },
    ],
  ] as const)(
    'let %s be reported once more after each reversal, and no more often',
    (_what, name, reversal) => {
      const { marketId } = fill;
      const takenBack = (number: number) =>
        reported(number, { ...reversal, marketId, question: '', outcomeLabel: 'Up' });
      const again = (number: number): DomainEvent => ({
        ...FACTS[name],
        notification: { ...FACTS[name].notification, number },
      });
      const repeatsOf = (...events: readonly DomainEvent[]) =>
        found(withMore('wonNotified', ...events))['notifiedTwice'] ?? [];
      expect(repeatsOf(takenBack(8), again(9))).toEqual([]);
      expect(repeatsOf(takenBack(8), again(9), again(10))).toHaveLength(1);
    },
  );

  it('read deposits by their own words', () => {
    const other: DomainEvent = {
      type: 'ledger.posted',
      ...at,
      entry: depositEntry({
        userId: USER,
        cashAccount: 'usdc:safe',
        transferId: 'e',
        usdc: usdcMicros(1),
        atMs: 0,
      }),
    };
    expect(Object.keys(found(withMore('deposit', other)))).toEqual([
      'postingsDiffer',
      'notPaidOnce',
      'notNotified',
    ]);
  });
});

/** Checks that may speak of the same fault. */
const KIN: Readonly<Record<string, readonly string[]>> = {
  notOneOrderPerIntent: ['tradesDiffer', 'notEnded'],
  // The purchase that is sold again is in no other record.
  soldAboveStop: ['tradesDiffer', 'notNotified'],
  postedTwice: [],
};
