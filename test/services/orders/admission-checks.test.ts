import { describe, expect, it } from 'vitest';
import { ORDER } from '../../../config/limits.ts';
import { createMemoryStore } from '../../../src/adapters/memory/memory-store.ts';
import { asId, type DecisionId, type TokenId } from '../../../src/domain/ids.ts';
import type { OrderIntent, OrderOrigin } from '../../../src/domain/order.ts';
import { NO_RISK } from '../../../src/domain/risk.ts';
import { shareMicros, usdcMicros } from '../../../src/domain/units.ts';
import type { StoreWriter } from '../../../src/ports/store.ts';
import {
  admit,
  assertAdmissible,
  fenceOver,
  keyChargeOf,
  madeBefore,
  riskRequestOf,
  type Admission,
  type AdmissionInput,
} from '../../../src/services/orders/admission.ts';
import { API_KEY_RECORDS, API_KEY_SPENDS } from '../../../src/services/api-keys/tables.ts';
import { riskOf } from '../../../src/services/books/record-changes.ts';
import {
  AGENT_MARKETS,
  AGENTS,
  BALANCES,
  FILLS,
  OPEN_ORDERS,
  ORDER_KEYS,
  ORDERS,
  TOKEN_FILLS,
  TRADED_MARKETS,
  USER_CAPS,
  VENUE_ACCESS_STATES,
} from '../../../src/services/books/tables.ts';
import { anAttempt } from '../../support/attempts.ts';
import { aMarket, aMarketBuy, aMarketId, aTokenId, aUserId, T0 } from '../../support/builders.ts';
import { aSignedOrder } from '../../support/worlds/folded-orders.ts';
import { anEnabledAgent } from '../../support/worlds/enabled-agent.ts';
import { aKeyRecord } from '../../support/worlds/key-record.ts';
import { aFill } from '../../support/worlds/money-records.ts';
import { VENUE_A, VENUE_B } from '../../support/venue-ids.ts';

const USER = aUserId(1);
const AGENT: OrderOrigin = {
  kind: 'agent',
  agentId: 'btc_5min',
  decisionId: asId<DecisionId>('dec_1'),
  purpose: 'entry',
};
const SALE = { side: 'sell', spendMicros: 7, receiveMicros: 3, exact: 'spend' } as const;
const FEE = 350_000;
/** What a buy of 10 USDC sets aside. */
const ASKED = { usdc: 10_350_000, shares: 0 };

/** Books of a user with 100 USDC and 7 micro-shares of a token, and what takes an order in. */
async function freshBooks() {
  const store = createMemoryStore();
  let signed = 0;
  const put = (change: (tx: StoreWriter) => void) => store.write(change);
  await put((tx) => {
    tx.put(BALANCES, [USER, 'usdc:safe'], { provisional: 0, settled: 100_000_000 });
    tx.put(BALANCES, [USER, aTokenId(1, 0)], { provisional: 0, settled: 7 });
  });
  const intake = (
    intent: Partial<OrderIntent> = {},
    changes: Partial<AdmissionInput> = {},
  ): AdmissionInput => ({
    intent: { ...aSignedOrder().intent, expiresAtMs: null, ...intent },
    market: aMarket(1),
    request: aMarketBuy(),
    rules: { worstFee: () => usdcMicros(FEE) },
    caps: {},
    signer: {
      sign({ intentId }, extra) {
        signed += 1;
        const { attemptId, orderId, body } = anAttempt(`of_${intentId}`);
        return { attemptId, orderId, body, extra };
      },
    },
    signing: () => () => undefined,
    prepared: { salt: 1 },
    waits: { preparationMs: 0, lockMs: 0, speed: 1, goodForMs: 5_000 },
    ...changes,
  });
  const take = (input: AdmissionInput) => store.write((tx) => admit(tx, input));
  /** An order that is not decided, and so fences its market. */
  const fence = (marketId = aMarketId(1), isFencing = true) =>
    put((tx) =>
      tx.put(OPEN_ORDERS, [USER, 'int_0'], { sinceMs: T0, venue: VENUE_A, marketId, isFencing }),
    );
  const facts = () => store.readJournal(0, 100).map(({ event }) => event);
  return { store, put, intake, take, fence, facts, signed: () => signed };
}

