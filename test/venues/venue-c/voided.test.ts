import { describe, expect, it } from 'vitest';
import { NOTIFICATION } from '../../../config/limits/notification.ts';
import { createMemoryStore } from '../../../src/adapters/memory/memory-store.ts';
import { AppError } from '../../../src/domain/errors.ts';
import { notificationText } from '../../../src/domain/notification-table.ts';
import { isTerminal } from '../../../src/domain/order.ts';
import { shareMicros } from '../../../src/domain/units.ts';
import { RESOLUTIONS } from '../../../src/services/books/tables.ts';
import { NOTIFICATIONS } from '../../../src/services/notifications/tables.ts';
import { TRANSACTIONS } from '../../../src/services/transactions/tables.ts';
import { brokenLaws, during } from '../../support/worlds/trading-world.ts';
import {
  createVenueCChainWorld,
  type VenueCChainWorld,
} from '../../support/worlds/venue-c-chain-world.ts';
import { startLife, type VenueLife } from '../../support/worlds/venue-life.ts';

const TRIES = 240;
const AGAIN_MS = 1_000;
const VOID = [500_000, 500_000] as const;

/** Lets time pass until something is so. */
async function passes(world: VenueCChainWorld, isSo: () => boolean | Promise<boolean>) {
  for (let tries = 0; tries < TRIES; tries += 1) {
    if (await isSo()) return;
    await world.clock.advance(AGAIN_MS);
  }
  expect.unreachable('it comes');
}

/** Buys 20 shares of an outcome, with the right it needs first. */
async function bought(world: VenueCChainWorld, life: VenueLife, outcome: 0 | 1): Promise<void> {
  await passes(world, async () => {
    try {
      await life.placed({ outcome });
      return true;
    } catch (cause) {
      if (!(cause instanceof AppError) || !cause.retryable) throw cause;
      return false;
    }
  });
  await passes(
    world,
    () =>
      life.orders().every(({ state }) => isTerminal(state)) &&
      life.fills().every(({ settlement }) => settlement === 'settled'),
  );
}

describe.each(['order_book', 'pool'] as const)('a voided market of the kind %s', (mechanism) => {
  it.each([
    ['by itself', false],
    ['on request, while it is done by itself', true],
  ] as const)(
    'L4: pays half a dollar for each share of both outcomes, once, %s',
    { timeout: 120_000 },
    async (_how, isAsked) => {
      const world = await createVenueCChainWorld(mechanism);
      const { userId, market, on, user } = world;
      const life = await startLife([world], createMemoryStore(), 'voided');
      const { portfolio, resolutionHint } = life.core.trading;
      const held = () => portfolio.holdings(userId, { marketId: market.marketId });
      try {
        await passes(world, async () => {
          await life.syncDeposits();
          return life.cash().settled > 0;
        });
        const begun = life.cash().settled;
        for (const outcome of [0, 1] as const) {
          const { tokenId } = market.outcomes[outcome];
          if (mechanism === 'order_book')
            world.quote({ tokenId, side: 'sell', price: 5_200, shares: 20 });
          await bought(world, life, outcome);
        }
        const before = held().map(({ position }) => position);
        expect(before.map(({ shares }) => shares > 0)).toEqual([true, true]);

        world.end(VOID);
        resolutionHint(market.marketId);
        await passes(world, () => life.store.get(RESOLUTIONS, [market.marketId]) !== null);
        expect(life.store.get(RESOLUTIONS, [market.marketId])?.value.payoutTicks).toEqual([
          5_000, 5_000,
        ]);
        if (isAsked) {
          const worth = before.reduce((sum, { shares }) => sum + Math.floor(shares / 2), 0);
          const claims = life.core.claimsAt(world.row.id);
          const claim = claims === null ? [] : await during(world, claims.claim(userId));
          expect(claim).toMatchObject([{ marketId: market.marketId, usdc: worth }]);
        }
        await passes(world, () => held().every(({ position }) => position.shares === 0));
        await world.clock.advance(20_000);

        expect(held().map(({ position }) => [position.state, position.realizedPnl])).toEqual(
          before.map(({ shares, costUsdc, realizedPnl }) => [
            'redeemed',
            realizedPnl + Math.floor(shares / 2) - costUsdc,
          ]),
        );
        const realised = held().reduce((sum, { position }) => sum + position.realizedPnl, 0);
        expect(life.cash()).toMatchObject({ settled: begun + realised, provisional: 0 });
        expect(Number(await on.dollars(user.account))).toBe(begun + realised);
        for (const { tokenId } of market.outcomes)
          expect(shareMicros(Number(await on.shares(user.account, tokenId)))).toBe(0);
        const redemptions = life.store
          .range(TRANSACTIONS)
          .flatMap(({ value: { purpose, state } }) =>
            purpose.kind === 'venue_redemption' ? [state] : [],
          );
        expect(redemptions).toEqual(['done']);
        expect(brokenLaws(life.store, userId)).toEqual([]);

        const titles = life.store
          .range(NOTIFICATIONS, { prefix: [userId] })
          .filter(({ value: { facts } }) => facts.kind.startsWith('position'))
          .map(({ value: { facts } }) => notificationText(facts, NOTIFICATION).title);
        expect(titles).toHaveLength(2);
        for (const title of titles) expect(title).toMatch(/^A position was paid: [\d.]+ USDC$/);
        await life.end();
      } finally {
        await world.closed();
      }
    },
  );
});
