import { beforeEach, describe, expect, it } from 'vitest';
import type { MemoryStore } from '../../../src/adapters/memory/memory-store.ts';
import { balanceOf } from '../../../src/services/books/record-changes.ts';
import { OPEN_FILLS, POSITIONS, TRADED_MARKETS } from '../../../src/services/books/tables.ts';
import { TRANSACTIONS } from '../../../src/services/transactions/tables.ts';
import { aMarketId } from '../../support/builders.ts';
import {
  aReadyLife,
  buy,
  CONTRACTS,
  MARKET,
  SHARES,
  type MoneyLife,
  type MoneyWorld,
  REDEEMERS,
} from '../../support/worlds/money-world.ts';
import { brokenLaws, during } from '../../support/worlds/trading-world.ts';

let world: MoneyWorld;
let store: MemoryStore;
let life: MoneyLife;

beforeEach(async () => {
  ({ world, store, life } = await aReadyLife());
  await buy(world, life);
  await world.clock.advance(10_000);
});

const [up, down] = MARKET.outcomes;
const report = (payouts: readonly [bigint, bigint]) =>
  world.chain.report(MARKET.marketId, payouts, [up.tokenId, down.tokenId]);
const resolve = async (payoutTicks: readonly [number, number]) =>
  life.portfolio.recordResolution({
    marketId: MARKET.marketId,
    payoutTicks,
    resolvedAtMs: world.clock.nowMs(),
  });
const states = () => store.range(POSITIONS).map(({ value }) => value.state);
const redeems = () =>
  store
    .range(TRANSACTIONS)
    .flatMap(({ value }) => (value.purpose.kind === 'redeem' ? [value] : []));
const payOut = () => during(world, life.portfolio.payOut(MARKET.marketId));
const money = () => [
  world.chain.state.tokenOf(CONTRACTS.collateral, world.safe),
  balanceOf(store, world.user, 'usdc:safe').settled,
];

describe('a position that won', () => {
  it('is redeemed by itself: resolved, redeeming, redeemed, paid by what the chain paid', async () => {
    report([1n, 0n]);
    await world.clock.advance(4_000);
    await resolve([10_000, 0]);
    expect(await payOut()).toBe(false);
    expect(states()).toEqual(['redeeming']);
    await world.clock.advance(60_000);
    expect([states(), await payOut(), money()]).toEqual([
      ['redeemed'],
      true,
      [110_000_000n, 110_000_000],
    ]);
    expect([
      redeems().length,
      balanceOf(store, world.user, up.tokenId).settled,
      world.chain.state.sharesOf(world.safe, up.tokenId),
    ]).toEqual([1, 0, 0n]);
    expect(brokenLaws(store, world.user)).toEqual([]);
  });

  it('waits, resolved, while the chain does not know the end, and while a fill is not final', async () => {
    await resolve([10_000, 0]);
    await payOut();
    expect([states(), redeems()]).toEqual([['resolved'], []]);
    expect(await during(world, life.redemptions.claim(world.user))).toMatchObject([
      { state: 'waiting', usdc: SHARES },
    ]);
  });

  it('L3: is not redeemed before its fills are final', async () => {
    report([1n, 0n]);
    await world.clock.advance(4_000);
    await resolve([10_000, 0]);
    await life.commit((tx) =>
      tx.put(OPEN_FILLS, [world.user, '0xo1', 't1'], { sinceMs: 0, venue: 'venue_a' }),
    );
    await life.commit((tx) =>
      tx.put({ name: 'fills' }, [world.user, '0xo1', 't1'], { tokenId: up.tokenId }),
    );
    await payOut();
    expect([states(), redeems()]).toEqual([['resolved'], []]);
    await life.commit((tx) => tx.remove(OPEN_FILLS, [world.user, '0xo1', 't1']));
    await payOut();
    await world.clock.advance(60_000);
    expect(states()).toEqual(['redeemed']);
  });

  it('is redeemed once, asked for manually while it is under way', async () => {
    report([1n, 0n]);
    await world.clock.advance(4_000);
    await resolve([10_000, 0]);
    await payOut();
    const claims = await during(
      world,
      Promise.all([
        life.redemptions.claim(world.user, MARKET.marketId),
        life.redemptions.claim(world.user),
      ]),
    );
    expect(claims.flat().map(({ state, usdc }) => [state, usdc])).toEqual([
      ['redeemed', SHARES],
      ['redeemed', SHARES],
    ]);
    expect([redeems().length, money()]).toEqual([1, [110_000_000n, 110_000_000]]);
  });

  it('is tried again after the relayer would not have it, and paid once', async () => {
    report([1n, 0n]);
    await world.clock.advance(4_000);
    await resolve([10_000, 0]);
    world.safes.plans.push(...Array.from({ length: 5 }, () => 'refused' as const));
    await payOut();
    await world.clock.advance(60_000);
    expect([redeems().map(({ state }) => state), states()]).toEqual([['failed'], ['resolved']]);
    await payOut();
    await world.clock.advance(60_000);
    expect([
      redeems()
        .map(({ state }) => state)
        .sort(),
      states(),
      money(),
    ]).toEqual([['done', 'failed'], ['redeemed'], [110_000_000n, 110_000_000]]);
  });

  it('of a neg-risk market goes through the adapter of those', async () => {
    await life.commit((tx) =>
      tx.put(TRADED_MARKETS, [MARKET.marketId], { ...MARKET, own: { negRisk: true } }),
    );
    report([1n, 0n]);
    await world.clock.advance(4_000);
    await resolve([10_000, 0]);
    await payOut();
    await world.clock.advance(60_000);
    expect([redeems()[0]?.body, states()]).toMatchObject([
      { calls: [{ to: REDEEMERS.negRisk }] },
      ['redeemed'],
    ]);
  });

  it.each([
    [false, REDEEMERS.standard],
    [true, REDEEMERS.negRisk],
  ])(
    'of a market that was stored before venues had fields of their own goes through its adapter too: neg-risk %s',
    async (negRisk, adapter) => {
      const { own: _own, ...before } = MARKET;
      const stored = { ...before, negRisk };
      await life.commit((tx) => tx.put(TRADED_MARKETS, [MARKET.marketId], stored));
      report([1n, 0n]);
      await world.clock.advance(4_000);
      await resolve([10_000, 0]);
      await payOut();
      await world.clock.advance(60_000);
      expect([redeems()[0]?.body, states()]).toMatchObject([
        { calls: [{ to: adapter }] },
        ['redeemed'],
      ]);
    },
  );

  it('books half a dollar a share of an even market, as the chain pays it', async () => {
    report([1n, 1n]);
    await world.clock.advance(4_000);
    await resolve([5_000, 5_000]);
    await payOut();
    await world.clock.advance(60_000);
    expect([states(), money()]).toEqual([['redeemed'], [100_000_000n, 100_000_000]]);
  });
});

describe('a claim', () => {
  it('finds nothing where nothing was won', async () => {
    await expect(life.redemptions.claim(world.user, aMarketId(9))).rejects.toMatchObject({
      code: 'not_found',
    });
    expect(await life.redemptions.claim(world.user)).toEqual([]);
  });

  it('of a market that was lost finds nothing: the position is closed at no cost', async () => {
    report([0n, 1n]);
    await world.clock.advance(4_000);
    await resolve([0, 10_000]);
    expect([await payOut(), states(), redeems()]).toEqual([true, ['lost'], []]);
    await expect(life.redemptions.claim(world.user, MARKET.marketId)).rejects.toMatchObject({
      code: 'not_found',
    });
  });
});
