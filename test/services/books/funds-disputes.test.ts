import { describe, expect, it } from 'vitest';
import { ORDER } from '../../../config/limits.ts';
import { createMemoryStore } from '../../../src/adapters/memory/memory-store.ts';
import type { OrderIntent } from '../../../src/domain/order.ts';
import {
  assertUndisputed,
  endDispute,
  openDispute,
  reportDisputes,
} from '../../../src/services/books/funds-disputes.ts';
import { FUNDS_DISPUTES } from '../../../src/services/books/tables.ts';
import { createKeptLog, createKeptMetrics } from '../../support/quiet.ts';
import { aSignedOrder } from '../../support/worlds/folded-orders.ts';
import {
  aFundedLife,
  brokenLaws,
  during,
  type Life,
  type World,
} from '../../support/worlds/trading-world.ts';
import {
  aLimitBuy,
  aMarketBuy,
  aMarketId,
  aMarketSell,
  aUserId,
  T0,
} from '../../support/builders.ts';

const REASON =
  'not enough balance / allowance: the balance is not enough -> balance: 90, sum of matched orders: 50, order amount (inc. fees): 50';

/** A user whose venue account has just refused a funded buy. */
async function disputed() {
  const made = await aFundedLife();
  made.world.venue.submitFaults.push({ kind: 'underfunded', reason: REASON });
  const first = await during(made.world, made.life.orders.place(made.world.user, aMarketBuy()));
  return { ...made, first };
}

const buy = (world: World, life: Life) =>
  during(world, life.orders.place(world.user, aMarketBuy()));
const gauge = (life: Life) => life.metrics.counts.get('funds_disputes_open');

describe('an allowance the venue does not find', () => {
  it("ends the order as rejected with the venue's reason, once, gives back what it set aside, and is remembered as what it is", async () => {
    const { world, life, store } = await aFundedLife();
    const reason =
      'not enough balance / allowance: the allowance is not enough -> spender: 0xE1, allowance: 0, sum of matched orders: 0, order amount (inc. fees): 5000000';
    world.venue.submitFaults.push({ kind: 'underfunded', reason });
    expect(await buy(world, life)).toMatchObject({
      state: 'rejected',
      reason,
      reserved: { usdc: 0, shares: 0 },
    });
    expect(
      life.bus.entries.flatMap(({ event }) =>
        event.type === 'funds.disputed' ? [event.dispute] : [],
      ),
    ).toMatchObject([{ lacksAllowanceOf: 'usdc:safe', refusals: 1, reason }]);
    expect(world.venue.bodies.size).toBe(1);
    expect(brokenLaws(store, world.user)).toEqual([]);
  });
});

describe('funds the venue does not find', () => {
  it('ends the order, gives back what it set aside, and says so once', async () => {
    const { world, life, store, first } = await disputed();
    expect(first).toMatchObject({
      state: 'rejected',
      reason: REASON,
      reserved: { usdc: 0, shares: 0 },
    });
    expect(life.bus.entries.filter(({ event }) => event.type === 'funds.disputed')).toHaveLength(1);
    expect(life.log.lines.filter(({ event }) => event === 'funds.disputed')).toHaveLength(1);
    expect(gauge(life)).toBe(1);
    expect(brokenLaws(store, world.user)).toEqual([]);
  });

  it('sends nothing more while the pause lasts, in any market, and says when it ends', async () => {
    const { world, life } = await disputed();
    await expect(buy(world, life)).rejects.toMatchObject({
      code: 'funds_disputed',
      retryable: true,
      retryAfterMs: 30_000,
    });
    await expect(
      during(world, life.orders.place(world.user, aMarketBuy({ marketId: aMarketId(2) }))),
    ).rejects.toMatchObject({ code: 'funds_disputed' });
    await expect(during(world, life.orders.place(world.user, aLimitBuy()))).rejects.toMatchObject({
      code: 'funds_disputed',
    });
    expect(world.venue.bodies.size).toBe(1);
  });

  it('tries one order after the pause, and waits twice as long when that is refused too', async () => {
    const { world, life } = await disputed();
    await world.clock.advance(30_000);
    world.venue.submitFaults.push({ kind: 'underfunded', reason: REASON });
    expect((await buy(world, life)).state).toBe('rejected');
    await expect(buy(world, life)).rejects.toMatchObject({
      code: 'funds_disputed',
      retryAfterMs: 60_000,
    });
    expect(world.venue.bodies.size).toBe(2);
  });

  it('trades on as soon as the venue takes an order', async () => {
    const { world, life, store } = await disputed();
    await world.clock.advance(30_000);
    expect((await buy(world, life)).state).toBe('filled');
    expect(
      (await during(world, life.orders.place(world.user, aMarketBuy({ marketId: aMarketId(2) }))))
        .state,
    ).toBe('filled');
    expect(life.bus.entries.filter(({ event }) => event.type === 'funds.agreed')).toHaveLength(1);
    expect(gauge(life)).toBe(0);
    expect(brokenLaws(store, world.user)).toEqual([]);
  });

  it('pauses only what is disputed: shares can be sold while money is disputed, and money spent while shares are', async () => {
    const { world, life } = await aFundedLife();
    await buy(world, life);
    await world.clock.advance(10_000);
    world.venue.submitFaults.push({ kind: 'underfunded', reason: REASON });
    await buy(world, life);
    world.venue.submitFaults.push({ kind: 'underfunded', reason: REASON });
    expect((await during(world, life.orders.place(world.user, aMarketSell(20)))).state).toBe(
      'rejected',
    );
    expect(gauge(life)).toBe(2);
    await expect(
      during(world, life.orders.place(world.user, aMarketSell(20))),
    ).rejects.toMatchObject({ code: 'funds_disputed' });
    await world.clock.advance(30_000);
    expect((await buy(world, life)).state).toBe('filled');
    expect(gauge(life)).toBe(1);
  });

  it('L9: a restart pauses on, and tells operators again', async () => {
    const { world, life, store } = await disputed();
    await life.orders.stop();
    const next = world.live(store);
    await next.orders.recover();
    expect(gauge(next)).toBe(1);
    await expect(buy(world, next)).rejects.toMatchObject({ code: 'funds_disputed' });
    await world.clock.advance(30_000);
    expect((await buy(world, next)).state).toBe('filled');
    await next.orders.stop();
  });

  it('L2: a refusal of a second copy opens no dispute: the first copy may hold the money', async () => {
    const { world, life } = await aFundedLife();
    world.venue.submitFaults.push(
      { kind: 'late-book', ms: 10_000 },
      { kind: 'underfunded', reason: REASON },
      { kind: 'refused-silently' },
      { kind: 'refused-silently' },
    );
    await buy(world, life);
    await world.clock.advance(60_000);
    expect(life.bus.entries.some(({ event }) => event.type === 'funds.disputed')).toBe(false);
    expect(gauge(life)).toBe(0);
  });
});

