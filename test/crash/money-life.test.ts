import { describe, expect, it } from 'vitest';
import { usdcMicros } from '../../src/domain/units.ts';
import { USERS } from '../../src/services/sign-in/tables.ts';
import {
  aMoneyWorld,
  buy,
  fund,
  MARKET,
  moneyEnd,
  type MoneyLife,
  type MoneyWorld,
} from '../support/worlds/money-world.ts';
import type { RelayPlan } from '../support/fakes/fake-relayer.ts';
import { cutPoints, runThrough, type CutPoint } from '../support/loads/crash-points.ts';
import { sampled } from '../support/sampled.ts';
import { brokenLaws } from '../support/worlds/trading-world.ts';

const [up, down] = MARKET.outcomes;

/**
 * Sign-up, deposit, withdrawal, purchase, resolution and redemption. A caller repeats a call that
 * was cut off, with the same key.
 */
function stepsOf(world: MoneyWorld): readonly ((life: MoneyLife) => Promise<void>)[] {
  const waiting = (ms: number) => () =>
    new Promise<void>((resolve) => void world.clock.after(ms, resolve));
  return [
    async (life) => {
      if (life.store.get(USERS, [world.user]) !== null) return;
      await life.commit((tx) => {
        tx.put({ name: USERS.name }, [world.user], { userId: world.user });
        tx.append({ type: 'user.created', userId: world.user, atMs: 0, address: world.owner });
      });
    },
    waiting(60_000),
    (life) => fund(world, life, 100_000_000),
    waiting(10_000),
    async (life) =>
      void (await life.withdrawals.withdraw(world.user, {
        usdc: usdcMicros(30_000_000),
        key: 'w1',
      })),
    waiting(60_000),
    (life) => buy(world, life),
    waiting(10_000),
    async (life) => {
      world.chain.report(MARKET.marketId, [1n, 0n], [up.tokenId, down.tokenId]);
      await life.portfolio.recordResolution({
        marketId: MARKET.marketId,
        payoutTicks: [10_000, 0],
        resolvedAtMs: world.clock.nowMs(),
      });
    },
    waiting(10_000),
    async (life) => {
      while (!(await life.portfolio.payOut(MARKET.marketId))) await waiting(5_000)();
    },
    async (life) =>
      void (await life.withdrawals.withdraw(world.user, {
        usdc: usdcMicros(80_000_000),
        key: 'w2',
      })),
    waiting(60_000),
  ];
}

async function run(cut: CutPoint | null, usual: RelayPlan) {
  const world = aMoneyWorld();
  world.safes.usual = usual;
  const outcome = await runThrough<MoneyLife>(
    {
      clock: world.clock,
      begin(store, number) {
        const life = world.live(store, `life-${number}`);
        // As the daemon's start does it: users are read from the store.
        life.recover(store.get(USERS, [world.user]) === null ? [] : [world.user]);
        return { life, starting: Promise.resolve() };
      },
      die: (life) => life.die(),
      bury: async (life) => life.stop(),
      steps: stepsOf(world),
    },
    cut,
  );
  return { world, ...outcome };
}

const PLANS: readonly RelayPlan[] = ['ok', 'lost'];
const wholes = new Map(
  await Promise.all(PLANS.map(async (plan) => [plan, await run(null, plan)] as const)),
);
const wholeOf = (plan: RelayPlan) => {
  const found = wholes.get(plan);
  if (found === undefined) throw new Error(`no whole run of ${plan}`);
  return found;
};

describe.each(PLANS)(
  'a power failure at every durable step of a life of money, the relayer\'s answers being "%s"',
  (plan) => {
    const whole = wholeOf(plan);

    it('is tried at every commit and flush from sign-up to the last withdrawal', () => {
      expect(whole.lives).toBe(1);
      expect(moneyEnd(whole.world, whole.store)).toMatchObject({
        safeRecord: { isDeployed: true, allowanceSet: 'set-1' },
        chain: { safe: 0n, owner: 110_000_000n, nonce: 4 },
        ledger: { settled: 0, provisional: 0 },
        actions: [
          'allowances done',
          'deploy done',
          'redeem done',
          'withdraw done',
          'withdraw done',
        ],
        positions: [{ state: 'redeemed', shares: 0, realizedPnl: 10_000_000 }],
      });
      expect(cutPoints(whole.moments).length).toBeGreaterThan(60);
    });

    it.each(sampled(`a life of money, ${plan}`, cutPoints(whole.moments), 40))(
      'L1, L9: comes to the same end as without it: $at $number',
      async (point) => {
        const cut = await run(point, plan);
        expect(cut.lives).toBe(2);
        expect(moneyEnd(cut.world, cut.store)).toEqual(moneyEnd(whole.world, whole.store));
        expect(brokenLaws(cut.store, cut.world.user)).toEqual([]);
        expect(cut.life.log.lines.filter(({ level }) => level === 'error')).toEqual([]);
      },
    );
  },
);
