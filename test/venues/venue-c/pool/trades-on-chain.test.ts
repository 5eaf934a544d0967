import { getContractAddress, type Hex } from 'viem';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createScaledClock } from '../../../../src/adapters/clock/scaled-clock.ts';
import { createEvmAccounts } from '../../../../src/adapters/evm/evm-account.ts';
import { createEvmChain } from '../../../../src/adapters/evm/evm-chain.ts';
import { createEvmRail } from '../../../../src/adapters/evm/evm-rail.ts';
import { signEvmDigest } from '../../../../src/adapters/keys/evm-key.ts';
import { loadKeccak } from '../../../../src/adapters/wire/keccak.ts';
import { createMemoryStore } from '../../../../src/adapters/memory/memory-store.ts';
import { createSystemRandom } from '../../../../src/adapters/random/system-random.ts';
import { asId, type Address } from '../../../../src/domain/ids.ts';
import type { Market } from '../../../../src/domain/market.ts';
import type { OrderHandle, OrderIntent } from '../../../../src/domain/order.ts';
import { priceTicks } from '../../../../src/domain/units.ts';
import type { EvmReceipt } from '../../../../src/ports/evm.ts';
import { VENUE_C_CHAIN } from '../../../../src/sandbox/venues/venue-c/chain-addresses.ts';
import { poolFactory } from '../../../../src/sandbox/venues/venue-c/chain/pool-address.ts';
import { createCommit } from '../../../../src/services/commit.ts';
import { assertMaySign } from '../../../../src/services/funding/stopped-money.ts';
import { createTransactionBooking } from '../../../../src/services/funding/transaction-closing.ts';
import { createVenueClosings } from '../../../../src/services/funding/venue-closing.ts';
import { writeStop } from '../../../../src/services/orders/stop-check.ts';
import { createTransactions } from '../../../../src/services/transactions/transactions.ts';
import { createPoolGateway } from '../../../../src/venues/venue-c/pool/gateway.ts';
import { createKnownPools } from '../../../../src/venues/venue-c/pool/known-pools.ts';
import { createPoolSigner } from '../../../../src/venues/venue-c/pool/sign.ts';
import type { PoolUser, PoolWorld } from '../../../sandbox/venues/venue-c/a-venue.ts';
import {
  poolQuestion,
  startAmmChain,
  type AmmChain,
  type ListedPool,
} from '../../../sandbox/venues/venue-c/an-amm-chain.ts';
import { aMarket, aUserId } from '../../../support/builders.ts';
import { eventually } from '../../../support/eventually.ts';
import { createKeptBus, createKeptLog, createKeptMetrics } from '../../../support/quiet.ts';

const USER = aUserId(1);
const POOL_MASTER = getContractAddress({
  opcode: 'CREATE',
  from: poolFactory().address,
  nonce: 1n,
});
const MONEY = {
  usdc: asId<Address>(VENUE_C_CHAIN.usdc),
  conditionalTokens: asId<Address>(VENUE_C_CHAIN.conditionalTokens),
};

