import { describe, expect, it } from 'vitest';
import { createMemoryStore } from '../../../src/adapters/memory/memory-store.ts';
import { AppError } from '../../../src/domain/errors.ts';
import { asId, type TokenId } from '../../../src/domain/ids.ts';
import { choicesOf, defaultSettings } from '../../../src/domain/settings.ts';
import { STRATEGIES } from '../../../src/domain/strategy/table.ts';
import { AGENT } from '../../../config/limits.ts';
import { AGENTS } from '../../../src/services/books/tables.ts';
import type { OrderOrigin } from '../../../src/domain/order.ts';
import type { PlaceOrder } from '../../../src/services/orders/place-order.ts';
import { createVenues } from '../../../src/services/venues.ts';
import { aLimitBuy, aMarketBuy, aMarketId, aMarketSell, T0 } from '../../support/builders.ts';
import { anEnabledAgent } from '../../support/worlds/enabled-agent.ts';
import { aKeptWorld } from '../../support/worlds/kept-world.ts';
import { aFundedLife, aWorld, during, ordersOf } from '../../support/worlds/trading-world.ts';

const BY_AGENT = {
  kind: 'agent',
  agentId: 'btc_5min',
  decisionId: asId('dec_1'),
  purpose: 'entry',
} as const satisfies OrderOrigin;

/**
 * A user's process at a venue whose books are fetched when asked for, and whose wallet may not be
 * ready.
 */
async function start() {
  const world = aWorld();
  const fetched: TokenId[] = [];
  const missing: string[] = [];
  const unknown = { isUnknown: false, links: 0 };
  const life = world.live(createMemoryStore(), {
    venues: (all) =>
      createVenues(
        all.map((venue) => ({
          ...venue,
          warmBook: async (_market, tokenId) => void fetched.push(tokenId),
          funds: { missing: () => missing, redeem: async () => undefined, syncDeposits: null },
          identity: {
            isVerified: async () => !unknown.isUnknown,
            link: async () => `https://who.example/${(unknown.links += 1)}`,
          },
        })),
      ),
  });
  await life.orders.recover();
  await life.funding.syncDeposits(world.user);
  await life.commit((tx) =>
    tx.put(AGENTS, [world.user, 'btc_5min'], {
      userId: world.user,
      agentId: 'btc_5min',
      enabled: true,
      updatedAtMs: T0,
      settings: defaultSettings(choicesOf(STRATEGIES, 'btc_5min'), AGENT),
    }),
  );
  const place = (request: Parameters<typeof life.orders.place>[1]) =>
    during(world, life.orders.place(world.user, request));
  return { world, life, fetched, missing, unknown, place };
}

it('fetches the book for a market order manually, and for one that says its book may be unwatched', async () => {
  const { world, fetched, place } = await start();
  const { tokenId } = world.market.outcomes[0];
  await place(aLimitBuy());
  await place(aMarketBuy({ origin: BY_AGENT }));
  await place(aMarketBuy({ marketId: aMarketId(2), fetchesBook: false }));
  expect(fetched).toEqual([]);
  await place(aMarketBuy());
  const [, other] = world.markets;
  await place(aMarketBuy({ marketId: aMarketId(2), origin: BY_AGENT, fetchesBook: true }));
  expect(fetched).toEqual([tokenId, other?.outcomes[0].tokenId]);
});

it('tells a person what the wallet waits for, before anything is asked for, and gives an order made before all the same', async () => {
  const { life, fetched, missing, place } = await start();
  const made = await place(aMarketBuy({ idempotencyKey: 'once' }));
  missing.push('deployment', 'allowances');
  await expect(place(aMarketBuy())).rejects.toMatchObject({
    code: 'wallet_not_ready',
    retryable: true,
    message: 'your Safe still waits for its deployment and allowances, which come by themselves',
  });
  expect([
    (await place(aMarketBuy({ idempotencyKey: 'once' }))).intent.intentId,
    fetched.length,
    ordersOf(life.store).length,
  ]).toEqual([made.intent.intentId, 1, 1]);
});

