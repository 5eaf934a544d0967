import { VENUE_A_TRAITS } from '../../../config/limits/venue-a.ts';
import { describe, expect, it } from 'vitest';
import { ORDER } from '../../../config/limits.ts';
import { PAPER } from '../../../config/limits/paper.ts';
import { createVirtualClock } from '../../../src/adapters/clock/virtual-clock.ts';
import { createMemoryStore } from '../../../src/adapters/memory/memory-store.ts';
import type { BookView } from '../../../src/domain/book.ts';
import { asId, type IntentId } from '../../../src/domain/ids.ts';
import type { Market } from '../../../src/domain/market.ts';
import type { OrderIntent } from '../../../src/domain/order.ts';
import { priceTicks } from '../../../src/domain/units.ts';
import type { Store } from '../../../src/ports/store.ts';
import type { UserEvent } from '../../../src/ports/order-gateway.ts';
import { createPaperExchange } from '../../../src/services/paper/paper-exchange.ts';
import { aBook, aLevel, aMarket, aUserId, T0 } from '../../support/builders.ts';
import { createKeptLog } from '../../support/quiet.ts';
import { handleOf } from '../../support/attempts.ts';
import { VENUE_A } from '../../support/venue-ids.ts';

const USER = aUserId(1);
const MARKET = aMarket(1);
const TOKEN = MARKET.outcomes[0].tokenId;
const CROSSING = [aLevel(4_700, 100)];
const LATER = PAPER.latencyMs + 1;
const NEXT_CHECK = PAPER.restingIntervalMs + 1;

/** A bid of 20 shares at 48 cents, where 1,000 rest before it. */
function aBid(changes: Partial<OrderIntent> = {}): OrderIntent {
  return {
    intentId: asId<IntentId>('bid'),
    userId: USER,
    venue: VENUE_A,
    cashAccount: 'usdc:safe',
    origin: { kind: 'manual' },
    marketId: MARKET.marketId,
    tokenId: TOKEN,
    outcome: 0,
    side: 'buy',
    life: 'rests',
    price: priceTicks(4_800),
    spendMicros: 9_600_000,
    receiveMicros: 20_000_000,
    exact: 'receive',
    createdAtMs: T0,
    expiresAtMs: T0 + 600_000,
    sendUntilMs: T0 + 60_000,
    ...changes,
  };
}

/** A book that stays young. */
function aFreshBook(changes: Partial<BookView> = {}): BookView {
  return aBook(MARKET, 0, { receivedAtMs: T0 + 3_600_000, ...changes });
}

function aFixture(
  store: Store = createMemoryStore(),
  clock = createVirtualClock(T0),
  changes: Partial<Market> = {},
) {
  const market = { ...MARKET, ...changes };
  let book: BookView | null = aFreshBook();
  const events: UserEvent[] = [];
  const log = createKeptLog();
  const exchange = createPaperExchange({
    store,
    clock,
    log,
    venue: {
      traits: VENUE_A_TRAITS,
      id: VENUE_A,
      cashAccount: 'usdc:safe',
      books: () => book,
      markets: { known: () => market, find: () => Promise.resolve(market) },
    },
    startingUsdc: () => 0,
  });
  exchange.gateway.watch(USER, {
    next: (event) => void events.push(event),
    error: (error) => log.error({ error }, 'stream.failed'),
  });
  return {
    store,
    clock,
    log,
    exchange,
    show: (shown: BookView | null) => void (book = shown),
    fills: () =>
      events
        .flatMap((event) =>
          event.kind === 'fill'
            ? [event.fill.legs.map(({ price, shares }) => [event.fill.role, price, shares])]
            : [],
        )
        .flat(),
    statuses: () =>
      events.flatMap((event) =>
        event.kind === 'order' ? [`${event.order.status} ${event.order.matchedShares}`] : [],
      ),
    trade: (shares: number, price = 4_800) =>
      exchange.onTrade(TOKEN, { price: priceTicks(price), shares: shares * 1_000_000 }),
    /** Sends an order and waits until it met the book. */
    async send(intent: OrderIntent = aBid()) {
      const signed = exchange.signer.sign(intent, null);
      const outcome = exchange.gateway.submit(handleOf(intent, signed));
      await clock.advance(LATER);
      return { outcome: await outcome, order: handleOf(intent, signed) };
    },
  };
}

