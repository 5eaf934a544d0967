import { expect, it } from 'vitest';
import { createMemoryStore } from '../../../src/adapters/memory/memory-store.ts';
import { asId } from '../../../src/domain/ids.ts';
import type { TokenId } from '../../../src/domain/ids.ts';
import { choicesOf, defaultSettings } from '../../../src/domain/settings.ts';
import { STRATEGIES } from '../../../src/domain/strategy/table.ts';
import { AGENT } from '../../../config/limits.ts';
import { AGENTS } from '../../../src/services/books/tables.ts';
import type { OrderOrigin } from '../../../src/domain/order.ts';
import { createVenues } from '../../../src/services/venues.ts';
import { aLimitBuy, aMarketBuy, aMarketId, aMarketSell, T0 } from '../../support/builders.ts';
import { aWorld, during, ordersOf } from '../../support/worlds/trading-world.ts';

const BY_AGENT: OrderOrigin = {
  kind: 'agent',
  agentId: 'btc_5min',
  decisionId: asId('dec_1'),
  purpose: 'entry',
};

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

it('fetches the book for a market order manually, and for one that says nobody may be watching it', async () => {
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

it('sends somebody the venue does not know to show who they are before they buy, by a link made afresh, and asks nobody who sells', async () => {
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
  expect((await place(aMarketSell(2))).state).not.toBe('rejected');
  expect(ordersOf(life.store)).toHaveLength(2);
});
