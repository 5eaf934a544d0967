import { address } from '@solana/kit';
import { expect, it } from 'vitest';
import { createMemoryStore } from '../../../src/adapters/memory/memory-store.ts';
import { solanaAddressOf, solanaSecretText } from '../../../src/adapters/keys/solana-key.ts';
import type { OrderRecord } from '../../../src/domain/order.ts';
import { viewOrder } from '../../../src/http/views/order.ts';
import { createVenueBWorld, type VenueBWorldOptions } from '../../support/worlds/venue-b-world.ts';
import { startLife } from '../../support/worlds/venue-life.ts';

/** A user in a market that sells and buys. */
async function begin(options: VenueBWorldOptions = {}) {
  const world = await createVenueBWorld(options);
  const [{ tokenId }] = world.market.outcomes;
  world.quote({ tokenId, side: 'sell', price: 5_000, shares: 1_000 });
  world.quote({ tokenId, side: 'buy', price: 4_800, shares: 50 });
  const lamports = (of: string = world.wallet): bigint =>
    world.direct.chain.account(address(of))?.lamports ?? 0n;
  return { world, lamports };
}

const shownBy = (orders: readonly OrderRecord[]): bigint =>
  orders
    .flatMap(({ attempts }) => attempts)
    .reduce((sum, { ended }) => sum + BigInt(ended?.gas?.units ?? 0), 0n);

it('L5: purchases, sales and what redeems a winner state all the SOL that left the wallet', async () => {
  const { world, lamports } = await begin();
  const life = await startLife([world], createMemoryStore(), 'first');
  const before = lamports();
  const estimates: bigint[] = [];
  const estimate = async () => {
    const { gas } = await life.estimated({});
    estimates.push(gas?.amount ?? 0n, gas?.rent ?? -1n);
  };
  await estimate();
  await life.buy(20);
  await life.settled(1);
  await estimate();
  await life.buy(5);
  await life.settled(2);
  await life.placed({ side: 'sell', amount: { unit: 'shares', micros: 10_000_000 } });
  await life.settled(3);
  world.resolve([10_000, 0]);
  await life.until(() => life.holding() === 0, 2 * 86_400_000);
  await life.settled(4);
  await life.until(() => life.orders().every(({ attempts }) => attempts.at(-1)?.ended?.gas));
  const orders = life.orders();
  expect(orders.map(({ intent }) => intent.isRedemption === true)).toContain(true);
  expect(shownBy(orders)).toBe(before - lamports());
  // the first purchase makes the token account, whose rent stays in it
  const [first] = orders.toSorted(
    (one, other) => one.intent.createdAtMs - other.intent.createdAtMs,
  );
  const [most = 0n, rent, later = 0n, none] = estimates;
  expect([most >= shownBy(first === undefined ? [] : [first]), (rent ?? 0n) > 0n, none]).toEqual([
    true,
    true,
    0n,
  ]);
  expect(later).toBeLessThan(most);
  expect(first && Number(viewOrder(first).gas?.amount)).toBeGreaterThan(0.00203928);
  await life.end();
});

it('an order that a sponsor pays states none, for it took none', async () => {
  const seed = new Uint8Array(32).fill(5);
  const { world, lamports } = await begin({
    lamports: 0n,
    sponsor: { key: solanaSecretText(seed) },
  });
  world.direct.faucet.giveLamports(address(solanaAddressOf(seed)), 1_000_000_000n);
  const life = await startLife([world], createMemoryStore(), 'first');
  expect(await life.estimated({})).toMatchObject({ gas: null, networkCost: 0 });
  await life.buy(20);
  await life.settled(1);
  expect([lamports(), shownBy(life.orders())]).toEqual([0n, 0n]);
  await life.end();
});