describe('an order that is taken in', () => {
  it('L1: is stored with the bytes that may leave, its money set aside, and the facts', async () => {
    const { store, intake, take, facts } = await freshBooks();
    const input = intake();
    const { isNew, record } = await take(input);
    expect([isNew, record]).toEqual([
      true,
      aSignedOrder(
        {
          attempts: [anAttempt('of_int_1', { lastSentAtMs: T0, extra: { salt: 1 } })],
          reserved: { usdc: usdcMicros(ASKED.usdc), shares: record.reserved.shares },
        },
        input.intent,
      ),
    ]);
    expect([
      store.get(ORDERS, [USER, 'int_1'])?.value,
      store.get(TRADED_MARKETS, [aMarketId(1)])?.value,
      store.range(ORDER_KEYS),
      store.range(AGENT_MARKETS),
      riskOf(store, USER).cash,
      facts(),
    ]).toEqual([
      record,
      aMarket(1),
      [],
      [],
      { 'usdc:safe': { reservedUsdc: ASKED.usdc, outgoingUsdc: 0 } },
      [
        { type: 'order.intended', userId: USER, atMs: T0, intent: input.intent },
        {
          type: 'order.signed',
          userId: USER,
          atMs: T0,
          intentId: 'int_1',
          attemptId: record.attempts[0]?.attemptId,
        },
      ],
    ]);
  });

  it('to wait with the service is not signed, and is no trial of a venue', async () => {
    const { store, put, intake, take, facts, signed } = await freshBooks();
    const shut = {
      kind: 'shut',
      sinceMs: 0,
      pausedAtMs: 0,
      pauseMs: 1,
      probe: null,
      appliesFromMs: 0,
      doubtMs: 0,
    } as const;
    await put((tx) => tx.put(VENUE_ACCESS_STATES, [VENUE_A], shut));
    const { record } = await take(intake({ restsAt: 'service' }));
    expect([record.state, record.attempts, signed(), facts().map(({ type }) => type)]).toEqual([
      'live',
      [],
      0,
      ['order.intended'],
    ]);
    expect(store.get(VENUE_ACCESS_STATES, [VENUE_A])?.value).toEqual(shut);
    await take(intake({ intentId: asId('int_2'), marketId: aMarketId(1) }));
    expect(store.get(VENUE_ACCESS_STATES, [VENUE_A])?.value).toEqual({
      ...shut,
      probe: { intentId: 'int_2', atMs: T0 },
    });
  });

  it('is made once for a key of its user, and found by that key alone', async () => {
    const { store, put, intake, take, facts } = await freshBooks();
    const request = aMarketBuy({ idempotencyKey: 'k1' });
    const { record } = await take(intake({}, { request }));
    const again = await take(intake({ intentId: asId('int_2') }, { request }));
    expect([again, facts()]).toEqual([{ isNew: false, record }, expect.any(Array)]);
    expect(facts()).toHaveLength(2);
    await put((tx) => tx.put(ORDER_KEYS, [USER, 'k2'], { userId: USER, intentId: asId('int_9') }));
    expect([
      madeBefore(store, USER, 'k1')?.intent.intentId,
      madeBefore(store, USER, 'k2'),
      madeBefore(store, USER, 'k3'),
      madeBefore(store, aUserId(2), 'k1'),
    ]).toEqual(['int_1', null, null, null]);
  });

  it('keeps its market as it was first traded, and never takes one of another venue for it', async () => {
    const { store, put, intake, take } = await freshBooks();
    const first = aMarket(1, { question: 'as it was' });
    await put((tx) => tx.put(TRADED_MARKETS, [first.marketId], first));
    await take(intake());
    expect(store.get(TRADED_MARKETS, [first.marketId])?.value).toEqual(first);
    const other = await freshBooks();
    const elsewhere = { ...first, venue: VENUE_B };
    await other.put((tx) => tx.put(TRADED_MARKETS, [first.marketId], elsewhere));
    await expect(other.take(other.intake())).rejects.toMatchObject({ code: 'venue_protocol' });
    expect(other.store.range(ORDERS)).toEqual([]);
  });

  it('L7: as the entry of an agent claims its market once; an exit and a person claim none', async () => {
    const { store, intake, take, facts } = await freshBooks();
    await anEnabledAgent({ commit: store.write as never }, USER);
    const entry = intake({ origin: AGENT });
    await take(entry);
    expect(store.get(AGENT_MARKETS, [USER, 'btc_5min', aMarketId(1)])?.value).toEqual({
      intentId: 'int_1',
      atMs: T0,
    });
    expect(facts()).toContainEqual({
      type: 'agent.traded',
      userId: USER,
      atMs: T0,
      agentId: 'btc_5min',
      marketId: aMarketId(1),
      intentId: 'int_1',
    });
    await store.write((tx) => tx.remove(OPEN_ORDERS, [USER, 'int_1']));
    const next = { intentId: asId<OrderIntent['intentId']>('int_2') };
    await expect(take(intake({ ...next, origin: AGENT }))).rejects.toMatchObject({
      code: 'already_traded',
    });
    const exit = { ...AGENT, purpose: 'exit' as const };
    expect((await take(intake({ ...next, origin: exit }))).isNew).toBe(true);
    expect(store.range(AGENT_MARKETS)).toHaveLength(1);
    const other = { intentId: asId<OrderIntent['intentId']>('int_3'), marketId: aMarketId(2) };
    await take(intake({ ...other, origin: exit }, { market: aMarket(2) }));
    expect(store.range(AGENT_MARKETS)).toHaveLength(1);
  });
});

