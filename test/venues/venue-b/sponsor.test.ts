import { describe, expect, it } from 'vitest';
import { address } from '@solana/kit';
import { VENUE_B_SPONSOR } from '../../../config/limits/venue-b.ts';
import { solanaAddressOf, solanaSecretText } from '../../../src/adapters/keys/solana-key.ts';
import { createMemoryStore } from '../../../src/adapters/memory/memory-store.ts';
import { asId, type UserId } from '../../../src/domain/ids.ts';
import { createSponsor, isSecretKey } from '../../../src/venues/venue-b/sponsor.ts';
import { createVirtualClock } from '../../../src/adapters/clock/virtual-clock.ts';
import { T0 } from '../../support/builders.ts';
import { createPromMetrics } from '../../../src/adapters/metrics/prom-metrics.ts';
import { during } from '../../support/worlds/trading-world.ts';
import { createVenueBWorld, type VenueBWorldOptions } from '../../support/worlds/venue-b-world.ts';
import { startLife, type VenueLife } from '../../support/worlds/venue-life.ts';

const SEED = new Uint8Array(32).fill(5);
const SPONSOR = address(solanaAddressOf(SEED));
const KEY = solanaSecretText(SEED);
const DAY_MS = 86_400_000;
const USER = asId<UserId>('usr_ada');

/** A user without any SOL, in a market that sells, and a sponsor. */
async function begin(options: VenueBWorldOptions = {}) {
  const world = await createVenueBWorld({
    lamports: 0n,
    sponsor: { key: KEY },
    ...options,
  });
  world.direct.faucet.giveLamports(SPONSOR, 1_000_000_000n);
  const life = await startLife([world], createMemoryStore(), 'first');
  const lamports = (of: string = world.wallet): bigint =>
    world.direct.chain.account(address(of))?.lamports ?? 0n;
  world.quote({
    tokenId: world.market.outcomes[0].tokenId,
    side: 'sell',
    price: 5_000,
    shares: 1_000,
  });
  const before = lamports(SPONSOR);
  const paid = () => before - lamports(SPONSOR);
  const lacks = (at: VenueLife) =>
    during(world, at.venue.accounts.missing?.(world.userId) ?? Promise.resolve([]));
  return { world, life, lamports, paid, lacks };
}

/** A sponsor with enough SOL. */
function aSponsor(
  dailyLamports: number,
  store = createMemoryStore(),
  wallClock = createVirtualClock(T0),
) {
  const sponsor = createSponsor(
    { key: KEY, dailyLamports, exec: null },
    { store, solana: { lamports: async () => 10n ** 9n }, wallClock, metrics: createPromMetrics() },
  );
  return { sponsor, store, clock: wallClock };
}

describe('a sponsor at venue_b', () => {
  it('pays the network for a user without SOL, who buys, is killed, sells, and loses none', async () => {
    const { world, life, lamports, paid, lacks } = await begin();
    expect(await lacks(life)).toEqual([]);
    const bought = await life.unheard({});
    const again = await life.killed();
    await again.settled(1);
    expect(again.order(bought).state).toBe('filled');
    const name = again.order(bought).attempts[0]?.orderId ?? '';
    const landed = world.direct.chain.transaction(name);
    expect([landed?.error, landed?.accountKeys[0], paid() > 2_000_000n]).toEqual([
      null,
      SPONSOR,
      true,
    ]);
    world.quote({
      tokenId: world.market.outcomes[0].tokenId,
      side: 'buy',
      price: 4_800,
      shares: 50,
    });
    await world.clock.advance(100);
    await again.placed({ side: 'sell', amount: { unit: 'shares', micros: 20_000_000 } });
    await again.settled(2);
    expect([again.holding(), lamports()]).toEqual([0, 0n]);
    await again.agrees();
    await again.end();
  });

  it('is shown to an operator with what it holds and pays a day, and is absent without a key', async () => {
    const { world, life } = await begin({ sponsor: { key: KEY, dailyLamports: 7_000_000 } });
    expect(life.venue.sponsor).toMatchObject({ address: SPONSOR, dailyLamports: 7_000_000 });
    expect(await during(world, life.venue.sponsor?.lamports() ?? Promise.resolve(0n))).toBe(
      1_000_000_000n,
    );
    await life.end();
    const without = await startLife([await createVenueBWorld()], createMemoryStore(), 'first');
    expect(without.venue.sponsor).toBeUndefined();
    await without.end();
  });

  it('pays no more in a day than is set, over restarts, and says so', async () => {
    const { life, paid, lacks } = await begin({ sponsor: { key: KEY, dailyLamports: 7_000_000 } });
    await life.buy(1);
    await life.settled(1);
    const first = paid();
    const again = await life.killed();
    expect(await lacks(again)).toEqual([expect.stringContaining('not enough SOL for fees')]);
    await expect(again.buy(1)).rejects.toMatchObject({ code: 'insufficient_funds' });
    expect(paid()).toBe(first);
    await again.end();
  });

  it("makes no market's tokens: whoever buys there first pays for that", async () => {
    const { world, life, paid } = await begin({ isMarket: ({ isInitialized }) => !isInitialized });
    await expect(life.buy(1)).rejects.toMatchObject({
      code: 'insufficient_funds',
      message: expect.stringContaining('not enough SOL for fees'),
    });
    world.direct.faucet.giveLamports(world.wallet, 100_000_000n);
    await life.buy(1);
    await life.settled(1);
    expect(paid()).toBe(0n);
    await life.end();
  });

  it('that has no SOL itself leaves wallets to pay their own', async () => {
    const { life, lamports } = await begin({
      lamports: 100_000_000n,
      sponsor: { key: solanaSecretText(new Uint8Array(32).fill(6)) },
    });
    await life.buy(1);
    await life.settled(1);
    expect(lamports() < 100_000_000n).toBe(true);
    await life.end();
  });

  it('pays for each user, and for all, up to a sum in each UTC day', async () => {
    const { sponsor, clock, store } = aSponsor(250_000_000);
    const user = VENUE_B_SPONSOR.perUserDailyLamports;
    await sponsor.take(USER, BigInt(user));
    expect(await sponsor.canPay(USER)).toBe(false);
    await expect(sponsor.take(USER, 1n)).rejects.toMatchObject({ code: 'insufficient_funds' });
    const others = ['usr_b', 'usr_c', 'usr_d'].map((id) => asId<UserId>(id));
    const taken = await Promise.allSettled(
      others.map((one) => sponsor.take(one, BigInt(user - 1))),
    );
    expect(taken.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'rejected']);
    const { sponsor: again } = aSponsor(250_000_000, store.crash(), clock);
    expect(await again.canPay(USER)).toBe(false);
    await clock.advance(DAY_MS);
    expect(await again.canPay(USER)).toBe(true);
    await again.take(USER, 5n);
  });

  it('is set by a secret key: a seed and the public key that belongs to it', () => {
    const key = solanaSecretText(SEED);
    expect(
      [key, `${key.slice(0, -1)}${key.endsWith('2') ? '3' : '2'}`, 'abc', '0'].map(isSecretKey),
    ).toEqual([true, false, false, false]);
  });
});