describe('a trade with a pool on chain 8453', () => {
  let on: AmmChain;
  let world: PoolWorld;
  beforeAll(async () => {
    on = await startAmmChain({ makers: false });
    world = await on.open();
  });
  afterAll(async () => {
    await world.close();
    await on.close();
  });

  /** The venue's parts over one user's account, with a store that outlives each life. */
  async function trader(user: PoolUser, masters: readonly string[] = [POOL_MASTER]) {
    const metrics = createKeptMetrics();
    const options = { chainId: 8_453, rpcUrl: on.node.url, metrics };
    const [evm, accounts] = [createEvmChain(options), createEvmAccounts(options)];
    const keccak = await loadKeccak();
    const pools = createKnownPools({ evm, keccak, money: MONEY, masters });
    const signer = createPoolSigner({
      vault: {
        has: () => true,
        load: () => Promise.reject(new Error('the keys are there')),
        addressOf: () => asId<Address>(user.account),
      },
      random: createSystemRandom(),
      chain: { evm, accounts },
      money: MONEY,
      pools,
    });
    const store = createMemoryStore();
    const stop = (stopped: boolean) =>
      store.write((tx) => {
        const scope = { kind: 'self', userId: USER } as const;
        writeStop(tx, { scope, stopped, reason: null, policy: 'keep', atMs: clock.nowMs() });
      });
    const clock = createScaledClock({ anchorMs: Date.now(), anchorWallMs: Date.now(), scale: 8 });
    const live = () => {
      const transactions = createTransactions<EvmReceipt>({
        store,
        commit: createCommit({ store, bus: createKeptBus(), metrics }),
        rails: [
          createEvmRail({
            chain: 'BASE',
            evm,
            accounts,
            loadKeys: async () => undefined,
            assertMaySign: (record) => assertMaySign(store, record),
            metrics,
            vault: {
              signDigest: (_userId, digest) =>
                signEvmDigest(Buffer.from(user.key.slice(2), 'hex'), digest),
            },
          }),
        ],
        books: createTransactionBooking({
          venue: createVenueClosings({ clock, marketClock: clock }),
        }),
        clock,
        random: createSystemRandom(),
        log: createKeptLog(),
        metrics,
      });
      return { transactions, gateway: createPoolGateway({ transactions, evm, clock }) };
    };
    const handle = async (market: Market, intent: OrderIntent): Promise<OrderHandle> => {
      const prepared = (await signer.prepare?.({ intent, market, atMs: clock.nowMs() })) ?? null;
      const attempt = { ...signer.sign(intent, prepared), sends: 1, lastSentAtMs: 0, ended: null };
      return { intent, attempt };
    };
    return { clock, live, handle, stop, ...live() };
  }

  const marketOf = (listed: ListedPool): Market => {
    const [yes, no] = listed.positionIds.map((id) => asId<Market['outcomes'][0]['tokenId']>(id));
    if (yes === undefined || no === undefined) throw new Error('a market has two outcomes');
    return aMarket(1, {
      venue: asId('venue_c'),
      marketId: asId(listed.slug),
      slug: listed.slug,
      outcomes: [
        { tokenId: yes, label: 'Yes' },
        { tokenId: no, label: 'No' },
      ],
      own: { tradeType: 'amm', conditionId: listed.conditionId, address: listed.address },
    });
  };

  const intentOf = (market: Market, changes: Partial<OrderIntent>): OrderIntent => ({
    intentId: asId('int_1'),
    userId: USER,
    venue: market.venue,
    cashAccount: 'usdc:base',
    origin: { kind: 'manual' },
    marketId: market.marketId,
    tokenId: market.outcomes[0].tokenId,
    outcome: 0,
    side: 'buy',
    life: 'all_now',
    price: priceTicks(9_000),
    spendMicros: 40_000_000,
    receiveMicros: 44_444_444,
    exact: 'spend',
    createdAtMs: 0,
    expiresAtMs: null,
    sendUntilMs: Number.MAX_SAFE_INTEGER,
    ...changes,
  });

  it('is bought and sold by the account itself, once however often it is submitted, over a restart too', async () => {
    const listed = await poolQuestion(world);
    const market = marketOf(listed);
    const user = await world.user('100');
    const { handle, gateway, live } = await trader(user);
    const expected = await on.quote(listed.address, 'calcBuyAmount', 40_000_000n);
    const buy = await handle(market, intentOf(market, {}));
    expect(await gateway.lookup(buy)).toEqual({ kind: 'absent', proof: null });
    expect([await gateway.submit(buy), await gateway.submit(buy)]).toEqual([
      { kind: 'sent' },
      { kind: 'sent' },
    ]);
    const bought = await matched(gateway, buy);
    expect(bought).toMatchObject({
      order: { status: 'matched', matchedShares: Number(expected) },
      fills: [{ word: 'confirmed', side: 'buy', legs: [{ shares: Number(expected), usdc: 40e6 }] }],
    });
    expect(await on.shares(user.account, listed.positionIds[0])).toBe(expected);
    expect(await on.dollars(user.account)).toBe(60_000_000n);

    const half = Number(expected) / 2;
    const again = live();
    again.transactions.recover();
    const sale = await handle(
      market,
      intentOf(market, {
        side: 'sell',
        price: priceTicks(10),
        spendMicros: Math.floor(half),
        receiveMicros: 1_000_000,
      }),
    );
    await again.gateway.submit(sale);
    await again.gateway.submit(buy);
    const sold = await matched(again.gateway, sale);
    const [leg] = sold.fills?.[0]?.legs ?? [];
    expect(leg?.shares).toBeGreaterThan(half - 2_000);
    expect(await on.shares(user.account, listed.positionIds[0])).toBe(
      expected - BigInt(leg?.shares ?? 0),
    );
    expect(await on.dollars(user.account)).toBe(60_000_000n + BigInt(leg?.usdc ?? 0));
  });

  it('L5: shows of purchases and sales, with the rights they needed, all the coin that left the wallet', async () => {
    const listed = await poolQuestion(world);
    const market = marketOf(listed);
    const user = await world.user('100');
    const { handle, gateway } = await trader(user);
    const coins = () =>
      on.node.client.getBalance({ address: user.account as Hex, blockTag: 'latest' });
    const before = await coins();
    const shown: bigint[] = [];
    const sale = { side: 'sell', price: priceTicks(10), receiveMicros: 1_000 } as const;
    for (const [index, change] of [
      {},
      {},
      { ...sale, spendMicros: 5_000_000 },
      // the shares are allowed once, the dollars for each purchase
      { ...sale, spendMicros: 4_000_000 },
    ].entries()) {
      const intentId = asId<OrderIntent['intentId']>(`int_${index + 1}`);
      const order = await handle(market, intentOf(market, { intentId, ...change }));
      await gateway.submit(order);
      const [fill] = (await matched(gateway, order)).fills ?? [];
      shown.push(BigInt(fill?.gas?.units ?? 0));
    }
    expect(shown.reduce((sum, each) => sum + each)).toBe(before - (await coins()));
  });

  it('is proven never to have happened where the pool has moved beyond what is accepted', async () => {
    const listed = await poolQuestion(world, 1);
    const market = marketOf(listed);
    const [user, other] = [await world.user('100'), await world.user('2000')];
    const { handle, gateway } = await trader(user);
    const expected = await on.quote(listed.address, 'calcBuyAmount', 40_000_000n);
    const buy = await handle(market, intentOf(market, { receiveMicros: Number(expected) }));
    await on.allow(other, listed.address);
    await on.trade(other, listed.address, 'buy', [1_000_000_000n, 0n, 0n]);
    await gateway.submit(buy);
    const proof = await eventually(async () => {
      const outcome = await gateway.lookup(buy);
      if (outcome.kind !== 'absent' || outcome.proof === null) throw new Error('not decided');
      return outcome.proof;
    });
    expect(proof).toContain('minimum buy amount');
    expect(await on.dollars(user.account)).toBe(100_000_000n);
    await expect(
      handle(market, intentOf(market, { receiveMicros: Number(expected) })),
    ).rejects.toMatchObject({ code: 'no_liquidity', retryable: true });
  });

  it('L6: is given up by a stop before it is signed, and what waits behind it goes on: a sale is made', async () => {
    const listed = await poolQuestion(world);
    const market = marketOf(listed);
    const user = await world.user('100');
    const { handle, gateway, stop, transactions } = await trader(user);
    const bought = await handle(market, intentOf(market, {}));
    await gateway.submit(bought);
    await matched(gateway, bought);
    const [late, sale] = [
      await handle(market, intentOf(market, { intentId: asId('int_2') })),
      await handle(
        market,
        intentOf(market, {
          side: 'sell',
          price: priceTicks(10),
          spendMicros: 5_000_000,
          receiveMicros: 1_000,
        }),
      ),
    ];
    await stop(true);
    await gateway.submit(late);
    await gateway.submit(sale);
    const sold = await matched(gateway, sale);
    expect(sold.order.matchedShares).toBeGreaterThan(4_990_000);
    expect(await gateway.lookup(late)).toEqual({
      kind: 'absent',
      proof: expect.stringContaining('no money is sent out'),
    });
    await stop(false);
    await gateway.submit(late);
    expect(transactions.find(USER, late.attempt.attemptId)?.state).toBe('failed');
  });

  it('L1, L4: comes back with the bytes it had where its block is taken back after it was final, and the next one is made', async () => {
    const listed = await poolQuestion(world);
    const market = marketOf(listed);
    const { handle, gateway, transactions } = await trader(await world.user('100'));
    const first = await handle(market, intentOf(market, {}));
    await gateway.submit(first);
    await matched(gateway, first);
    const landed = transactions.find(USER, first.attempt.attemptId)?.transactionHash ?? '';
    const { client } = on.node;
    const { blockNumber } = await client.getTransactionReceipt({ hash: landed as Hex });
    // a block that comes between question and call makes it one too shallow
    await eventually(async () => {
      const depth = Number((await client.getBlockNumber({ cacheTime: 0 })) - blockNumber) + 1;
      await client.request({ method: 'anvil_reorg' as never, params: [depth, []] as never });
      await expect(client.getTransactionReceipt({ hash: landed as Hex })).rejects.toThrow();
    });
    const next = await handle(
      market,
      intentOf(market, {
        intentId: asId('int_2'),
        side: 'sell',
        price: priceTicks(10),
        spendMicros: 5_000_000,
        receiveMicros: 1_000,
      }),
    );
    await gateway.submit(next);
    await eventually(async () =>
      expect(await gateway.lookup(next)).toMatchObject({ fills: [{ word: 'confirmed' }] }),
    );
    const { status } = await client.getTransactionReceipt({ hash: landed as Hex });
    const again = transactions.find(USER, first.attempt.attemptId);
    expect([status, again?.state, again?.attempts.length]).toEqual(['success', 'done', 1]);
    expect((await gateway.lookup(first)).kind).toBe('found');
  });

  it('is made of nothing after its time, and never then', async () => {
    const listed = await poolQuestion(world);
    const market = marketOf(listed);
    const { handle, gateway, clock } = await trader(await world.user('100'));
    const buy = await handle(market, intentOf(market, { sendUntilMs: clock.nowMs() }));
    expect(await gateway.submit(buy)).toMatchObject({ kind: 'deferred' });
    expect(await gateway.lookup(buy)).toEqual({
      kind: 'absent',
      proof: 'no transaction was made of it in its time',
    });
  });

  it('is not signed for a contract with other code, nor without gas', async () => {
    const listed = await poolQuestion(world);
    const market = marketOf(listed);
    const user = await world.user('100');
    const stranger = await trader(user, [`0x${'12'.repeat(20)}`]);
    await expect(stranger.handle(market, intentOf(market, {}))).rejects.toMatchObject({
      code: 'market_not_supported',
    });
    await on.node.client.request({
      method: 'anvil_setBalance' as never,
      params: [user.account, '0x1'] as never,
    });
    const { handle } = await trader(user);
    await expect(handle(market, intentOf(market, {}))).rejects.toThrow(/needs ETH for gas/);
  });

  /** How an order ended, once its trade is final. */
  function matched(gateway: ReturnType<typeof createPoolGateway>, order: OrderHandle) {
    return eventually(async () => {
      const outcome = await gateway.lookup(order);
      if (outcome.kind !== 'found' || outcome.order.status !== 'matched')
        throw new Error(`not matched: ${JSON.stringify(outcome)}`);
      return outcome;
    });
  }
});
