import { beforeEach, describe, expect, it } from 'vitest';
import { REDEEM } from '../../../config/limits/funds.ts';
import type { MemoryStore } from '../../../src/adapters/memory/memory-store.ts';
import { depositEntry } from '../../../src/domain/ledger-entries.ts';
import { usdcMicros } from '../../../src/domain/units.ts';
import { REDEMPTIONS } from '../../../src/services/funding/tables.ts';
import { balanceOf, postToLedger } from '../../../src/services/books/record-changes.ts';
import { OPEN_POSITIONS, POSITIONS, RESTORES } from '../../../src/services/books/tables.ts';
import { TRANSACTIONS } from '../../../src/services/transactions/tables.ts';
import {
  aReadyLife,
  buy,
  CONTRACTS,
  MARKET,
  reconcilerOf,
  SHARES,
  type MoneyLife,
  type MoneyWorld,
} from '../../support/worlds/money-world.ts';
import { createKeptMetrics } from '../../support/quiet.ts';
import { brokenLaws, during } from '../../support/worlds/trading-world.ts';

let world: MoneyWorld;
let store: MemoryStore;
let life: MoneyLife;

const [up, down] = MARKET.outcomes;
const payOut = () => during(world, life.portfolio.payOut(MARKET.marketId));
const states = () => store.range(POSITIONS).map(({ value }) => value.state);
const redeems = () =>
  store.range(TRANSACTIONS).filter(({ value }) => value.purpose.kind === 'redeem').length;
const journal = () =>
  store
    .readJournal(0, 10_000)
    .flatMap(({ event }) => (event.type === 'audit.recorded' ? [event.action] : []));
/** A holder of the owner's key moves the shares out of the Safe. */
const takeAway = (shares: bigint) =>
  world.chain.send((state) => state.addShares(world.safe, up.tokenId, -shares));

/**
 * Lets the market's payout be asked for as its watch does, until it has nothing left or the time is
 * over.
 */
async function payOutFor(ms: number): Promise<boolean> {
  for (let passed = 0; passed < ms; passed += 30_000) {
    if (await payOut()) return true;
    await world.clock.advance(30_000);
  }
  return false;
}

beforeEach(async () => {
  ({ world, store, life } = await aReadyLife());
  await buy(world, life);
  await world.clock.advance(10_000);
  world.chain.report(MARKET.marketId, [1n, 0n], [up.tokenId, down.tokenId]);
  await world.clock.advance(4_000);
  await life.portfolio.recordResolution({
    marketId: MARKET.marketId,
    payoutTicks: [10_000, 0],
    resolvedAtMs: world.clock.nowMs(),
  });
});