it('sends a user unknown to the venue to prove their identity before they buy, by a link made afresh, and asks nothing of sellers', async () => {
  const { world, life, unknown, place } = await start();
  await place(aMarketBuy());
  await world.clock.advance(10_000);
  unknown.isUnknown = true;
  const refused = (link: string) => ({ code: 'verification_required', link });
  await expect(place(aMarketBuy())).rejects.toMatchObject(refused('https://who.example/1'));
  await expect(place(aLimitBuy())).rejects.toMatchObject(refused('https://who.example/2'));
  expect((await life.orders.estimate(world.user, aMarketBuy())).refusal?.code).toBe(
    'verification_required',
  );
  expect((await life.orders.estimate(world.user, aMarketSell(2))).refusal).toBeNull();
  expect((await place(aMarketSell(2))).state).not.toBe('rejected');
  expect(ordersOf(life.store)).toHaveLength(2);
});

it('refuses buys where a venue may not sell from here, says so in an estimate, and has whoever holds sell', async () => {
  const gate = { isShut: false };
  const refusal = new AppError('venue_restricted', 'not from here');
  const { world, life } = await aFundedLife(undefined, {
    venues: (all) =>
      createVenues(
        all.map((venue) => ({
          ...venue,
          assertRegionAllowsBuys() {
            if (gate.isShut) throw refusal;
          },
        })),
      ),
  });
  const place = (request: Parameters<typeof life.orders.place>[1]) =>
    during(world, life.orders.place(world.user, request));
  await place(aMarketBuy());
  await world.clock.advance(10_000);
  gate.isShut = true;
  await expect(place(aMarketBuy())).rejects.toBe(refusal);
  expect([
    (await life.orders.estimate(world.user, aMarketBuy())).refusal?.code,
    (await life.orders.estimate(world.user, aMarketSell(2))).refusal,
    (await place(aMarketSell(2))).state,
  ]).toEqual(['venue_restricted', null, 'filled']);
});

