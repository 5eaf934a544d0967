import type { Hex } from 'viem';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createBridge } from '../../src/adapters/bridge/bridge.ts';
import { createWallClock } from '../../src/adapters/clock/wall-clock.ts';
import { createEvmChain } from '../../src/adapters/evm/evm-chain.ts';
import { createMemoryStore } from '../../src/adapters/memory/memory-store.ts';
import { createSeededRandom } from '../../src/adapters/random/seeded-random.ts';
import { asId, type Address, type UserId } from '../../src/domain/ids.ts';
import { VENUE_A_CHAIN } from '../../src/sandbox/venues/venue-a/chain/chain-addresses.ts';
import { createCommit } from '../../src/services/commit.ts';
import { createChainDeposits } from '../../src/services/funding/chain-deposits.ts';
import { createDeposits } from '../../src/services/funding/deposit-addresses.ts';
import { createAddressIndex } from '../../src/services/funding/address-index.ts';
import { balanceOf } from '../../src/services/books/record-changes.ts';
import {
  startBridgeChains,
  startBridgeFixture,
  type BridgeChains,
  type BridgeFixture,
} from '../support/fixtures/bridge-fixture.ts';
import { eventually } from '../support/eventually.ts';
import { createKeptBus, createKeptLog, createKeptMetrics } from '../support/quiet.ts';

const USER = asId<UserId>('usr_chain');
const SAFE = asId<Address>('0x75F00B003FBBBA193FABEB06284c3187a4C1232E');
const clock = createWallClock();

let chains: BridgeChains;
let fixture: BridgeFixture;
let bridge: ReturnType<typeof createBridge>;
let blocks: ReturnType<typeof setInterval>;
const ends: (() => Promise<unknown>)[] = [];
beforeAll(async () => {
  chains = await startBridgeChains();
  fixture = await startBridgeFixture(chains);
  bridge = createBridge({ baseUrl: fixture.bridge.url, clock, metrics: createKeptMetrics() });
  blocks = setInterval(() => void chains.mine().catch(() => undefined), 200);
});
afterAll(async () => {
  clearInterval(blocks);
  for (const end of ends) await end();
  await bridge.close();
  await fixture.bridge.close();
  await chains.close();
});

/** One life of the daemon's deposits over a store. */
function live(store: ReturnType<typeof createMemoryStore>, seed: string) {
  const [bus, log, metrics] = [createKeptBus(), createKeptLog(), createKeptMetrics()];
  const commit = createCommit({ store, bus, metrics });
  const deposits = createDeposits({
    store,
    commit,
    bus,
    bridge,
    safeOf: () => SAFE,
    clock,
    random: createSeededRandom(seed),
    log,
    metrics,
  });
  const arrivals = createChainDeposits({
    store,
    commit,
    clock,
    marketClock: clock,
    log,
    chain: createEvmChain({ chainId: 137, rpcUrl: chains.polygon.node.url, metrics }),
    contracts: {
      collateral: asId<Address>(VENUE_A_CHAIN.collateral),
      conditionalTokens: asId<Address>(VENUE_A_CHAIN.conditionalTokens),
      exchanges: [asId<Address>(VENUE_A_CHAIN.exchange)],
      confirmations: 3,
    },
    safes: createAddressIndex({
      bus,
      clock,
      addressOf: () => SAFE,
      users: () => [{ userId: USER, address: SAFE }],
    }),
  });
  deposits.recover();
  arrivals.start();
  const stop = async () => {
    deposits.stop();
    await arrivals.stop();
  };
  ends.push(stop);
  return { deposits, bus, log, metrics, stop };
}

it('L4, L9: money from two chains is followed by itself, over a restart, and complete once the real chain’s proof is booked', async () => {
  const store = createMemoryStore();
  const first = live(store, 'one');
  const { addresses } = await first.deposits.addresses(USER);
  // the bridge gives addresses of an EVM chain
  await chains.pay('base', { to: addresses.evm as Hex, micros: 25_000_000n });
  await chains.pay('polygon', { to: addresses.evm as Hex, micros: 1_000_000n });
  await eventually(async () =>
    expect((await first.deposits.status(USER, addresses.evm)).deposits).toHaveLength(2),
  );
  await first.stop();
  await chains.solana.give(addresses.solana, { usdc: '7.5' });
  const second = live(store, 'two');
  const all = async () => {
    const [evm, solana] = [
      await second.deposits.status(USER, addresses.evm),
      await second.deposits.status(USER, addresses.solana),
    ];
    return [...evm.deposits, ...solana.deposits]
      .map(({ deposit, asset }) => [
        asset?.chain,
        deposit.transfer.amount,
        deposit.state,
        deposit.problem,
        deposit.credit?.usdc ?? null,
      ])
      .sort();
  };
  await eventually(async () =>
    expect(await all()).toEqual([
      ['BASE', '25000000', 'completed', null, 25_000_000],
      ['POLYGON', '1000000', 'failed', 'below_minimum', null],
      ['SOLANA', '7500000', 'completed', null, 7_500_000],
    ]),
  );
  expect([
    balanceOf(store, USER, 'usdc:safe').settled,
    await chains.collateralOf(SAFE as Hex),
  ]).toEqual([32_500_000, 32_500_000n]); // it is an address of an EVM chain
  expect(second.metrics.counts.get('deposits_unproven') ?? 0).toBe(0);
});
