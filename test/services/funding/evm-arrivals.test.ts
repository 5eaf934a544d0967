import type { Hex } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { EVM_ARRIVALS } from '../../../config/limits/arrivals.ts';
import { readTokenFacts } from '../../../src/adapters/evm/token-facts.ts';
import { createMemoryStore } from '../../../src/adapters/memory/memory-store.ts';
import { AppError } from '../../../src/domain/errors.ts';
import { asId, type Address, type UserId } from '../../../src/domain/ids.ts';
import type { Store } from '../../../src/ports/store.ts';
import { createCommit } from '../../../src/services/commit.ts';
import { createAddressIndex } from '../../../src/services/funding/address-index.ts';
import { createEvmArrivals } from '../../../src/services/funding/evm-arrivals.ts';
import { UNKNOWN_TOKENS } from '../../../src/services/funding/tables.ts';
import { pageOfTokenArrivals } from '../../../src/services/funding/token-arrivals.ts';
import { notificationOf } from '../../../src/services/notifications/notification-facts.ts';
import { swapReceipts } from '../../../src/services/swaps/swap-records.ts';
import { TRANSACTIONS } from '../../../src/services/transactions/tables.ts';
import { aUserId } from '../../support/builders.ts';
import { dyingAfter } from '../../support/dying-commit.ts';
import { eventually } from '../../support/eventually.ts';
import { createKeptBus, createKeptLog, createKeptMetrics } from '../../support/quiet.ts';
import {
  EVM_KEY,
  openSwapWorld,
  WALLETS,
  type SwapWorld,
} from '../../support/worlds/swap-world.ts';
import { DOLLARS, transferLife } from '../../support/worlds/transfer-life.ts';

const USER = aUserId(1);
const OTHER_KEY: Hex = `0x${'7'.repeat(64)}`;
const SENDER_KEY: Hex = `0x${'8'.repeat(64)}`;
const ARB = '0x912CE59144191C1204E64559FE8253a0e49E6548';
const USDT = '0xFd086bC7CD5C481DCC9C85ebE478A1C0b69FCbb9';
let world: SwapWorld;

beforeAll(async () => {
  world = await openSwapWorld(['ARBITRUM']);
  await world.give('ARBITRUM', 1, 10);
  await blocksPass();
});
afterAll(() => world.close());

/** Other people's wallets, and which blocks the node has forgotten the balances of. */
interface Surroundings {
  readonly others?: readonly { readonly userId: UserId; readonly address: Address }[];
  /** How much later it is than the world's clock says. */
  readonly laterMs?: () => number;
  readonly isForgotten?: (owners: readonly string[], block: number) => boolean;
}

/** Follows the user's wallet on a store, as a start of the service does. */
function follower(
  store: Store,
  { others = [], isForgotten = () => false, laterMs = () => 0 }: Surroundings = {},
) {
  const bus = createKeptBus();
  const nodes = world.nodes.get('ARBITRUM');
  if (nodes?.kind !== 'evm') return expect.unreachable();
  const { evm, accounts } = nodes;
  const clock = {
    ...world.clock,
    nowMs: () => world.clock.nowMs() + laterMs(),
    // no test here waits for the node to be spared
    after: (_ms: number, run: () => void) => world.clock.after(0, run),
  };
  const arrivals = createEvmArrivals({
    chain: 'ARBITRUM',
    store,
    evm,
    accounts: {
      ...accounts,
      coins: async (owners, block) => {
        if (isForgotten(owners, block))
          throw new AppError('chain_unavailable', `block ${block} is forgotten`);
        return accounts.coins(owners, block);
      },
    },
    clock,
    log: createKeptLog(),
    commit: createCommit({ store, bus, metrics: createKeptMetrics() }),
    wallets: createAddressIndex({
      bus,
      clock,
      addressOf: () => WALLETS.evm,
      // the others are looked at last
      users: () => [{ userId: USER, address: WALLETS.evm }, ...others],
    }),
    swaps: swapReceipts(store),
    factsOf: (token) => readTokenFacts(evm, token),
    ownTokensOf: () => [],
    cashAccountOf: ({ address }) => (address === DOLLARS ? 'usdc:base' : null),
  });
  const found = () =>
    pageOfTokenArrivals(store, USER, { limit: 50, cursor: null }).data.map(
      ({ symbol, units, isKnown }) => [symbol, units, isKnown],
    );
  /** Notifications of what this follower has recorded. */
  const reported = () =>
    bus.entries.flatMap(({ event }) => {
      const notification = notificationOf(store, event);
      return notification?.facts.kind === 'token_arrived' ? [notification.facts.symbol] : [];
    });
  return { ...arrivals, found, reported };
}