describe('L8: an order that waited', () => {
  it.each([
    [3_000, 2_000, 'preparation_timeout', 'reading the market took 0.3 s'],
    [2_000, 2_000, 'preparation_timeout', 'reading the market took 0.2 s'],
    [2_000, 3_000, 'lock_busy', 'waited 0.3 s for other trades of yours'],
  ])(
    '%i ms for its market and %i ms for its turn is refused as %s',
    async (preparationMs, lockMs, code, message) => {
      const { intake, take } = await freshBooks();
      const waits = { preparationMs, lockMs, speed: 10, goodForMs: 4_000 };
      const late = intake({ sendUntilMs: T0 - 1 }, { waits });
      await expect(take(late)).rejects.toMatchObject({
        code,
        retryable: true,
        retryAfterMs: ORDER.retryAfterMs,
        message: `${message}; an order is good for 4 s, and nothing was sent`,
      });
      expect((await take(intake({ sendUntilMs: T0 }, { waits }))).isNew).toBe(true);
    },
  );
});

describe('L2: the fence', () => {
  it('of an undecided order holds its market, and no other', async () => {
    const { store, intake, take, fence } = await freshBooks();
    await fence();
    await expect(take(intake())).rejects.toMatchObject({ code: 'market_fenced', retryable: true });
    const on = (number: number) => fenceOver(store, { userId: USER, marketId: aMarketId(number) });
    expect([
      on(1),
      on(2),
      fenceOver(store, { userId: aUserId(2), marketId: aMarketId(1) }),
    ]).toEqual(['int_0', null, null]);
    await fence(aMarketId(1), false);
    expect([on(1), (await take(intake())).isNew]).toEqual([null, true]);
  });

  it('is reported to a person only where the shares to sell are there', async () => {
    const { store, intake, take, fence } = await freshBooks();
    await anEnabledAgent({ commit: store.write as never }, USER);
    await fence();
    const codeOf = (intent: Partial<OrderIntent>) =>
      take(intake(intent)).then(
        () => 'taken',
        (error: unknown) => (error as { code: string }).code, // services throw AppErrors
      );
    expect([
      await codeOf({ ...SALE }),
      await codeOf({ ...SALE, spendMicros: 8 }),
      await codeOf({ ...SALE, spendMicros: 8, origin: AGENT }),
      await codeOf({ spendMicros: 200_000_000 }),
    ]).toEqual(['market_fenced', 'insufficient_shares', 'market_fenced', 'market_fenced']);
  });

  it('leaves room for as many open orders as a user may have', async () => {
    const { put, intake, take } = await freshBooks();
    const open = (count: number) =>
      put((tx) => {
        for (let index = 0; index < count; index += 1)
          tx.put(OPEN_ORDERS, [USER, `int_0${index}`], {
            sinceMs: T0,
            venue: VENUE_A,
            marketId: aMarketId(2),
            isFencing: false,
          });
      });
    await open(ORDER.openPerUserMaximum - 1);
    expect((await take(intake())).isNew).toBe(true);
    await expect(
      take(intake({ intentId: asId('int_2'), marketId: aMarketId(3) })),
    ).rejects.toMatchObject({ code: 'limit_reached' });
  });
});

