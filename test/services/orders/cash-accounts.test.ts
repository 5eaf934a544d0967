import { describe, expect, it } from 'vitest';
import { createMemoryStore } from '../../../src/adapters/memory/memory-store.ts';
import { CASH_ACCOUNTS, type CashAccount } from '../../../src/domain/cash.ts';
import type { Market } from '../../../src/domain/market.ts';
import { usdcMicros } from '../../../src/domain/units.ts';
import { aLimitBuy, aMarket, aMarketBuy } from '../../support/builders.ts';
import {
  aWorld,
  brokenLaws,
  during,
  fundWallets,
  type LifeOptions,
} from '../../support/worlds/trading-world.ts';
import { VENUE_B, VENUE_C } from '../../support/venue-ids.ts';

const [ON_SAFE, ON_SAFE_TOO, ON_SOLANA, ON_BASE] = [
  aMarket(1),
  aMarket(2),
  aMarket(3, { venue: VENUE_B }),
  aMarket(4, { venue: VENUE_C }),
];

/** A user with money in all three wallets, and a venue that trades markets of each. */
async function aWealthyLife(usdc: Readonly<Record<CashAccount, number>>, options?: LifeOptions) {
  const world = aWorld(usdc['usdc:safe'], [ON_SAFE, ON_SAFE_TOO, ON_SOLANA, ON_BASE]);
  const store = createMemoryStore();
  const life = world.live(store, options);
  await life.orders.recover();
  await life.funding.syncDeposits(world.user);
  const { 'usdc:safe': _atVenue, ...others } = usdc;
  await fundWallets(life, world, others);
  const cash = (account: CashAccount) => life.portfolio.cash(world.user, account);
  return { world, life, store, cash };
}

/** Where an order on a market goes. */
function on({ venue, marketId }: Market): Pick<Market, 'venue' | 'marketId'> {
  return { venue, marketId };
}

describe('the cash accounts of a user', () => {
  it('L5: an order spends its own account and no other, to its payout', async () => {
    const { world, life, store, cash } = await aWealthyLife({
      'usdc:safe': 100_000_000,
      'usdc:solana': 20_000_000,
      'usdc:base': 5_000_000,
    });
    await during(world, life.orders.place(world.user, aMarketBuy(on(ON_SOLANA))));
    await world.clock.advance(10_000);
    // 20 shares for 10 USDC and a fee of 0.35.
    expect(CASH_ACCOUNTS.map((account) => cash(account).settled)).toEqual([
      100_000_000, 9_650_000, 5_000_000,
    ]);
    await life.portfolio.recordResolution({
      marketId: ON_SOLANA.marketId,
      payoutTicks: [10_000, 0],
      resolvedAtMs: 0,
    });
    await during(world, life.portfolio.payOut(ON_SOLANA.marketId));
    expect(CASH_ACCOUNTS.map((account) => cash(account).available)).toEqual([
      100_000_000, 29_650_000, 5_000_000,
    ]);
    expect(brokenLaws(store, world.user)).toEqual([]);
  });

  it('L5: an order is refused for want of money in its own account, whatever lies in the others', async () => {
    const { world, life, store, cash } = await aWealthyLife({
      'usdc:safe': 100_000_000,
      'usdc:solana': 20_000_000,
      'usdc:base': 5_000_000,
    });
    await expect(
      during(world, life.orders.place(world.user, aMarketBuy(on(ON_BASE)))),
    ).rejects.toMatchObject({ code: 'insufficient_funds' });
    expect([cash('usdc:base').reserved, brokenLaws(store, world.user)]).toEqual([0, []]);
  });

  it('L5: orders of all accounts at once stay within one cap over all of them', async () => {
    const { world, life, cash } = await aWealthyLife(
      { 'usdc:safe': 50_000_000, 'usdc:solana': 50_000_000, 'usdc:base': 50_000_000 },
      {
        caps: { exposureUsdc: usdcMicros(42_804_000) },
        lock: { leaseMs: 30_000, queueMaximum: 99 },
      },
    );
    const markets = [ON_SAFE, ON_SOLANA, ON_BASE, ON_SAFE_TOO, ON_SOLANA, ON_BASE];
    const calls = markets.map((market) =>
      life.orders.place(
        world.user,
        aLimitBuy({ ...on(market), amount: { unit: 'shares', micros: 25_000_000 } }),
      ),
    );
    const done = await during(world, Promise.allSettled(calls));
    // Each sets 10.701 USDC aside.
    expect(done.map(({ status }) => status).sort()).toEqual([
      ...Array.from({ length: 4 }, () => 'fulfilled'),
      ...Array.from({ length: 2 }, () => 'rejected'),
    ]);
    expect(CASH_ACCOUNTS.reduce((sum, account) => sum + cash(account).reserved, 0)).toBe(
      42_804_000,
    );
  });

  it('L7: a slow order on one account holds up none on another, while two of one account go one after the other', async () => {
    const { world, life } = await aWealthyLife({
      'usdc:safe': 100_000_000,
      'usdc:solana': 100_000_000,
      'usdc:base': 1,
    });
    const onTheirWay: CashAccount[] = [];
    const seen: string[] = [];
    const { submit } = world.venue;
    world.venue.submit = async (...call) => {
      const account = call[0].intent.cashAccount;
      onTheirWay.push(account);
      seen.push([...onTheirWay].sort().join(' '));
      await new Promise<void>(
        (resolve) => void world.clock.after(account === 'usdc:solana' ? 5_000 : 400, resolve),
      );
      onTheirWay.splice(onTheirWay.indexOf(account), 1);
      return submit.apply(world.venue, call);
    };
    const calls = [ON_SAFE, ON_SAFE_TOO, ON_SOLANA].map((market) =>
      life.orders.place(world.user, aMarketBuy(on(market))),
    );
    await during(world, Promise.all(calls));
    expect(seen).toEqual(['usdc:safe', 'usdc:safe usdc:solana', 'usdc:safe usdc:solana']);
  });
});