describe('won shares that are no longer in the Safe', () => {
  it('end as gone, once the chain has shown twice that none is there: nothing is redeemed for ever, the books say what the chain says', async () => {
    takeAway(BigInt(SHARES));
    await world.clock.advance(4_000);
    expect(await payOutFor(600_000)).toBe(true);
    expect([states(), redeems(), store.range(OPEN_POSITIONS), store.range(REDEMPTIONS)]).toEqual([
      ['removed'],
      1,
      [],
      [],
    ]);
    expect([
      balanceOf(store, world.user, up.tokenId).settled,
      balanceOf(store, world.user, 'usdc:safe').settled,
    ]).toEqual([0, 90_000_000]);
    expect(store.range(POSITIONS)[0]?.value).toMatchObject({
      shares: 0,
      costUsdc: 0,
      realizedPnl: -10_000_000,
    });
    expect(journal().filter((action) => action === 'shares_gone')).toEqual(['shares_gone']);
    expect(brokenLaws(store, world.user)).toEqual([]);
    const metrics = createKeptMetrics();
    const reconciler = reconcilerOf(world, life, { log: life.log, metrics });
    await during(world, reconciler.round());
    expect(metrics.counts.get('money_mismatched_users')).toBe(0);
  });

  it('are not looked for again once they are gone', async () => {
    takeAway(BigInt(SHARES));
    await world.clock.advance(4_000);
    await payOutFor(600_000);
    await world.clock.advance(3_600_000);
    expect([await payOut(), redeems(), await life.redemptions.claim(world.user)]).toEqual([
      true,
      1,
      [],
    ]);
  });

  it('count as gone no sooner than a reorganisation could bring them back, and are redeemed when it does', async () => {
    takeAway(BigInt(SHARES));
    await world.clock.advance(4_000);
    await payOut();
    await world.clock.advance(30_000);
    await payOut();
    await world.clock.advance(REDEEM.goneAfterMs - 1_000);
    await payOut();
    expect([states(), store.range(REDEMPTIONS)[0]?.value.emptySinceMs !== undefined]).toEqual([
      ['resolved'],
      true,
    ]);
    world.chain.send((state) => state.addShares(world.safe, up.tokenId, BigInt(SHARES)));
    await world.clock.advance(REDEEM.goneAfterMs);
    expect(await payOutFor(600_000)).toBe(true);
    expect([states(), redeems(), balanceOf(store, world.user, 'usdc:safe').settled]).toEqual([
      ['redeemed'],
      2,
      110_000_000,
    ]);
    expect(journal()).not.toContain('shares_gone');
  });

  it('are gone in part only as far as they are: what is left is redeemed first', async () => {
    takeAway(BigInt(SHARES / 2));
    await world.clock.advance(4_000);
    expect(await payOutFor(1_200_000)).toBe(true);
    expect([
      states(),
      balanceOf(store, world.user, 'usdc:safe').settled,
      balanceOf(store, world.user, up.tokenId).settled,
    ]).toEqual([['removed'], 100_000_000, 0]);
    expect(brokenLaws(store, world.user)).toEqual([]);
  });

  it('leave the money their taker got for the Safe as a deposit of its own', async () => {
    world.chain.send((state) => {
      state.addShares(world.safe, up.tokenId, -BigInt(SHARES));
      state.addToken(CONTRACTS.collateral, world.safe, BigInt(SHARES));
    });
    await world.clock.advance(4_000);
    await life.commit((tx) =>
      postToLedger(
        tx,
        world.user,
        depositEntry({
          userId: world.user,
          cashAccount: 'usdc:safe',
          transferId: 'theirs',
          usdc: usdcMicros(SHARES),
          atMs: world.clock.nowMs(),
        }),
      ),
    );
    expect(await payOutFor(600_000)).toBe(true);
    expect([
      states(),
      balanceOf(store, world.user, 'usdc:safe').settled,
      world.chain.state.tokenOf(CONTRACTS.collateral, world.safe),
    ]).toEqual([['removed'], 110_000_000, 110_000_000n]);
  });

  it('wait with growing pauses while the chain does not answer', async () => {
    takeAway(BigInt(SHARES));
    await world.clock.advance(4_000);
    await payOut();
    await world.clock.advance(30_000);
    world.chain.isDown = true;
    expect(await payOutFor(300_000)).toBe(false);
    expect(states()).toEqual(['resolved']);
    world.chain.isDown = false;
    expect(await payOutFor(600_000)).toBe(true);
    expect(states()).toEqual(['removed']);
  });

  it('of a restored store are paid out by nothing, and not taken for gone, until what it lacks is adopted', async () => {
    takeAway(BigInt(SHARES));
    await world.clock.advance(4_000);
    await payOut();
    await world.clock.advance(30_000);
    await life.commit((tx) =>
      tx.put(RESTORES, ['newest'], { upToMs: 0, madeAtMs: 0, adoptedAtMs: null }),
    );
    expect(await payOutFor(600_000)).toBe(false);
    await expect(life.redemptions.claim(world.user)).rejects.toMatchObject({ code: 'conflict' });
    expect(states()).toEqual(['resolved']);
    expect(journal()).not.toContain('shares_gone');
  });
});
