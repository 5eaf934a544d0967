import { readAddress } from '../../../src/adapters/evm/address.ts';
import { createVirtualClock } from '../../../src/adapters/clock/virtual-clock.ts';
import { createMemoryStore } from '../../../src/adapters/memory/memory-store.ts';
import { createSeededRandom } from '../../../src/adapters/random/seeded-random.ts';
import type { CashAccount } from '../../../src/domain/cash.ts';
import { AppError } from '../../../src/domain/errors.ts';
import { asId, type Address, type SolanaAddress } from '../../../src/domain/ids.ts';
import type { EvmFees, Simulation } from '../../../src/ports/evm-account.ts';
import type { EvmReceipt } from '../../../src/ports/evm.ts';
import type { RouteOffer, RouteRequest, RouteStatus } from '../../../src/ports/router.ts';
import type { Commit } from '../../../src/ports/commit.ts';
import { createCommit } from '../../../src/services/commit.ts';
import { createSwapClosings } from '../../../src/services/funding/swap-closing.ts';
import { createTransactionBooking } from '../../../src/services/funding/transaction-closing.ts';
import { createSwaps } from '../../../src/services/swaps/swaps.ts';
import type { QuoteRequest } from '../../../src/services/swaps/swap-quoting.ts';
import { createTransactions } from '../../../src/services/transactions/transactions.ts';
import { aUserId, T0 } from '../../support/builders.ts';
import { FakeEvmRail } from '../../support/fakes/fake-rails.ts';
import { fakePrices } from '../../support/fakes/fake-token-data.ts';
import { createKeptBus, createKeptLog, createKeptMetrics } from '../../support/quiet.ts';

/** Whose swaps they are. */
export const USER = aUserId(1);
/** Of the user, on every EVM chain. */
export const WALLET = asId<Address>('0x19E7E376E7C213B7E7e7e46cc70A5dD086DAff2A');
/** What is sold, on Base. */
export const USDC = asId<Address>('0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913');
/** What brought it, on the other chain. */
export const ARRIVAL = `0x${'cd'.repeat(32)}`;
/** The router's contract. */
export const DIAMOND = '0x1231DEB6f5749EF6cE6943a275A1D3E7486F4EaE';
/** What comes out, in wei. */
export const OUT = 12_462_500_000_000_000n;
/** 25 USDC on Base for ether on Arbitrum. */
export const REQUEST: QuoteRequest = {
  fromChain: 'BASE',
  toChain: 'ARBITRUM',
  sellTokenTicker: 'USDC',
  buyTokenTicker: 'ETH',
  sellToken: null,
  buyToken: null,
  amount: '25',
  walletType: null,
  slippageBps: 50,
  acceptUnpriced: false,
};

/** Returns what an honest router offers. */
export function offerFor({
  amount,
  sender,
  receiver,
  sellToken,
  buyToken,
}: RouteRequest): RouteOffer {
  return {
    tool: 'across',
    fromChain: 'BASE',
    toChain: 'ARBITRUM',
    sellToken,
    buyToken,
    buyDecimals: 18,
    amount,
    sender,
    receiver,
    out: OUT,
    minimumOut: (OUT * 995n) / 1_000n,
    spender: DIAMOND,
    seconds: 30,
    fees: [],
    gas: 400_000n,
    transaction: {
      kind: 'evm',
      chain: 'BASE',
      from: sender,
      to: DIAMOND,
      data: '0x12345678',
      valueWei: 0n,
    },
    call: {
      toChain: 'ARBITRUM',
      sellToken,
      buyToken,
      amount,
      minimumOut: (OUT * 995n) / 1_000n,
      receiver,
      refundTo: sender,
      callsOn: false,
    },
  };
}