describe('an order that rests on paper', () => {
  it('waits until all who were before it at its price have traded, then gets what is traded beyond them', async () => {
    const fixture = aFixture();
    expect((await fixture.send()).outcome).toMatchObject({ kind: 'accepted', status: 'live' });
    fixture.trade(1_000);
    await fixture.clock.advance(NEXT_CHECK);
    expect(fixture.fills()).toEqual([]);
    fixture.trade(5);
    await fixture.clock.advance(NEXT_CHECK);
    fixture.trade(400);
    await fixture.clock.advance(NEXT_CHECK);
    expect(fixture.fills()).toEqual([
      ['maker', 4_800, 5_000_000],
      ['maker', 4_800, 15_000_000],
    ]);
    expect(fixture.statuses()).toEqual(['live 0', 'live 5000000', 'matched 20000000']);
  });

  it('counts trades in between once, however many came before one check', async () => {
    const fixture = aFixture();
    await fixture.send();
    for (let trade = 0; trade < 4; trade += 1) fixture.trade(252);
    await fixture.clock.advance(NEXT_CHECK * 4);
    expect(fixture.fills()).toEqual([['maker', 4_800, 8_000_000]]);
  });

  it('is filled at its own price by a book that has crossed it, each share shown there once', async () => {
    const fixture = aFixture();
    await fixture.send();
    fixture.show(aFreshBook({ bids: [], asks: [aLevel(4_700, 12)] }));
    await fixture.clock.advance(NEXT_CHECK * 10);
    expect(fixture.fills()).toEqual([['maker', 4_800, 12_000_000]]);
  });

  it('L8: stays where it is while the book is in doubt, old or missing', async () => {
    const fixture = aFixture();
    await fixture.send();
    for (const doubtful of [
      aFreshBook({ asks: CROSSING, distrust: 'crossed' }),
      aFreshBook({ asks: CROSSING, receivedAtMs: T0 - ORDER.bookAgeMaximumMs }),
      null,
    ]) {
      fixture.show(doubtful);
      await fixture.clock.advance(NEXT_CHECK * 4);
    }
    expect(fixture.fills()).toEqual([]);
  });

  it.each<[string, Partial<Market>]>([
    ['has ended', { endsAtMs: T0 + PAPER.latencyMs }],
    ['was closed', { closed: true }],
  ])('is not taken by a market that %s before it arrived', async (_what, changes) => {
    const fixture = aFixture(createMemoryStore(), createVirtualClock(T0), changes);
    const { outcome } = await fixture.send();
    expect([outcome, fixture.statuses()]).toEqual([
      { kind: 'rejected', reason: 'the market has ended' },
      [],
    ]);
  });

  it('ends at its time with what it has, and trades no more', async () => {
    const fixture = aFixture();
    await fixture.send(aBid({ expiresAtMs: T0 + 5_000 }));
    fixture.trade(1_003);
    await fixture.clock.advance(5_000);
    fixture.trade(10_000);
    await fixture.clock.advance(NEXT_CHECK * 4);
    expect([fixture.fills(), fixture.statuses().at(-1)]).toEqual([
      [['maker', 4_800, 3_000_000]],
      'expired 3000000',
    ]);
  });

  it('is cancelled once; after that it is unclear, as it is at the venue', async () => {
    const fixture = aFixture();
    const { order } = await fixture.send();
    const cancels = [
      fixture.exchange.gateway.cancel(order),
      fixture.exchange.gateway.cancel(order),
    ];
    await fixture.clock.advance(LATER);
    expect((await Promise.all(cancels)).map(({ kind }) => kind)).toEqual(['cancelled', 'unclear']);
    fixture.trade(10_000);
    await fixture.clock.advance(NEXT_CHECK * 4);
    expect([fixture.fills(), await fixture.exchange.gateway.openOrders(USER)]).toEqual([
      [],
      { read: [], unread: 0 },
    ]);
  });

  it('L1: is one order however often its bytes come', async () => {
    const fixture = aFixture();
    await fixture.send();
    expect((await fixture.send()).outcome).toEqual({ kind: 'duplicate' });
    expect((await fixture.exchange.gateway.openOrders(USER)).read).toHaveLength(1);
  });

  it('L9: goes on resting after a restart with what it has, at the end of its queue', async () => {
    const first = aFixture();
    const { order } = await first.send();
    first.trade(1_005);
    await first.clock.advance(NEXT_CHECK);
    first.exchange.stop();
    const second = aFixture(first.store, first.clock);
    second.exchange.recover();
    await second.clock.advance(NEXT_CHECK);
    second.trade(999);
    await second.clock.advance(NEXT_CHECK);
    expect(second.fills()).toEqual([]);
    second.trade(100);
    await second.clock.advance(NEXT_CHECK);
    expect(second.fills()).toEqual([['maker', 4_800, 15_000_000]]);
    expect(await second.exchange.gateway.lookup(order)).toMatchObject({
      kind: 'found',
      order: { status: 'matched', matchedShares: 20_000_000 },
    });
  });
});