describe('disputes as they are stored', () => {
  const refused = aSignedOrder({ state: 'rejected', reason: REASON, updatedAtMs: T0 });
  const { firstMs } = ORDER.disputePause;
  const disputes = () => {
    const store = createMemoryStore();
    const open = (order = refused) => store.write((tx) => openDispute(tx, order, false));
    const end = (order = refused) => store.write((tx) => endDispute(tx, order));
    const facts = () => store.readJournal(0, 100).map(({ event }) => event.type);
    return { store, open, end, facts };
  };

  it('are opened by orders that were refused, and by none that is still open', async () => {
    const { store, open, facts } = disputes();
    await open(aSignedOrder({ state: 'unknown', reason: REASON }));
    expect([store.range(FUNDS_DISPUTES), facts()]).toEqual([[], []]);
    await open(aSignedOrder({ state: 'rejected' }));
    expect(store.range(FUNDS_DISPUTES).map(({ value }) => value)).toEqual([
      {
        asset: 'usdc:safe',
        refusals: 1,
        reason: '',
        lacksAllowanceOf: null,
        sinceMs: T0,
        retryAtMs: T0 + firstMs,
      },
    ]);
  });

  it('hold back what spends the same until the pause is over', async () => {
    const { store, open } = disputes();
    await open();
    const spending = (changes: Partial<OrderIntent>) => () =>
      assertUndisputed(store, { ...refused.intent, ...changes });
    expect(spending({ createdAtMs: T0 + firstMs - 1 })).toThrow(
      expect.objectContaining({
        code: 'funds_disputed',
        retryable: true,
        retryAfterMs: 1,
      }) as Error,
    );
    expect(spending({ createdAtMs: T0 + firstMs })).not.toThrow();
    expect(spending({ cashAccount: 'usdc:solana' })).not.toThrow();
    expect(spending({ side: 'sell' })).not.toThrow();
    expect(spending({ userId: aUserId(2) })).not.toThrow();
  });

  it('end with an order that was taken in, which is reported once', async () => {
    const { store, open, end, facts } = disputes();
    await open();
    await end();
    await end();
    expect([store.range(FUNDS_DISPUTES), facts()]).toEqual([
      [],
      ['funds.disputed', 'funds.agreed'],
    ]);
  });

  it('are counted for operators, whose log names some of their users, and is empty without disputes', async () => {
    const { store, open } = disputes();
    const [log, metrics] = [createKeptLog(), createKeptMetrics()];
    reportDisputes({ store, log, metrics });
    expect([metrics.counts.get('funds_disputes_open'), log.lines]).toEqual([0, []]);
    for (let one = 1; one <= 11; one += 1)
      await open(aSignedOrder({ state: 'rejected' }, { userId: aUserId(100 + one) }));
    reportDisputes({ store, log, metrics });
    const users = Array.from({ length: 10 }, (_, index) => aUserId(101 + index));
    expect([metrics.counts.get('funds_disputes_open'), log.lines]).toEqual([
      11,
      [{ level: 'error', event: 'funds.disputed', fields: { disputes: 11, users } }],
    ]);
  });
});
