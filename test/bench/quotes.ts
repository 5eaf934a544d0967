import { createVirtualClock } from '../../src/adapters/clock/virtual-clock.ts';
import { createMemoryStore } from '../../src/adapters/memory/memory-store.ts';
import { createSeededRandom } from '../../src/adapters/random/seeded-random.ts';
import { asId, type Address, type SolanaAddress } from '../../src/domain/ids.ts';
import type { RouteOffer, RouteRequest } from '../../src/ports/router.ts';
import type { EvmReceipt } from '../../src/ports/evm.ts';
import { createCommit } from '../../src/services/commit.ts';
import { createSwaps, type Swaps } from '../../src/services/swaps/swaps.ts';
import { createTransactions } from '../../src/services/transactions/transactions.ts';
import { aUserId, T0 } from '../support/builders.ts';
import { FakeEvmRail } from '../support/fakes/fake-rails.ts';
import { fakePrices } from '../support/fakes/fake-token-data.ts';
import { aSwapQuote } from '../support/fakes/fake-swaps.ts';
import { createKeptBus, createKeptLog, createKeptMetrics } from '../support/quiet.ts';
import { timeEach } from './measure.ts';
import type { Row } from './row.ts';

const ROUNDS = { rounds: 10_000, warmUp: 1_000 };
const WALLET = asId<Address>('0x19E7E376E7C213B7E7e7e46cc70A5dD086DAff2A');

/**
 * Quotes of a bridge by our side alone, the router's answer from memory: tokens distinguished, the
 * offer held to what was asked and to our own prices, and the quote remembered.
 */
export async function run(): Promise<readonly Row[]> {
  const swaps = openSwaps();
  const { p50, p99 } = await timeEach(
    (round) =>
      swaps.quote(aUserId(1 + (round % 200)), {
        fromChain: 'POLYGON',
        toChain: 'BASE',
        sellTokenTicker: 'USDC',
        buyTokenTicker: 'ETH',
        sellToken: null,
        buyToken: null,
        amount: '25',
        walletType: null,
        slippageBps: 50,
        acceptUnpriced: false,
      }),
    ROUNDS,
  );
  return [
    {
      work: 'quotes a second, one after another',
      ours: 1e6 / p50,
      peer: null,
      unit: '/s',
      bar: null,
    },
    { work: 'a quote by our side alone, p99', ours: p99, peer: null, unit: 'µs', bar: null },
  ];
}

function openSwaps(): Swaps {
  const clock = createVirtualClock(T0);
  const store = createMemoryStore();
  const metrics = createKeptMetrics();
  const shared = {
    store,
    metrics,
    clock,
    log: createKeptLog(),
    random: createSeededRandom('quotes'),
    commit: createCommit({ store, bus: createKeptBus(), metrics }),
  };
  const unused = (): never => {
    throw new Error('not asked for here');
  };
  const accounts = {
    nonce: unused,
    fees: async () => ({ maxFeePerGas: 60_000_000_000n, maxPriorityFeePerGas: 30_000_000_000n }),
    gas: unused,
    send: unused,
    simulate: async () => ({ kind: 'done', movements: [], approvals: [], gas: 210_000n }) as const,
    coinChange: unused,
    allowance: async () => 0n,
    coins: unused,
    received: unused,
  };
  const evm = { chainId: 137, head: unused, call: unused, hasCode: unused, codeHash: unused };
  const reads = {
    balances: unused,
    shares: unused,
    receipt: unused,
    hasBlock: unused,
    logs: unused,
  };
  return createSwaps({
    ...shared,
    marketClock: clock,
    transactions: createTransactions<EvmReceipt>({
      ...shared,
      rails: [new FakeEvmRail(clock)],
      books: { verdict: unused, close: unused },
    }),
    router: { offer: async (request) => offerFor(request), status: unused },
    sides: {
      router: { token: unused },
      search: unused,
      readAddress: (_chain, text) => text,
      launchedBy: () => [],
    },
    prices: fakePrices(() => ({ priceE18: 2_000n * 10n ** 18n, atMs: T0 })),
    walletsOf: () => ({ evm: WALLET, safe: WALLET, solana: asId<SolanaAddress>('s') }),
    nodesOf: () => ({ kind: 'evm', evm: { ...evm, ...reads }, accounts }),
    targets: ['0x1231DEB6f5749EF6cE6943a275A1D3E7486F4EaE'],
    programs: [],
    cashAccountOf: () => null,
    assertMayLeave: () => undefined,
    dailyOutMicros: 1_000_000_000,
  });
}

/** What the router would give for it. */
function offerFor({ sender, receiver, amount, sellToken, buyToken }: RouteRequest): RouteOffer {
  const { offer } = aSwapQuote();
  const { minimumOut } = offer;
  return {
    ...offer,
    sender,
    receiver,
    amount,
    sellToken,
    buyToken,
    call: {
      toChain: 'BASE',
      sellToken,
      buyToken,
      amount,
      minimumOut,
      receiver,
      refundTo: sender,
      callsOn: false,
    },
  };
}
