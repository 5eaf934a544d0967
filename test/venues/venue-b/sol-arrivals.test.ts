import { describe, expect, it } from 'vitest';
import { createMemoryStore } from '../../../src/adapters/memory/memory-store.ts';
import { createSolanaArrivals } from '../../../src/adapters/solana/arrivals.ts';
import { createSolanaCalls } from '../../../src/adapters/solana/calls.ts';
import { createSolanaNode } from '../../../src/adapters/solana/node.ts';
import { asId, type SwapId, type TransactionId } from '../../../src/domain/ids.ts';
import type { SwapRecord, SwapSide } from '../../../src/domain/swap.ts';
import { createSolArrivals } from '../../../src/services/funding/sol-arrivals.ts';
import { pageOfTokenArrivals } from '../../../src/services/funding/token-arrivals.ts';
import { NOTIFICATIONS } from '../../../src/services/notifications/tables.ts';
import { putSwap, swapReceipts } from '../../../src/services/swaps/swap-records.ts';
import { createKeptLog, createKeptMetrics } from '../../support/quiet.ts';
import { during } from '../../support/worlds/trading-world.ts';
import { createVenueBWorld } from '../../support/worlds/venue-b-world.ts';
import { startLife, type VenueLife } from '../../support/worlds/venue-life.ts';

const CONFIRMED_MS = 2_000;
const FINAL_MS = 15_000;
const SOL: SwapSide = { chain: 'SOLANA', address: null, symbol: 'SOL', decimals: 9 };

async function begin() {
  const world = await createVenueBWorld();
  const life = await startLife([world], createMemoryStore(), 'first');
  const calls = createSolanaCalls({
    rpcUrl: world.direct.urls.rpcUrl,
    metrics: createKeptMetrics(),
    open: world.direct.transport.calls,
  });
  const chain = createSolanaArrivals(createSolanaNode(calls));
  const check = ({ core, store }: VenueLife) => {
    const sol = createSolArrivals({
      store,
      commit: core.trading.commit,
      chain,
      swaps: swapReceipts(store),
      walletOf: async () => world.wallet,
      clock: world.clock,
      log: createKeptLog(),
    });
    // Two of them at a time: one of the rounds, and one at the request of a user.
    return during(world, Promise.all([sol(world.userId), sol(world.userId)])).then(
      ([rest]) => rest,
    );
  };
  const give = (lamports: bigint): string => {
    const given = world.direct.faucet.giveLamports(world.wallet, lamports);
    return given.kind === 'landed' ? given.transaction.signature : expect.unreachable('it lands');
  };
  const final = () => world.clock.advance(FINAL_MS);
  const page = ({ store }: VenueLife) =>
    pageOfTokenArrivals(store, world.userId, { limit: 50, cursor: null });
  const arrived = (at: VenueLife) =>
    page(at).data.map(({ units, transactionHash }) => [units, transactionHash]);
  const reported = ({ store }: VenueLife) =>
    store
      .range(NOTIFICATIONS)
      .flatMap(({ value: { facts } }) => (facts.kind === 'token_arrived' ? [facts.amount] : []));
  // What the wallet began with.
  await check(life);
  return { world, life, check, give, final, arrived, reported, page };
}

describe('SOL in a wallet of the user', () => {
  it('is recorded and reported once by its transaction, as soon as that is final', async () => {
    const { world, life, check, give, final, arrived, reported, page } = await begin();
    const [first] = arrived(life);
    expect(first?.[0]).toBe('1000000000');
    const hash = give(250_000_000n);
    await world.clock.advance(CONFIRMED_MS);
    expect([await check(life), arrived(life)]).toEqual(['unsettled', [first]]);
    await final();
    await check(life);
    const again = await life.killed();
    expect(await check(again)).toBe('nothing');
    expect([arrived(again), reported(again)]).toEqual([
      [['250000000', hash], first],
      ['1', '0.25'],
    ]);
    const { data } = page(again);
    const { userId } = world;
    expect(
      pageOfTokenArrivals(again.store, userId, { limit: 1, cursor: data[0]?.arrivalId ?? null })
        .data,
    ).toEqual([data[1]]);
    expect(() => pageOfTokenArrivals(again.store, userId, { limit: 1, cursor: 'other' })).toThrow(
      'not a cursor',
    );
    await again.end();
  });

  it('is no arrival where it is dust, or comes of what its owner signed', async () => {
    const { world, life, check, give, final, arrived } = await begin();
    const before = arrived(life);
    give(99_999n);
    world.faults.arm('reverted-fill', { times: 1 });
    world.quote({
      tokenId: world.market.outcomes[0].tokenId,
      side: 'sell',
      price: 5_000,
      shares: 100,
    });
    const order = await life.buy(20);
    await life.until(() => life.order(order).state === 'cancelled');
    await life.buy(20);
    await life.settled(1);
    await final();
    expect([await check(life), arrived(life)]).toEqual(['nothing', before]);
    await life.end();
  });

  it.each([
    ['completed', SOL],
    // the bridge paid SOL instead
    ['partial', { chain: 'SOLANA', address: 'Token1', symbol: 'TKN', decimals: 6 }],
  ] as const)(
    'is reported with the swap that brings it, and not beside it: %s',
    async (end, buy) => {
      const { world, life, check, give, final, arrived } = await begin();
      const before = arrived(life);
      const swap: SwapRecord = {
        swapId: asId<SwapId>('swp_1'),
        userId: world.userId,
        state: 'following',
        sell: { chain: 'BASE', address: '0x1', symbol: 'USDC', decimals: 6 },
        buy,
        amount: '1',
        expectedOut: '1',
        minimumOut: '1',
        tool: 'bridge',
        worstLossMicros: null,
        approvalId: null,
        transactionId: asId<TransactionId>('tx_1'),
        cashAccount: null,
        sentHash: null,
        receivedHash: null,
        received: null,
        receivedToken: null,
        reason: null,
        createdAtMs: world.clock.nowMs(),
        updatedAtMs: world.clock.nowMs(),
      };
      await life.store.write((tx) => putSwap(tx, { before: null, after: swap }));
      const receivedHash = give(300_000_000n);
      await final();
      await check(life);
      const after: SwapRecord = { ...swap, state: end, receivedHash };
      await life.store.write((tx) => putSwap(tx, { before: swap, after }));
      await check(life);
      expect(arrived(life)).toEqual(before);
      await life.end();
    },
  );
});
