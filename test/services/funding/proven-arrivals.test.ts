import { beforeEach, describe, expect, it } from 'vitest';
import type { MemoryStore } from '../../../src/adapters/memory/memory-store.ts';
import { asId, type TokenId } from '../../../src/domain/ids.ts';
import { balanceOf } from '../../../src/services/books/record-changes.ts';
import { POSITIONS, RESTORES } from '../../../src/services/books/tables.ts';
import type { ProvenMovement } from '../../../src/services/funding/deposit-proof.ts';
import { bookProvenArrival, mayBeLacking } from '../../../src/services/funding/proven-arrivals.ts';
import { ARRIVALS } from '../../../src/services/funding/tables.ts';
import {
  aReadyLife,
  buy,
  MARKET,
  SHARES,
  type MoneyLife,
  type MoneyWorld,
} from '../../support/worlds/money-world.ts';
import { brokenLaws } from '../../support/worlds/trading-world.ts';

const [up, down] = MARKET.outcomes;
let world: MoneyWorld;
let store: MemoryStore;
let life: MoneyLife;

const restore = () =>
  life.commit((tx) => tx.put(RESTORES, ['newest'], { upToMs: 0, madeAtMs: 0, adoptedAtMs: null }));
const arrival = (changes: Partial<ProvenMovement> = {}): ProvenMovement => ({
  userId: world.user,
  transferId: '0xab',
  transactionHash: '0xab',
  micros: SHARES,
  beside: null,
  redeemed: [up.tokenId],
  ...changes,
});
const book = (changes: Partial<ProvenMovement> = {}) =>
  life.commit((tx) =>
    bookProvenArrival(tx, arrival(changes), {
      nowMs: world.clock.nowMs(),
      bookedAtMs: world.clock.nowMs(),
    }),
  );
const buyDown = () => buy(world, life, 1);
const usdc = () => balanceOf(store, world.user, 'usdc:safe').settled;
const position = () => store.range(POSITIONS)[0]?.value;

beforeEach(async () => {
  ({ world, store, life } = await aReadyLife());
  await buy(world, life);
  await world.clock.advance(10_000);
  await life.portfolio.recordResolution({
    marketId: MARKET.marketId,
    payoutTicks: [10_000, 0],
    resolvedAtMs: world.clock.nowMs(),
  });
});

describe('collateral that came with won shares that left', () => {
  it.each(['as it is', 'restored'])(
    'is the payout of their position, once, in a store %s: no deposit, and a profit',
    async (how) => {
      if (how === 'restored') await restore();
      const before = usdc();
      expect([await book(), await book()]).toEqual([true, false]);
      expect([usdc() - before, store.range(ARRIVALS).length]).toEqual([SHARES, 0]);
      expect(position()).toMatchObject({ state: 'redeemed', shares: 0, realizedPnl: 10_000_000 });
      expect(brokenLaws(store, world.user)).toEqual([]);
    },
  );

  it('ends what it took of the outcome that lost too, in a restored store, at a loss', async () => {
    await restore();
    await buyDown();
    expect(await book({ redeemed: [up.tokenId, down.tokenId] })).toBe(true);
    const ended = store.range(POSITIONS).map(({ value: { outcome, state, shares } }) => ({
      outcome,
      state,
      shares,
    }));
    expect(ended).toContainEqual({ outcome: 0, state: 'redeemed', shares: 0 });
    expect(ended).toContainEqual({ outcome: 1, state: 'lost', shares: 0 });
    expect(brokenLaws(store, world.user)).toEqual([]);
  });

  it('leaves the outcome that lost alone where it stayed in the Safe', async () => {
    await buyDown();
    expect(await book()).toBe(true);
    expect(store.get(POSITIONS, [world.user, down.tokenId])?.value.shares).toBe(SHARES);
  });

  it('stays unbooked in a restored store that has not all that was paid for, or none of it', async () => {
    await restore();
    const before = usdc();
    expect(await book({ micros: SHARES + 1 })).toBe(false);
    expect(await book({ redeemed: [asId<TokenId>('99')] })).toBe(false);
    expect([usdc(), position()?.shares]).toEqual([before, SHARES]);
  });

  it('is a deposit where no store was restored and the books know nothing it was paid for', async () => {
    expect(await book({ redeemed: [asId<TokenId>('99')] })).toBe(true);
    expect(store.range(ARRIVALS)).toHaveLength(1);
    expect(position()?.shares).toBe(SHARES);
  });

  it('is left to adopting in a restored store, as other arrivals are not', async () => {
    expect(mayBeLacking(store, arrival())).toBe(false);
    await restore();
    expect([
      mayBeLacking(store, arrival()),
      mayBeLacking(store, arrival({ redeemed: [] })),
    ]).toEqual([true, false]);
  });
});
