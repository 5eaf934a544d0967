import { describe, expect, it } from 'vitest';
import { asId, type VenueId } from '../../../src/domain/ids.ts';
import type { KeyLimits } from '../../../src/domain/key-limits.ts';
import type { OrderOrigin } from '../../../src/domain/order.ts';
import { usdcMicros } from '../../../src/domain/units.ts';
import { claimKeyCharge } from '../../../src/services/api-keys/key-spends.ts';
import { API_KEY_RECORDS, API_KEY_SPENDS } from '../../../src/services/api-keys/tables.ts';
import { ORDERS } from '../../../src/services/books/tables.ts';
import { aLimitBuy, aMarketBuy, aMarketSell, T0 } from '../../support/builders.ts';
import { aKeyRecord } from '../../support/worlds/key-record.ts';
import { aFundedLife, during, type Life, type World } from '../../support/worlds/trading-world.ts';

const KEY = 'key_1';
const byKey: OrderOrigin = { kind: 'manual', keyId: KEY };
/** What a limit buy of 25 shares sets aside, fee included. */
const LIMIT_BUY_USDC = 10_701_000;
const twentyFive = { unit: 'shares', micros: 25_000_000 } as const;

async function keep(
  life: Life,
  { user }: World,
  limits: Partial<KeyLimits>,
  revokedAtMs: number | null = null,
): Promise<void> {
  await life.commit((tx) =>
    tx.put(API_KEY_RECORDS, [user, KEY], aKeyRecord(user, KEY, limits, { revokedAtMs })),
  );
}

describe('L5: limits of an API key', () => {
  it('L5: hold one order to its size, to the micro, and count what it set aside', async () => {
    const { world, life, store } = await aFundedLife();
    await keep(life, world, { orderUsdc: usdcMicros(LIMIT_BUY_USDC - 1) });
    const place = () =>
      during(
        world,
        life.orders.place(world.user, aLimitBuy({ amount: twentyFive, origin: byKey })),
      );
    await expect(place()).rejects.toMatchObject({ code: 'cap_exceeded' });
    expect(store.range(ORDERS, { prefix: [world.user] })).toEqual([]);
    await keep(life, world, { orderUsdc: usdcMicros(LIMIT_BUY_USDC) });
    expect((await place()).intent.origin).toEqual(byKey);
    expect(store.get(API_KEY_SPENDS, [KEY])?.value.usdc).toBe(LIMIT_BUY_USDC);
  });

  it('L5: hold 200 orders at once to the day, to the micro; the next day begins anew', async () => {
    const { world, life, store } = await aFundedLife(1_000_000_000, {
      lock: { leaseMs: 30_000, queueMaximum: 500 },
    });
    await keep(life, world, { dayUsdc: usdcMicros(LIMIT_BUY_USDC * 4 - 1) });
    const order = () =>
      life.orders.place(world.user, aLimitBuy({ amount: twentyFive, origin: byKey }));
    const results = await during(world, Promise.allSettled(Array.from({ length: 200 }, order)));
    const refused = results.flatMap((each) => (each.status === 'rejected' ? [each.reason] : []));
    expect([results.length - refused.length, new Set(refused.map(({ code }) => code))]).toEqual([
      3,
      new Set(['cap_exceeded']),
    ]);
    expect(store.get(API_KEY_SPENDS, [KEY])?.value.usdc).toBe(LIMIT_BUY_USDC * 3);
    const day = store.get(API_KEY_SPENDS, [KEY])?.value.day ?? 0;
    const claim = (onDay: number, usdc: number) =>
      life.commit((tx) =>
        claimKeyCharge(tx, {
          userId: world.user,
          keyId: KEY,
          venue: null,
          usdc,
          confirmationId: null,
          atMs: onDay * 86_400_000,
        }),
      );
    await claim(day + 1, LIMIT_BUY_USDC);
    // an order that was drafted before midnight counts for the day that has begun
    await claim(day, 1);
    expect(store.get(API_KEY_SPENDS, [KEY])?.value).toEqual({
      day: day + 1,
      usdc: LIMIT_BUY_USDC + 1,
    });
  });

  it('are not asked of a sale, and a repeated order is charged once', async () => {
    const { world, life, store } = await aFundedLife();
    await keep(life, world, { dayUsdc: usdcMicros(12_000_000) });
    const buy = aMarketBuy({ origin: byKey, idempotencyKey: 'once' });
    const first = await during(world, life.orders.place(world.user, buy));
    const again = await during(world, life.orders.place(world.user, buy));
    const spent = store.get(API_KEY_SPENDS, [KEY])?.value.usdc;
    await world.clock.advance(10_000);
    const sale = await during(
      world,
      life.orders.place(world.user, aMarketSell(10, { origin: byKey })),
    );
    expect([again.intent.intentId, sale.intent.side]).toEqual([first.intent.intentId, 'sell']);
    expect(store.get(API_KEY_SPENDS, [KEY])?.value.usdc).toBe(spent);
  });

  it('keep a key to its venues, and a revoked one from everything, in the transaction of the order', async () => {
    const { world, life } = await aFundedLife();
    const codeOf = async () =>
      during(world, life.orders.place(world.user, aMarketBuy({ origin: byKey }))).then(
        () => 'placed',
        (error: { readonly code: string }) => error.code,
      );
    await keep(life, world, { venues: [asId<VenueId>('venue_x')] });
    const elsewhere = await codeOf();
    await keep(life, world, {}, T0);
    expect([elsewhere, await codeOf()]).toEqual(['forbidden', 'api_key_invalid']);
  });

  it('are stated by an estimate, with what placing would be refused for', async () => {
    const { world, life } = await aFundedLife();
    await keep(life, world, {
      orderUsdc: usdcMicros(50_000_000),
      dayUsdc: usdcMicros(LIMIT_BUY_USDC + 1),
    });
    const request = aLimitBuy({ amount: twentyFive, origin: byKey });
    await during(world, life.orders.place(world.user, request));
    const { room, keyDayUsdc, refusal } = await during(
      world,
      life.orders.estimate(world.user, request),
    );
    expect([room.orderUsdc, keyDayUsdc, refusal?.code]).toEqual([50_000_000, 1, 'cap_exceeded']);
  });

  it.each<[string, number | null, number | null, number | null]>([
    ['the key’s limit of an order where that is the tighter', 30, 50, 30],
    ['the cap of everybody where that is the tighter', 50, 30, 30],
    ['the key’s limit where there is no cap', 50, null, 50],
    ['the cap where the key has no limit of an order', null, 30, 30],
    ['nothing where there is neither', null, null, null],
  ])('leave room in an estimate, beside what else there is: %s', async (_, limit, cap, left) => {
    const micros = (usdc: number | null) => (usdc === null ? null : usdcMicros(usdc * 1_000_000));
    const capped = micros(cap);
    const { world, life } = await aFundedLife(100_000_000, {
      caps: capped === null ? {} : { orderUsdc: capped },
    });
    await keep(life, world, { orderUsdc: micros(limit) });
    const roomOf = async (origin: OrderOrigin) =>
      (await life.orders.estimate(world.user, aLimitBuy({ origin }))).room;
    const [byHand, room] = [await roomOf({ kind: 'manual' }), await roomOf(byKey)];
    expect([byHand.orderUsdc, room]).toEqual([capped, { ...byHand, orderUsdc: micros(left) }]);
    expect(room.usdc).toBe(100_000_000);
  });
});