/** Makes a world of swaps on chains whose answers are set. */
export function aWorld({ dailyOutUsd = 1_000 } = {}) {
  const clock = createVirtualClock(T0);
  const store = createMemoryStore();
  const rail = new FakeEvmRail(clock);
  const log = createKeptLog();
  const state = {
    offer: offerFor,
    held: 1_000_000_000n,
    /** What the chain shows to have arrived; null while nothing has. */
    arrived: OUT as bigint | null,
    /** The node answers nothing of balances in old blocks. */
    isForgetful: false,
    /** Nor of anything else of an account. */
    isSilent: false,
    logs: [] as EvmReceipt['logs'],
    /** Decimals that tokens outside of our list state; null for no answer of theirs. */
    decimals: null as number | null,
    word: {
      state: 'done',
      receivingChain: 'ARBITRUM',
      receivingHash: ARRIVAL,
      receivedToken: null,
    } as RouteStatus,
    simulation: {
      kind: 'done',
      movements: [{ token: USDC, from: WALLET, to: asId<Address>(DIAMOND), amount: 25_000_000n }],
      approvals: [],
      gas: 210_000n,
    } as Simulation,
    /** Coin in the wallet, for gas. */
    wei: 10n ** 18n,
    /** A base fee of a gwei, and a tip of one. */
    fees: (): Promise<EvmFees> =>
      Promise.resolve({
        maxFeePerGas: 3_000_000_000n,
        maxPriorityFeePerGas: 1_000_000_000n,
      }),
    isStopped: false,
    /** The exchange is silent: coins have no price at this moment. */
    isPriceLate: false,
    /** Which balance in the books is sold from. */
    cashAccount: null as CashAccount | null,
    /** After so many commits nothing goes on: the process is dead. */
    dieAfter: Number.POSITIVE_INFINITY,
  };
  const unused = (): never => {
    throw new Error('not asked for here');
  };
  const evm = {
    chainId: 8_453,
    head: unused,
    call: async () =>
      state.decimals === null ? '0x' : (`0x${state.decimals.toString(16)}` as `0x${string}`),
    hasCode: unused,
    codeHash: unused,
    shares: unused,
    hasBlock: unused,
    logs: unused,
    balances: async () => ({ wei: state.wei, tokens: [state.held] }),
    receipt: async (hash: string): Promise<EvmReceipt | null> =>
      state.arrived === null
        ? null
        : {
            transactionHash: hash as `0x${string}`,
            succeeded: true,
            blockNumber: 1,
            confirmations: 9,
            logs: state.logs,
          },
  };
  const accounts = {
    nonce: async () => {
      if (state.isSilent) throw new AppError('chain_unavailable', 'no answer');
      return 0;
    },
    fees: () => state.fees(),
    gas: unused,
    send: unused,
    simulate: async () => state.simulation,
    coinChange: async () => {
      if (state.isForgetful) throw new AppError('chain_unavailable', 'no such block');
      return state.arrived;
    },
    allowance: async () => 0n,
    coins: unused,
    received: unused,
  };
  let lives = 0;
  let commits = 0;
  const live = () => {
    lives += 1;
    const own = lives;
    const durable = createCommit({ store, bus: createKeptBus(), metrics: createKeptMetrics() });
    const commit: Commit = async (change, whenDurable) => {
      if (own !== lives || commits >= state.dieAfter) return new Promise(() => undefined);
      const result = await durable(change, whenDurable);
      commits += 1;
      return own !== lives || commits >= state.dieAfter ? new Promise(() => undefined) : result;
    };
    const shared = { store, commit, clock, log, metrics: createKeptMetrics() };
    const random = createSeededRandom(`swaps ${own}`);
    const books = createTransactionBooking({
      swaps: createSwapClosings({ clock, marketClock: clock, random }),
    });
    const transactions = createTransactions<EvmReceipt>({
      ...shared,
      random,
      rails: [rail],
      books: {
        ...books,
        // receipts of this rail show no transfers: what a swap drew is not seen in them
        close: (tx, record, receipt) =>
          record.state === 'failed' ? books.close(tx, record, receipt) : undefined,
      },
    });
    const swaps = createSwaps({
      ...shared,
      random,
      transactions,
      marketClock: clock,
      router: {
        offer: async (request) => state.offer(request),
        status: async () => state.word,
      },
      sides: {
        router: { token: async () => null },
        search: async () => ({ found: [], readAtMs: 0 }),
        readAddress: (chain, text) => (chain === 'SOLANA' ? text : readAddress(text)),
        launchedBy: () => [],
      },
      prices: fakePrices(
        () => (state.isPriceLate ? null : { priceE18: 2_000n * 10n ** 18n, atMs: T0 }),
        (_chain, address) => state.isPriceLate && address === null,
      ),
      walletsOf: () => ({ evm: WALLET, safe: WALLET, solana: asId<SolanaAddress>('s') }),
      nodesOf: (chain) => (chain === 'SOLANA' ? null : { kind: 'evm', evm, accounts }),
      targets: [DIAMOND],
      programs: [],
      cashAccountOf: () => state.cashAccount,
      assertMayLeave() {
        if (state.isStopped) throw new AppError('trading_stopped', 'stopped');
      },
      dailyOutMicros: dailyOutUsd * 1_000_000,
    });
    return {
      swaps,
      recover() {
        transactions.recover();
        swaps.recover();
      },
      stop() {
        swaps.stop();
        transactions.stop();
      },
    };
  };
  const execute = async (
    life: ReturnType<typeof live>,
    isFresh = false,
    request: Partial<QuoteRequest> = {},
  ) => {
    const { quoteId } = await life.swaps.quote(USER, { ...REQUEST, ...request });
    const answer = life.swaps.execute(USER, { quoteId, isFresh, key: `key ${quoteId}` });
    await clock.advance(5_000);
    return answer;
  };
  return { clock, store, rail, log, state, live, execute, killed: () => commits >= state.dieAfter };
}

/** What the request sells, at a dollar a USDC. */
export const SOLD_MICROS = 25_000_000;

/** Another life, as a start after a crash has it. */
export function reborn(world: ReturnType<typeof aWorld>) {
  world.state.dieAfter = Number.POSITIVE_INFINITY;
  const life = world.live();
  life.recover();
  return life;
}