describe('the sale of an agent', () => {
  const MINE = asId<OrderIntent['intentId']>('int_a');
  const exit = { ...AGENT, purpose: 'exit' as const };

  /** Books in which an agent's order brought 7 of the 20 the user has, and sells some of them. */
  async function withSales(...sales: readonly (readonly [TokenId, number])[]) {
    const books = await freshBooks();
    await anEnabledAgent({ commit: books.store.write as never }, USER);
    const tokenId = aTokenId(1, 0);
    const own = aSignedOrder({}, { origin: AGENT, tokenId });
    const bought = aFill({ userId: USER, tokenId, intentId: MINE, shares: shareMicros(7) });
    const { orderId, tradeId } = bought;
    await books.put((tx) => {
      tx.put(BALANCES, [USER, tokenId], { provisional: 0, settled: 20 });
      tx.put(ORDERS, [USER, MINE], own);
      tx.put(FILLS, [USER, orderId, tradeId], bought);
      tx.put(TOKEN_FILLS, [USER, tokenId, 1], { orderId, tradeId });
      for (const [index, [token, shares]] of sales.entries()) {
        const key = [USER, `int_s${index}`];
        const reserved = { usdc: usdcMicros(0), shares: shareMicros(shares) };
        const intent = { ...SALE, origin: exit, tokenId: token };
        tx.put(ORDERS, key, aSignedOrder({ reserved }, intent));
        tx.put(OPEN_ORDERS, key, {
          sinceMs: T0,
          venue: VENUE_A,
          marketId: aMarketId(2),
          isFencing: false,
        });
      }
    });
    const sell = (spendMicros: number, origin: OrderOrigin = exit) =>
      books.take(books.intake({ ...SALE, origin, spendMicros }));
    return { ...books, sell };
  }

  it('is of what its own orders brought, less what others of its sales are about', async () => {
    const { sell } = await withSales([aTokenId(1, 0), 3], [aTokenId(1, 1), 5]);
    await expect(sell(5)).rejects.toMatchObject({
      code: 'insufficient_shares',
      message: expect.stringContaining('agent btc_5min has 0.000004 shares of its own left'),
    });
    expect((await sell(4)).isNew).toBe(true);
  });

  it('finds none of its own where others are about more', async () => {
    const { sell } = await withSales([aTokenId(1, 0), 9]);
    await expect(sell(1)).rejects.toMatchObject({
      code: 'insufficient_shares',
      message: expect.stringContaining('has 0 shares of its own left'),
    });
  });

  it('is the only one held to that: a person sells all there is, and an agent buys', async () => {
    const { sell, take, intake } = await withSales();
    expect((await sell(20, { kind: 'manual' })).isNew).toBe(true);
    const buy = { intentId: asId<OrderIntent['intentId']>('int_2'), marketId: aMarketId(2) };
    const other = intake({ ...buy, origin: AGENT }, { market: aMarket(2) });
    expect((await take(other)).isNew).toBe(true);
  });
});

