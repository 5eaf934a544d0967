import { describe, expect, it } from 'vitest';
import { createPositionCloser, type ClosePosition } from '../../src/services/position-closer.ts';
import { aMarketBuy, aMarketId, aMarketSell } from '../support/builders.ts';
import { aFundedLife, during } from '../support/worlds/trading-world.ts';
import { VENUE_A } from '../support/venue-ids.ts';
import { priceTicks } from '../../src/domain/units.ts';

/** A user with 20 shares of Yes. */
async function aHolder() {
  const { world, life, store } = await aFundedLife();
  const closing = createPositionCloser({ ...life, store, redeemsByOrder: () => false });
  await during(world, life.orders.place(world.user, aMarketBuy()));
  await world.clock.advance(10_000);
  const close = (change: Partial<ClosePosition> = {}) =>
    during(
      world,
      closing.close(world.user, {
        keyId: null,
        venue: VENUE_A,
        marketId: world.market.marketId,
        outcome: null,
        shareMicros: null,
        ...change,
      }),
    );
  const estimate = () =>
    during(
      world,
      closing.estimate(world.user, {
        keyId: null,
        venue: VENUE_A,
        marketId: world.market.marketId,
        outcome: null,
        shareMicros: null,
      }),
    );
  const held = () => life.portfolio.holdings(world.user, { type: 'open' });
  return { world, life, store, close, estimate, held };
}

describe('closing a position', () => {
  it('sells all of it that is free at the best bid, and answers the order', async () => {
    const { world, life, close, held } = await aHolder();
    const [before] = held();
    const rests = { kind: 'limit', price: priceTicks(9_000), expiresAtMs: null } as const;
    await during(world, life.orders.place(world.user, aMarketSell(5, { type: rests })));
    const { intent } = await close();
    expect([intent.side, intent.life, intent.requested]).toEqual([
      'sell',
      'part_now',
      { unit: 'shares', micros: (before?.position.shares ?? 0) - 5_000_000 },
    ]);
  });

  it('leaves out what a sale has taken that is not final, and what another sets aside', async () => {
    const { world, life, close, held } = await aHolder();
    const all = held()[0]?.position.shares ?? 0;
    await close({ shareMicros: 4_000_000 });
    expect(held()).toMatchObject([
      { settledShares: all, provisionalShares: -4_000_000, availableShares: all - 4_000_000 },
    ]);
    const rests = { kind: 'limit', price: priceTicks(9_000), expiresAtMs: null } as const;
    await during(world, life.orders.place(world.user, aMarketSell(5, { type: rests })));
    expect(held()).toMatchObject([{ availableShares: all - 9_000_000 }]);
    const { intent } = await close();
    expect(intent.requested).toEqual({ unit: 'shares', micros: all - 9_000_000 });
  });

  it('sells a part of it, and the same for a key once, though nothing is left then', async () => {
    const { world, close, held } = await aHolder();
    const all = held()[0]?.position.shares ?? 0;
    await close({ shareMicros: 2_000_000 });
    await world.clock.advance(10_000);
    expect(held()[0]?.position.shares).toBe(all - 2_000_000);
    const first = await close({ idempotencyKey: 'once' });
    await world.clock.advance(10_000);
    expect(held()).toEqual([]);
    const again = await close({ idempotencyKey: 'once' });
    expect(again.intent.intentId).toBe(first.intent.intentId);
  });

  it('says what it would do, and does nothing', async () => {
    const { close, held, estimate } = await aHolder();
    const before = held();
    const { intent, shares, setsAside, refusal } = await estimate();
    expect([intent.side, shares, setsAside.shares, refusal]).toEqual([
      'sell',
      before[0]?.position.shares,
      before[0]?.position.shares,
      null,
    ]);
    expect(held()).toEqual(before);
    expect((await close({ keyId: null })).intent.price).toBe(intent.price);
  });

  it('waits for the trade to be final, and says so', async () => {
    const { world, life, store } = await aFundedLife();
    const closing = createPositionCloser({ ...life, store, redeemsByOrder: () => false });
    await during(world, life.orders.place(world.user, aMarketBuy()));
    await expect(
      closing.close(world.user, {
        venue: VENUE_A,
        marketId: world.market.marketId,
        outcome: null,
        shareMicros: null,
        keyId: null,
      }),
    ).rejects.toMatchObject({ code: 'settlement_pending', retryable: true });
  });

  it.each([
    [{ marketId: aMarketId(2) }, 'insufficient_shares', 'you hold nothing of this market'],
    [{ outcome: 1 }, 'insufficient_shares', 'you hold nothing of its No'],
  ] as const)('is refused where nothing is held: %o', async (change, code, message) => {
    const { close } = await aHolder();
    await expect(close(change)).rejects.toMatchObject({ code, message });
  });

  it('asks which outcome is meant where both are held', async () => {
    const { world, life, close } = await aHolder();
    await during(world, life.orders.place(world.user, aMarketBuy({ outcome: 1 })));
    await world.clock.advance(10_000);
    await expect(close()).rejects.toMatchObject({
      code: 'invalid_request',
      fields: [{ path: '/side' }],
    });
    expect((await close({ outcome: 1 })).intent.outcome).toBe(1);
  });

  it('is refused once the market has ended', async () => {
    const { world, life, close } = await aHolder();
    await life.portfolio.recordResolution({
      marketId: world.market.marketId,
      payoutTicks: [10_000, 0],
      resolvedAtMs: world.clock.nowMs(),
    });
    await expect(close()).rejects.toMatchObject({ code: 'market_closed' });
  });
});