/** A store that knows all that has come so far. */
async function caughtUp() {
  const store = createMemoryStore();
  const first = follower(store);
  await first.poll();
  const before = first.found().length;
  return { store, fresh: () => first.found().slice(0, first.found().length - before), before };
}

async function blocksPass(): Promise<void> {
  const { node } = (await world.chains.open('ARBITRUM')).local;
  await node.client.mine({ blocks: EVM_ARRIVALS.confirmations });
}

async function give(token: Hex, units: bigint): Promise<void> {
  const chain = await world.chains.open('ARBITRUM');
  await chain.give(token, WALLETS.evm as Hex, units);
  await blocksPass();
}

const COIN = '0x0000000000000000000000000000000000000000';

describe('what others send to a wallet on an EVM chain', () => {
  it('is recorded and reported once, however often it is looked at, and by whichever start', async () => {
    const { store, before } = await caughtUp();
    const first = follower(store);
    await give(USDT, 7_000_000n);
    await give(COIN, 10n ** 17n);
    await first.poll();
    await first.poll();
    const again = follower(store);
    await again.poll();
    expect(again.found().slice(0, again.found().length - before)).toEqual(
      expect.arrayContaining([
        ['USDT', '7000000', true],
        ['ETH', String(10n ** 17n), true],
      ]),
    );
    expect(again.found()).toHaveLength(before + 2);
    expect([first.reported().sort(), again.reported()]).toEqual([['ETH', 'USDT'], []]);
  });

  it('is not reported before its block is final', async () => {
    const { store, before } = await caughtUp();
    const { poll, found } = follower(store);
    const chain = await world.chains.open('ARBITRUM');
    const { node } = chain.local;
    const head = await node.client.getBlockNumber();
    await chain.give(USDT, WALLETS.evm as Hex, 8_000_000n);
    await eventually(async () => {
      await poll();
      expect(found().length).toBe(before + 1);
    });
    expect(Number((await node.client.getBlockNumber()) - head)).toBeGreaterThanOrEqual(
      EVM_ARRIVALS.confirmations,
    );
  });

  it('is listed and marked, but not reported, where no list vouches for the token, and once a token', async () => {
    const { store, before } = await caughtUp();
    const { poll, found, reported } = follower(store);
    await give(ARB, 5n);
    await give(ARB, 6n);
    await poll();
    expect(found().slice(0, found().length - before)).toEqual([['ARB', '5', false]]);
    expect([reported(), store.get(UNKNOWN_TOKENS, [USER, 'ARBITRUM', ARB])?.value.symbol]).toEqual([
      [],
      'ARB',
    ]);
  });

  it('is nothing for dust of dollars, and for dollars of the books, which their booking tells of', async () => {
    const { store, before } = await caughtUp();
    const { poll, found } = follower(store);
    await give(USDT, 9_999n);
    await give(DOLLARS as Hex, 5_000_000n);
    await poll();
    expect(found()).toHaveLength(before);
  });

  it('is distinguished from what the own transactions changed, to the last wei', async () => {
    const { store, before } = await caughtUp();
    const { poll, found } = follower(store);
    const life = transferLife(world, store);
    await life.send('ETH', '0.2');
    await eventually(() => expect(life.latest()[0]?.state).toBe('settled'));
    life.transactions.stop();
    await blocksPass();
    await poll();
    expect(found()).toHaveLength(before);
    await give(COIN, 3n * 10n ** 15n);
    await poll();
    expect(found().slice(0, found().length - before)).toEqual([
      ['ETH', String(3n * 10n ** 15n), true],
    ]);
  });

  it('is recorded from the very same block as an own transaction', async () => {
    const { store, before } = await caughtUp();
    const { poll, found } = follower(store);
    const chain = await world.chains.open('ARBITRUM');
    const { client } = chain.local.node;
    const [own, other] = [EVM_KEY, SENDER_KEY].map((key) => privateKeyToAccount(key));
    if (own === undefined || other === undefined) return expect.unreachable();
    await chain.give(COIN, other.address, 10n ** 18n);
    const [fees, gas] = [{ maxFeePerGas: 10n ** 10n, maxPriorityFeePerGas: 1n }, 100_000n];
    const hashes: Hex[] = [];
    await chain.local.node.betweenBlocks(async () => {
      for (const [from, to, value] of [
        [own, other, 5n],
        [other, own, 10n ** 15n],
      ] as const)
        hashes.push(
          await client.sendRawTransaction({
            serializedTransaction: await from.signTransaction({
              ...fees,
              type: 'eip1559',
              chainId: 42_161,
              to: to.address,
              value,
              gas,
              nonce: await client.getTransactionCount({ address: from.address }),
            }),
          }),
        );
    });
    await blocksPass();
    const [mine, theirs] = await Promise.all(
      hashes.map((hash) => client.getTransactionReceipt({ hash })),
    );
    expect(mine?.blockNumber).toBe(theirs?.blockNumber);
    const nonce = (await client.getTransactionCount({ address: own.address })) - 1;
    await store.write((tx) =>
      // of a transaction its chain and the names it has there are read alone
      tx.put({ name: TRANSACTIONS.name }, [USER, 'txn_own'], {
        account: { chain: 'ARBITRUM', rail: 'evm', address: WALLETS.evm },
        purpose: { owner: 'send', kind: 'send', data: {} },
        attempts: [{ id: mine?.transactionHash, bound: { kind: 'nonce', nonce } }],
        transactionHash: null,
      }),
    );
    await poll();
    expect(found().slice(0, found().length - before)).toEqual([['ETH', String(10n ** 15n), true]]);
  });

  it('is nothing where a transaction of the own brought it', async () => {
    const { store, before } = await caughtUp();
    const { poll, found } = follower(store);
    await give(USDT, 2_000_000n);
    await give(USDT, 3_000_000n);
    const { node } = (await world.chains.open('ARBITRUM')).local;
    const [own] = (await node.client.getLogs({ address: USDT, fromBlock: 0n })).slice(-2);
    await store.write((tx) =>
      // of a transaction its chain and the names it has there are read alone
      tx.put({ name: TRANSACTIONS.name }, [USER, 'txn_own'], {
        account: { chain: 'ARBITRUM', rail: 'evm', address: WALLETS.evm },
        purpose: { owner: 'send', kind: 'send', data: {} },
        attempts: [{ id: own?.transactionHash, bound: { kind: 'nonce', nonce: 0 } }],
        transactionHash: null,
      }),
    );
    await poll();
    expect(found().slice(0, found().length - before)).toEqual([['USDT', '3000000', true]]);
  });

  it('is reported of one wallet while the past of another cannot be read, which is left in the end', async () => {
    const { store, before } = await caughtUp();
    const life = transferLife(world, store);
    await life.send('ETH', '0.1');
    await eventually(() => expect(life.latest()[0]?.state).toBe('settled'));
    life.transactions.stop();
    await blocksPass();
    const { address } = privateKeyToAccount(OTHER_KEY);
    const other = { userId: aUserId(2), address: asId<Address>(address) };
    let laterMs = 0;
    const chain = await world.chains.open('ARBITRUM');
    await chain.give(COIN, address, 10n ** 16n);
    await give(COIN, 10n ** 16n);
    const { poll, found } = follower(store, {
      others: [other],
      isForgotten: (owners) =>
        owners.length === 1 && owners[0]?.toLowerCase() === WALLETS.evm.toLowerCase(),
      laterMs: () => laterMs,
    });
    await expect(poll()).rejects.toMatchObject({ code: 'chain_unavailable' });
    expect(pageOfTokenArrivals(store, other.userId, { limit: 9, cursor: null }).data).toHaveLength(
      1,
    );
    laterMs = EVM_ARRIVALS.historyWaitMs;
    await poll();
    expect(found()).toHaveLength(before);
    await give(COIN, 2n * 10n ** 16n);
    await poll();
    expect(found().slice(0, found().length - before)).toEqual([
      ['ETH', String(2n * 10n ** 16n), true],
    ]);
  });

  it('waits while something of the own is under way that may explain it', async () => {
    const { store, before } = await caughtUp();
    const { poll, found } = follower(store);
    const { wrap, isDead } = dyingAfter(1);
    const life = transferLife(world, store, wrap);
    void life.send('ETH', '0.01').catch(() => undefined);
    await eventually(() => expect(isDead()).toBe(true));
    life.transactions.stop();
    await give(USDT, 1_000_000n);
    await poll();
    expect(found()).toHaveLength(before);
    const next = transferLife(world, store);
    next.transactions.recover();
    await eventually(() => expect(next.latest()[0]?.state).toBe('settled'));
    next.transactions.stop();
    await blocksPass();
    await poll();
    expect(found().slice(0, found().length - before)).toEqual([['USDT', '1000000', true]]);
  });

  it('is nothing where the key was used past this service: what came cannot be determined', async () => {
    const { store, before } = await caughtUp();
    const { poll, found } = follower(store);
    const { node } = (await world.chains.open('ARBITRUM')).local;
    const key = privateKeyToAccount(EVM_KEY);
    const fees = { maxFeePerGas: 10n ** 10n, maxPriorityFeePerGas: 1n } as const;
    await node.client.sendRawTransaction({
      serializedTransaction: await key.signTransaction({
        ...fees,
        type: 'eip1559',
        chainId: 42_161,
        to: key.address,
        gas: 30_000n,
        nonce: await node.client.getTransactionCount({ address: key.address }),
      }),
    });
    await give(COIN, 10n ** 16n);
    await poll();
    expect(found()).toHaveLength(before);
  });
});