describe('what an order asks', () => {
  const request = (admission: Admission, store: Parameters<typeof riskRequestOf>[0]) =>
    riskRequestOf(store, admission);

  it('L5: of money, shares and caps, as they stand', async () => {
    const { store, put, intake } = await freshBooks();
    await put((tx) => tx.put(USER_CAPS, [USER], { openPositions: 3 }));
    const limits = { openPositions: 5, orderUsdc: usdcMicros(9) };
    const buy = intake({}, { request: aMarketBuy({ limits }), caps: { openPositions: 4 } });
    const common = {
      settledUsdc: 100_000_000,
      settledShares: 7,
      caps: { openPositions: 3, orderUsdc: 9 },
      atMs: T0,
    };
    expect(request(buy, store)).toEqual({ ...common, order: buy.intent, worstFee: FEE });
    const sale = { ...buy, intent: { ...buy.intent, ...SALE } };
    expect(request(sale, store)).toEqual({ ...common, order: sale.intent, worstFee: 0 });
  });

  it("L5: of an agent's part, where it is an agent's and has caps", async () => {
    const { store, intake } = await freshBooks();
    const caps = { exposureUsdc: usdcMicros(5) };
    const capped = aMarketBuy({ agentLimits: () => caps });
    const partOf = (origin: OrderOrigin, asked = capped) =>
      request(intake({ origin }, { request: asked }), store).part;
    expect([partOf(AGENT), partOf(AGENT, aMarketBuy()), partOf({ kind: 'manual' })]).toEqual([
      { whose: 'agent btc_5min', state: NO_RISK, caps },
      undefined,
      undefined,
    ]);
  });

  it('L5: is counted against the API key it came by, with the order', async () => {
    const { store, put, intake, take } = await freshBooks();
    const origin: OrderOrigin = { kind: 'manual', keyId: 'key_1' };
    await expect(take(intake({ origin }))).rejects.toMatchObject({ code: 'api_key_invalid' });
    await put((tx) => tx.put(API_KEY_RECORDS, [USER, 'key_1'], aKeyRecord(USER, 'key_1')));
    await take(intake({ origin }));
    expect(store.get(API_KEY_SPENDS, ['key_1'])?.value.usdc).toBe(ASKED.usdc);
  });

  it('of the API key it came by', () => {
    const { intent } = aSignedOrder();
    const chargeOf = (origin: OrderOrigin) =>
      keyChargeOf({ ...intent, origin }, { usdc: usdcMicros(5) });
    const charge = { userId: USER, keyId: 'key_1', venue: VENUE_A, usdc: 5, atMs: T0 };
    expect([
      chargeOf(AGENT),
      chargeOf({ kind: 'manual' }),
      chargeOf({ kind: 'manual', keyId: 'key_1' }),
      chargeOf({ kind: 'manual', keyId: 'key_1', confirmationId: 'cnf_1' }),
    ]).toEqual([
      null,
      null,
      { ...charge, confirmationId: null },
      { ...charge, confirmationId: 'cnf_1' },
    ]);
  });
});

describe('an order that only asks whether it could be taken in', () => {
  it('is refused what admission refuses, and leaves nothing behind', async () => {
    const { store, intake, fence, facts } = await freshBooks();
    const ask = (admission: Admission) => () => assertAdmissible(store, admission);
    const code = (name: string) => expect.objectContaining({ code: name });
    expect(ask(intake())).not.toThrow();
    expect(ask(intake({ spendMicros: 200_000_000 }))).toThrow(code('insufficient_funds'));
    expect(ask(intake({ ...SALE, spendMicros: 8 }))).toThrow(code('insufficient_shares'));
    expect(ask(intake({ origin: AGENT }))).toThrow(code('agent_stopped'));
    expect(ask(intake({ origin: { kind: 'manual', keyId: 'key_1' } }))).toThrow(
      code('api_key_invalid'),
    );
    await fence();
    expect(ask(intake())).toThrow(code('market_fenced'));
    expect(ask(intake({ ...SALE, spendMicros: 8 }))).toThrow(code('insufficient_shares'));
    expect([facts(), store.range(ORDERS), store.range(AGENTS)]).toEqual([[], [], []]);
  });
});
