import { beforeEach, describe, expect, it } from 'vitest';
import { createMemoryStore, type MemoryStore } from '../../../src/adapters/memory/memory-store.ts';
import { usdcMicros } from '../../../src/domain/units.ts';
import { POSITIONS } from '../../../src/services/books/tables.ts';
import { asId, type TokenId } from '../../../src/domain/ids.ts';
import { USERS } from '../../../src/services/sign-in/tables.ts';
import {
  aMoneyWorld,
  buy,
  CONTRACTS,
  fund,
  MARKET,
  reconcilerOf,
  type MoneyLife,
  type MoneyWorld,
} from '../../support/worlds/money-world.ts';
import { createKeptLog, createKeptMetrics } from '../../support/quiet.ts';
import { during } from '../../support/worlds/trading-world.ts';

let world: MoneyWorld;
let store: MemoryStore;
let life: MoneyLife;

beforeEach(async () => {
  world = aMoneyWorld();
  store = createMemoryStore();
  life = world.live(store);
  await life.commit((tx) => tx.put({ name: USERS.name }, [world.user], { userId: world.user }));
  life.recover([world.user]);
  await fund(world, life, 100_000_000);
  await world.clock.advance(60_000);
});

function aReconciler() {
  const [log, metrics] = [createKeptLog(), createKeptMetrics()];
  return { log, metrics, ...reconcilerOf(world, life, { log, metrics }) };
}

/** Money that is there, and no event says how it came. */
const conjure = (micros: bigint) =>
  world.chain.send((state) => state.addToken(CONTRACTS.collateral, world.safe, micros));

describe('the reconciler', () => {
  it('L4: finds ledger and chain the same at every moment of a withdrawal, a purchase and a redemption', async () => {
    const { round } = aReconciler();
    const [up, down] = MARKET.outcomes;
    const withdrawal = life.withdrawals.withdraw(world.user, { usdc: usdcMicros(30_000_000) });
    for (let step = 0; step < 10; step += 1) {
      expect(await during(world, round())).toEqual({ users: 1, unanswered: 0, mismatched: [] });
      await world.clock.advance(700);
    }
    await during(world, withdrawal);
    await buy(world, life);
    await world.clock.advance(4_000);
    world.chain.report(MARKET.marketId, [1n, 0n], [up.tokenId, down.tokenId]);
    await world.clock.advance(4_000);
    await life.portfolio.recordResolution({
      marketId: MARKET.marketId,
      payoutTicks: [10_000, 0],
      resolvedAtMs: 0,
    });
    await during(world, life.portfolio.payOut(MARKET.marketId));
    for (let step = 0; step < 15; step += 1) {
      expect((await during(world, round())).mismatched).toEqual([]);
      await world.clock.advance(700);
    }
  });

  it('counts a difference only when it is seen three times: money that is booked meanwhile is no difference', async () => {
    const { round, metrics, log } = aReconciler();
    conjure(7n);
    await world.clock.advance(2_000);
    const checking = round();
    await world.clock.advance(15_000);
    await life.commit((tx) =>
      tx.put({ name: 'balances' }, [world.user, 'usdc:safe'], {
        settled: 100_000_007,
        provisional: 0,
      }),
    );
    expect(await during(world, checking)).toMatchObject({ mismatched: [] });
    expect([metrics.counts.get('money_mismatched_users'), log.lines]).toEqual([0, []]);
  });

  it('raises a metric and an error for a difference that stays, and takes the metric back when it is gone', async () => {
    const { round, metrics, log } = aReconciler();
    conjure(7n);
    await world.clock.advance(2_000);
    expect((await during(world, round())).mismatched).toEqual([world.user]);
    expect([
      metrics.counts.get('money_mismatched_users'),
      log.lines.map(({ level, event, fields }) => [level, event, fields]),
    ]).toEqual([
      1,
      [
        [
          'error',
          'money.mismatched',
          {
            userId: world.user,
            mismatches: [
              {
                asset: 'usdc:safe',
                range: { low: 100_000_000, high: 100_000_000 },
                onChain: 100_000_007,
              },
            ],
          },
        ],
      ],
    ]);
    await life.commit((tx) =>
      tx.put({ name: 'balances' }, [world.user, 'usdc:safe'], {
        settled: 100_000_007,
        provisional: 0,
      }),
    );
    await during(world, round());
    expect(metrics.counts.get('money_mismatched_users')).toBe(0);
  });

  it('misses shares that are in the books and not on the chain', async () => {
    await buy(world, life);
    await world.clock.advance(4_000);
    world.chain.state.addShares(world.safe, MARKET.outcomes[0].tokenId, -1n);
    expect((await during(world, aReconciler().round())).mismatched).toEqual([world.user]);
  });

  it('leaves what lies in other wallets to who looks at those', async () => {
    const { round } = aReconciler();
    await buy(world, life);
    await world.clock.advance(10_000);
    const [held] = store.range(POSITIONS, { prefix: [world.user] });
    if (held === undefined) return expect.unreachable();
    const tokenId = asId<TokenId>('7MejZUG5d8MYjSZ6gFQ8fdhP9pSzqfh9zZQKwiXEUH9h');
    await life.commit((tx) => {
      tx.put(POSITIONS, [world.user, tokenId], {
        ...held.value,
        tokenId,
        cashAccount: 'usdc:solana',
      });
      tx.put({ name: 'balances' }, [world.user, tokenId], { settled: 5, provisional: 0 });
    });
    expect(await during(world, round())).toMatchObject({ unanswered: 0, mismatched: [] });
  });

  it('concludes nothing while the chain does not answer', async () => {
    world.chain.isDown = true;
    expect(await during(world, aReconciler().round())).toEqual({
      users: 1,
      unanswered: 1,
      mismatched: [],
    });
  });

  it('runs at the start and again on its schedule, until it is stopped', async () => {
    const { start, stop, log } = aReconciler();
    start();
    await world.clock.advance(1_000);
    expect(log.lines.filter(({ event }) => event === 'money.reconciled')).toHaveLength(1);
    await world.clock.advance(120_000);
    const rounds = log.lines.length;
    expect(rounds).toBe(2 + 1);
    stop();
    await world.clock.advance(300_000);
    expect(log.lines).toHaveLength(rounds);
  });
});
