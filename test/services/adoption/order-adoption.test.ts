import { describe, expect, it } from 'vitest';
import type { MemoryStore } from '../../../src/adapters/memory/memory-store.ts';
import type { OrderRecords } from '../../../src/ports/order-records.ts';
import { postToLedger } from '../../../src/services/books/record-changes.ts';
import { AGENT_MARKETS, AGENTS, FILLS, ORDERS } from '../../../src/services/books/tables.ts';
import { createVenues } from '../../../src/services/venues.ts';
import type { AgentRecord } from '../../../src/domain/agent.ts';
import { departureEntry } from '../../../src/domain/ledger-entries.ts';
import { usdcMicros } from '../../../src/domain/units.ts';
import { aLimitBuy, aMarketBuy, aMarketSell } from '../../support/builders.ts';
import {
  aFundedLife,
  brokenLaws,
  during,
  type Life,
  type World,
} from '../../support/worlds/trading-world.ts';

/** What the fake venue has on record, as a venue that lists trades and open orders. */
function recordsOf({ venue, markets }: World): OrderRecords {
  return {
    async strangers(userId, sinceMs, known) {
      const traded = (await venue.fills(userId, sinceMs)).read.map(({ orderId }) => orderId);
      const open = (await venue.openOrders(userId)).read.map(({ orderId }) => orderId);
      const read = [...new Set([...traded, ...open])]
        .filter((orderId) => !known.has(orderId))
        .flatMap((orderId) => {
          const intent = venue.orders.get(orderId)?.intent;
          const market = markets.find(({ marketId }) => marketId === intent?.marketId);
          if (intent === undefined || market === undefined) return [];
          const { tokenId, outcome, side, life, price } = intent;
          const { spendMicros, receiveMicros, exact, createdAtMs, expiresAtMs } = intent;
          const what = { market, tokenId, outcome, side, life, price };
          const amounts = { spendMicros, receiveMicros, exact, createdAtMs, expiresAtMs };
          const attempt = { attemptId: orderId as never, orderId, body: '', extra: null };
          return [{ ...what, ...amounts, attempt }];
        });
      return { read, unread: 0 };
    },
  };
}

/** Trades, loses the store that knows of it, and lives on with the one from before. */
async function restored(
  trade: (life: Life, world: World) => Promise<unknown>,
): Promise<{ world: World; life: Life; store: MemoryStore; truth: MemoryStore; upToMs: number }> {
  const { world, life, store: truth } = await aFundedLife();
  await during(
    world,
    life.orders.place(world.user, aMarketBuy({ marketId: world.market.marketId })),
  );
  await world.clock.advance(10_000);
  const store = truth.crash();
  const upToMs = world.clock.nowMs();
  await world.clock.advance(60_000);
  await trade(life, world);
  life.die();
  await life.orders.stop();
  const next = world.live(store, {
    seed: 'restored',
    venues: (venues) =>
      createVenues(venues.map((venue) => ({ ...venue, records: recordsOf(world) }))),
  });
  await next.orders.recover();
  return { world, life: next, store, truth, upToMs };
}

const orders = (store: MemoryStore) =>
  store
    .range(ORDERS)
    .map(({ value: { attempts, state, filledShares, filledUsdc, feesUsdc, reserved } }) => ({
      orderId: attempts.at(-1)?.orderId,
      state,
      filledShares,
      filledUsdc,
      feesUsdc,
      reserved,
    }))
    .sort((one, other) => (String(one.orderId) < String(other.orderId) ? -1 : 1));
const fills = (store: MemoryStore) =>
  store.range(FILLS).map(({ value: { tradeId, shares, usdc, fee, settlement } }) => ({
    tradeId,
    shares,
    usdc,
    fee,
    settlement,
  }));

async function adopted(world: World, life: Life, upToMs: number): Promise<number> {
  const { adopted: count } = await during(
    world,
    life.orderAdoption.adopt(world.user, upToMs - 10_000),
  );
  await world.clock.advance(60_000);
  return count;
}

describe('orders that a restored store lacks', () => {
  const aDay = async (life: Life, world: World): Promise<void> => {
    await during(world, life.orders.place(world.user, aMarketBuy()));
    await world.clock.advance(10_000);
    await during(world, life.orders.place(world.user, aMarketSell(5)));
    await world.clock.advance(10_000);
    await during(world, life.orders.place(world.user, aLimitBuy()));
    await world.clock.advance(1_000);
  };

  it('L3, L4: are ours again with all their trades, as they were, those that rest among them', async () => {
    const { world, life, store, truth, upToMs } = await restored(aDay);
    expect(orders(store)).not.toEqual(orders(truth));
    expect(await adopted(world, life, upToMs)).toBe(3);
    expect(orders(store)).toEqual(orders(truth));
    expect(fills(store)).toEqual(fills(truth));
    expect(life.portfolio.cash(world.user, 'usdc:safe').settled).toBe(
      await world.venue.collateral(world.user),
    );
    expect(brokenLaws(store, world.user)).toEqual([]);
  });

  it('L1: are adopted once, however often, and never sent again', async () => {
    const { world, life, store, upToMs } = await restored(aDay);
    const sent = [...world.venue.bodies.values()].flat().length;
    await adopted(world, life, upToMs);
    const once = [orders(store), fills(store)];
    expect(await adopted(world, life, upToMs)).toBe(0);
    const third = world.live(store.crash());
    await third.orders.recover();
    await world.clock.advance(60_000);
    expect([orders(store), fills(store)]).toEqual(once);
    expect([...world.venue.bodies.values()].flat()).toHaveLength(sent);
  });

  it('L7: keep the agents of their user out of their markets, for one may have been theirs', async () => {
    const { world, life, store, upToMs } = await restored(aDay);
    const key = [world.user, 'btc_5min'];
    await store.write((tx) => tx.put(AGENTS, key, {} as AgentRecord)); // that it is there is asked
    await adopted(world, life, upToMs);
    expect(store.get(AGENT_MARKETS, [...key, world.market.marketId])).not.toBeNull();
    expect(store.get(AGENT_MARKETS, [world.user, 'sol_15min', world.market.marketId])).toBeNull();
  });

  it('L4: are left as the movements they were booked as before', async () => {
    const { world, life, store, truth, upToMs } = await restored(aDay);
    const [first] = world.venue.orders.keys();
    const lacking = [...world.venue.orders.keys()].find(
      (orderId) => orderId !== first && !orders(store).some((order) => order.orderId === orderId),
    );
    await store.write((tx) =>
      postToLedger(
        tx,
        world.user,
        departureEntry({
          userId: world.user,
          cashAccount: 'usdc:safe',
          transferId: `SOLANA:${lacking}`,
          usdc: usdcMicros(1),
          atMs: upToMs,
        }),
      ),
    );
    expect(await adopted(world, life, upToMs)).toBe(2);
    expect(orders(truth)).toHaveLength(orders(store).length + 1);
  });

  it('say where they are from, in the journal', async () => {
    const { world, life, store, upToMs } = await restored(aDay);
    await adopted(world, life, upToMs);
    const lines = store
      .readJournal(0, 10_000)
      .flatMap(({ event }) => (event.type === 'audit.recorded' ? [event] : []));
    expect(lines).toHaveLength(3);
    expect(lines[0]).toMatchObject({
      action: 'order_adopted',
      detail: 'on record at venue_a and not here: adopted after a restore',
    });
  });
});
