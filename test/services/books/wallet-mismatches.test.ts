import { describe, expect, it } from 'vitest';
import { usdcMicros } from '../../../src/domain/units.ts';
import type { WalletDifference } from '../../../src/domain/wallet-mismatch.ts';
import { assertFree } from '../../../src/services/books/holds.ts';
import { BALANCES } from '../../../src/services/books/tables.ts';
import { putMismatches, walletMismatches } from '../../../src/services/books/wallet-mismatches.ts';
import { aLimitBuy, T0 } from '../../support/builders.ts';
import { aFundedLife, type Life, type World } from '../../support/worlds/trading-world.ts';

const LESS: WalletDifference = {
  cashAccount: 'usdc:safe',
  asset: 'usdc:safe',
  booked: 100_000_000,
  onChain: 40_000_000,
};

const put = ({ life }: { readonly life: Life }, world: World, found: readonly WalletDifference[]) =>
  life.commit((tx) => putMismatches(tx, world.user, { found, atMs: T0 }));

describe('a wallet that holds less than the books have', () => {
  it('L2: takes no order of more than is there, says so in estimates, and takes one once both agree', async () => {
    const { world, life } = await aFundedLife();
    await put({ life }, world, [LESS]);
    expect((await life.orders.estimate(world.user, aLimitBuy())).refusal).toBeNull();
    await put({ life }, world, [{ ...LESS, onChain: 7_999_999 }]);
    const refusal = {
      code: 'funds_disputed',
      message:
        'your Safe holds 7.999999 USDC, the books have 100: an order of more than is there waits until both agree, and nothing was sent',
    };
    await expect(life.orders.place(world.user, aLimitBuy())).rejects.toMatchObject(refusal);
    expect((await life.orders.estimate(world.user, aLimitBuy())).refusal).toMatchObject(refusal);
    await put({ life }, world, []);
    expect((await life.orders.estimate(world.user, aLimitBuy())).refusal).toBeNull();
  });

  it('lets no transfer go, and names no order where none holds anything', async () => {
    const { world, life, store } = await aFundedLife();
    const wanted = {
      userId: world.user,
      cashAccount: 'usdc:safe',
      usdc: usdcMicros(200_000_000),
    } as const;
    const free = () => assertFree(store, wanted);
    expect(free).toThrow(/^200 USDC are to leave and 100 are free$/);
    await put({ life }, world, [{ ...LESS, booked: -60_000_000 }]);
    await life.commit((tx) =>
      tx.put(BALANCES, [world.user, 'usdc:safe'], { provisional: 0, settled: -60_000_000 }),
    );
    expect(free).toThrow(
      '200 USDC are to leave and 0 are free: your Safe holds 40 USDC, the books have -60, and nothing leaves until both agree',
    );
  });
});

describe('differences as they are stored', () => {
  it('keep their time while their figures change, and hold back no order of what there is more of', async () => {
    const { world, life, store } = await aFundedLife();
    await put({ life }, world, [LESS]);
    const more = { ...LESS, onChain: 120_000_000 };
    await life.commit((tx) => putMismatches(tx, world.user, { found: [more], atMs: T0 + 5_000 }));
    expect(walletMismatches(store, world.user)).toEqual([{ ...more, sinceMs: T0 }]);
    expect((await life.orders.estimate(world.user, aLimitBuy())).refusal).toBeNull();
  });
});