describe('what a venue prepares before an order is signed', () => {
  /** A user whose venue takes a second to prepare an order. */
  async function aSlowVenue() {
    const prepared: string[] = [];
    const { world, life } = await aFundedLife(undefined, {
      venues: (all) =>
        createVenues(
          all.map((venue) => ({
            ...venue,
            signer: {
              ...venue.signer,
              asksVenue: true,
              prepare({ intent }) {
                prepared.push(intent.intentId);
                return new Promise((resolve) => void world.clock.after(1_000, () => resolve(null)));
              },
            },
          })),
        ),
    });
    return { world, life, prepared };
  }

  it('is asked for once for each order, before it leaves', async () => {
    const { world, life, prepared } = await aSlowVenue();
    const placing = life.orders.place(world.user, aMarketBuy({ idempotencyKey: 'once' }));
    const again = life.orders.place(world.user, aMarketBuy({ idempotencyKey: 'once' }));
    await world.clock.advance(500);
    expect([prepared.length, world.venue.bodies.size]).toEqual([1, 0]);
    const [{ intent }, second] = await during(world, Promise.all([placing, again]));
    expect([prepared, second.intent.intentId]).toEqual([[intent.intentId], intent.intentId]);
  });

  it.each<[string, PlaceOrder]>([
    ['insufficient_funds', aMarketBuy({ amount: { unit: 'usdc', micros: 99_900_000 } })],
    ['insufficient_shares', aMarketSell(5)],
  ])('is not asked for where the books refuse the order: %s', async (code, request) => {
    const { world, life, prepared } = await aSlowVenue();
    await expect(during(world, life.orders.place(world.user, request))).rejects.toMatchObject({
      code,
    });
    expect(prepared).toEqual([]);
  });

  it.each([
    ['a book that is read from time to time', true, 2, 'filled'],
    ['a book that is reported as it changes', false, 1, 'no_liquidity'],
  ])(
    'of %s is asked for again once the next reading is there: %s',
    async (_what, isPolled, asks, end) => {
      const warmed: (number | undefined)[] = [];
      const tried: number[] = [];
      const { world, life } = await aFundedLife(undefined, {
        venues: (all) =>
          createVenues(
            all.map((venue) => ({
              ...venue,
              traits: { ...venue.traits, ...(isPolled ? { bookIsPolled: true } : {}) },
              warmBook: async (_market, _tokenId, afterMs) => void warmed.push(afterMs),
              signer: {
                ...venue.signer,
                asksVenue: true,
                prepare({ intent }) {
                  tried.push(intent.price);
                  if (tried.length === 1)
                    throw new AppError('no_liquidity', 'the pool has moved', { retryable: true });
                  return null;
                },
              },
            })),
          ),
      });
      const placing = during(world, life.orders.place(world.user, aMarketBuy()));
      const came = await placing.then(
        ({ state }) => state,
        (error: AppError) => error.code,
      );
      expect([tried.length, came]).toEqual([asks, end]);
      expect(warmed.filter((afterMs) => afterMs !== undefined)).toHaveLength(asks - 1);
    },
  );

  it.each([
    ['is read from time to time', true, 2],
    ['is reported as it changes', false, 1],
  ])(
    'an estimate by a book that %s is made by the next reading where the last one refuses it: %s',
    async (_what, isPolled, drafts) => {
      let drafted = 0;
      const { world, life } = await aFundedLife(undefined, {
        venues: (all) =>
          createVenues(
            all.map((venue) => ({
              ...venue,
              traits: { ...venue.traits, ...(isPolled ? { bookIsPolled: true } : {}) },
              warmBook: async () => undefined,
              rules: {
                ...venue.rules,
                terms(question) {
                  drafted += 1;
                  if (drafted === 1) throw new AppError('no_liquidity', 'a trade has gone by');
                  return venue.rules.terms(question);
                },
              },
            })),
          ),
      });
      const estimating = during(world, life.orders.estimate(world.user, aMarketBuy()));
      const came = await estimating.then(
        ({ shares }) => shares > 0,
        (error: AppError) => error.code,
      );
      expect([drafted, came]).toEqual([drafts, isPolled ? true : 'no_liquidity']);
    },
  );

  it('is not asked for where the order waits with this service', async () => {
    const world = aKeptWorld();
    const life = world.live(createMemoryStore());
    await life.orders.recover();
    await life.funding.syncDeposits(world.user);
    await during(world, life.orders.place(world.user, aLimitBuy()));
    expect(world.prepared).toEqual([]);
  });
});

it('places an order at a venue that prepares nothing', async () => {
  const { world, life } = await aFundedLife(undefined, {
    venues: (all) =>
      createVenues(all.map(({ signer: { sign }, ...venue }) => ({ ...venue, signer: { sign } }))),
  });
  expect((await during(world, life.orders.place(world.user, aLimitBuy()))).state).toBe('live');
});

describe('the order of an agent', () => {
  it('waits for no wallet, and is rounded where a person gets a refusal that names the step', async () => {
    const { missing, place } = await start();
    const amount = { unit: 'usdc', micros: 10_000_001 } as const;
    await expect(place(aMarketBuy({ amount }))).rejects.toMatchObject({ code: 'amount_off_step' });
    missing.push('deployment');
    expect((await place(aMarketBuy({ amount, origin: BY_AGENT }))).intent.spendMicros).toBe(
      10_000_000,
    );
  });

  it('L8: is no entry while what becomes of its user’s orders cannot be seen; its sales and what people do are not held for that', async () => {
    const world = aWorld();
    const life = world.live(createMemoryStore(), { watchedMaximum: 0 });
    await life.orders.recover();
    await life.funding.syncDeposits(world.user);
    await anEnabledAgent(life, world.user);
    const place = (request: PlaceOrder) => during(world, life.orders.place(world.user, request));
    await expect(place(aMarketBuy({ origin: BY_AGENT }))).rejects.toMatchObject({
      code: 'agent_degraded',
      retryable: true,
    });
    expect((await place(aMarketBuy())).state).not.toBe('rejected');
    await world.clock.advance(10_000);
    await expect(
      place(aMarketSell(2, { origin: { ...BY_AGENT, purpose: 'exit' } })),
    ).rejects.toMatchObject({ code: 'insufficient_shares' });
  });
});
