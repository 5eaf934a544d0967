import { privateKeyToAccount } from 'viem/accounts';
import { SOLANA_SWAP } from '../../../config/limits/tokens.ts';
import { readAddress } from '../../../src/adapters/evm/address.ts';
import { createScaledClock } from '../../../src/adapters/clock/scaled-clock.ts';
import { createWallClock } from '../../../src/adapters/clock/wall-clock.ts';
import { createEvmAccounts } from '../../../src/adapters/evm/evm-account.ts';
import { createEvmChain } from '../../../src/adapters/evm/evm-chain.ts';
import { createEvmRail } from '../../../src/adapters/evm/evm-rail.ts';
import { signEvmDigest } from '../../../src/adapters/keys/evm-key.ts';
import { signSolanaMessage, solanaAddressOf } from '../../../src/adapters/keys/solana-key.ts';
import { createMemoryStore } from '../../../src/adapters/memory/memory-store.ts';
import { createSeededRandom } from '../../../src/adapters/random/seeded-random.ts';
import { createRouter } from '../../../src/adapters/router/router.ts';
import { createSolanaCalls } from '../../../src/adapters/solana/calls.ts';
import { createSolanaHistories } from '../../../src/adapters/solana/history.ts';
import { createSolanaNode } from '../../../src/adapters/solana/node.ts';
import { createSolanaOffered } from '../../../src/adapters/solana/offered.ts';
import { createSolanaRail } from '../../../src/adapters/solana/solana-rail.ts';
import { createSolana } from '../../../src/adapters/solana/solana.ts';
import { createSolanaTrials } from '../../../src/adapters/solana/trials.ts';
import { asId, type Address } from '../../../src/domain/ids.ts';
import { WRAPPED_COINS } from '../../../src/domain/known-tokens.ts';
import type { Web3ChainId } from '../../../src/domain/web3-chains.ts';
import type { EvmReceipt } from '../../../src/ports/evm.ts';
import type { Store } from '../../../src/ports/store.ts';
import type { ChainReceipt, Rail } from '../../../src/ports/transactions.ts';
import { startWorldChains } from '../../../src/sandbox/chains/world-chains.ts';
import { startSolanaRpc } from '../../../src/sandbox/chains/solana/solana-rpc.ts';
import { createFaultBoard } from '../../../src/sandbox/faults.ts';
import {
  createPriceProcess,
  startingPrices,
} from '../../../src/sandbox/feeds/prices/price-process.ts';
import { quote } from '../../../src/sandbox/router/quotes.ts';
import { startRouter } from '../../../src/sandbox/router/router-server.ts';
import { openSolanaSide, routerFounding } from '../../../src/sandbox/router/solana-side.ts';
import { startSwapChains } from '../../../src/sandbox/router/swap-chains.ts';
import { createTokenMarket } from '../../../src/sandbox/tokens/token-market.ts';
import type { Commit } from '../../../src/ports/commit.ts';
import { createCommit } from '../../../src/services/commit.ts';
import { createSwapClosings } from '../../../src/services/funding/swap-closing.ts';
import { createTransactionBooking } from '../../../src/services/funding/transaction-closing.ts';
import { createWalletCash } from '../../../src/services/funding/wallet-cash.ts';
import type { SwapNodes } from '../../../src/services/swaps/swap-proof.ts';
import { createSwaps } from '../../../src/services/swaps/swaps.ts';
import { createTransactions } from '../../../src/services/transactions/transactions.ts';
import { createAccounts } from '../../../src/venues/venue-b/accounts.ts';
import { fakePrices } from '../fakes/fake-token-data.ts';
import { createKeptBus, createKeptLog, createKeptMetrics } from '../quiet.ts';

/** EVM chains of this world, each started only where a test uses it. */
export type SwapWorldChain = 'ARBITRUM' | 'BASE' | 'BSC' | 'ETHEREUM' | 'POLYGON';
const CHAIN_IDS = { ARBITRUM: 42_161, BASE: 8_453, BSC: 56, ETHEREUM: 1, POLYGON: 137 } as const;
/** Those that the sandbox runs anyway. */
const USUAL = { BASE: 'base', POLYGON: 'polygon' } as const;

/** How fast Solana's slots and the product's timers go. */
const SCALE = 8;

/** Dollars there. */
export const SOLANA_USDC = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v';

/** The second of the market clock that every price is of. */
export const SECOND = 1_780_880_400;
/** The keys of the one user, worth nothing anywhere else. */
export const EVM_KEY = `0x${'43'.repeat(32)}` as const;
export const SOLANA_SEED = new Uint8Array(32).fill(0x44);

/** The wallets of the one user. */
export const WALLETS = {
  evm: asId<Address>(privateKeyToAccount(EVM_KEY).address),
  safe: asId<Address>(privateKeyToAccount(EVM_KEY).address),
  solana: solanaAddressOf(SOLANA_SEED),
};

/** A world of real local chains with the router on them, and the product's side of swaps. */
export type SwapWorld = Awaited<ReturnType<typeof openSwapWorld>>;

/**
 * Starts the chains given, Solana, and the router. Where dollars on Solana are cash in the books, a
 * swap of them needs some booked before: `compareWallet`.
 */
export async function openSwapWorld(
  names: readonly SwapWorldChain[],
  { isSolanaCash = false }: { readonly isSolanaCash?: boolean } = {},
) {
  const wallClock = createWallClock();
  // Solana takes 13 s to be final, and no test here needs to wait for that
  const anchorMs = wallClock.nowMs();
  const clock = createScaledClock({ anchorMs, anchorWallMs: anchorMs, scale: SCALE });
  const faults = createFaultBoard(createSeededRandom(1));
  const metrics = createKeptMetrics();
  const market = createTokenMarket(7, createPriceProcess(7, startingPrices(SECOND - 36_000)));
  const second = () => SECOND;
  const solanaRpc = await startSolanaRpc({
    clock,
    seed: 7,
    folder: null,
    faults,
    founding: routerFounding(),
  });
  const usual = names.some((name) => name in USUAL)
    ? await startWorldChains({
        seed: 7,
        folder: null,
        clock: wallClock,
        speed: 10,
        contractsOn: () => [],
      })
    : null;
  const chains = await startSwapChains({
    seed: 7,
    folder: null,
    clock: wallClock,
    speed: 10,
    world: usual === null ? new Promise(() => undefined) : Promise.resolve(usual),
    market,
    second,
  });
  const rpcUrlOf = (chain: SwapWorldChain): string =>
    chain === 'BASE' || chain === 'POLYGON'
      ? (usual?.[USUAL[chain]].node.url ?? '') // it is started where it is named
      : chains.rpcUrls[chain];
  const marketClock = { ...wallClock, nowMs: () => SECOND * 1_000 };
  const solanaSide = openSolanaSide(solanaRpc, { market, second });
  const parts = { market, clock: marketClock, wallClock, faults, chains, solana: solanaSide };
  const server = await startRouter(parts);
  const router = createRouter({ baseUrl: `${server.url}/v1`, key: null, clock, metrics });
  const calls = createSolanaCalls({ rpcUrl: solanaRpc.url, metrics });
  const solana = createSolana(calls, metrics);
  const nodes = new Map<Web3ChainId, SwapNodes>(
    names.map((chain) => {
      const options = { chainId: CHAIN_IDS[chain], rpcUrl: rpcUrlOf(chain), metrics };
      return [
        chain,
        { kind: 'evm', evm: createEvmChain(options), accounts: createEvmAccounts(options) },
      ];
    }),
  );
  const trials = createSolanaTrials(createSolanaNode(calls));
  const { programs } = SOLANA_SWAP;
  nodes.set('SOLANA', {
    kind: 'solana',
    solana,
    offered: createSolanaOffered({ solana, trials, programs }),
  });
  const may = { loadKeys: async () => undefined, assertMaySign: () => undefined };
  const rails: readonly Rail<ChainReceipt>[] = [
    ...names.flatMap((chain) => {
      const each = nodes.get(chain);
      return each?.kind === 'evm'
        ? [
            createEvmRail({
              chain,
              ...each,
              ...may,
              metrics,
              vault: {
                signDigest: (_userId, digest) =>
                  signEvmDigest(Buffer.from(EVM_KEY.slice(2), 'hex'), digest),
              },
            }),
          ]
        : [];
    }),
    createSolanaRail({
      solana,
      ...may,
      vault: {
        signSolana: (_userId, message) => signSolanaMessage(SOLANA_SEED, message),
        signSealed: () => {
          throw new Error('swaps have no second signer');
        },
      },
    }),
  ];
  const { wallet: read } = createAccounts({
    vault: {
      has: () => true,
      load: () => Promise.reject(new Error('the keys are there')),
      solanaAddressOf: () => WALLETS.solana,
    },
    solana,
    histories: createSolanaHistories(createSolanaNode(calls)),
    sponsor: null,
    settlementMint: SOLANA_USDC,
  });
  if (read === undefined) throw new Error('wallets on Solana are read');
  const solanaWallet = read;
  let lives = 0;

  /** One life of the product on a store; its commits may die. */
  function live(
    store: Store = createMemoryStore(),
    wrap: (durable: Commit) => Commit = (durable) => durable,
  ) {
    lives += 1;
    const commit = wrap(createCommit({ store, bus: createKeptBus(), metrics }));
    const shared = {
      store,
      commit,
      clock,
      metrics,
      log: createKeptLog(),
      random: createSeededRandom(`swap world ${lives}`),
    };
    const transactions = createTransactions<ChainReceipt>({
      ...shared,
      rails: rails as readonly Rail<EvmReceipt>[],
      books: createTransactionBooking({ swaps: createSwapClosings({ ...shared, marketClock }) }),
    });
    const cash = createWalletCash({
      ...shared,
      marketClock,
      cashAccount: 'usdc:solana',
      wallet: solanaWallet,
      askAgain: async () => false,
    });
    const swaps = createSwaps({
      ...shared,
      assertMayLeave: () => undefined,
      marketClock,
      transactions,
      router,
      sides: {
        router,
        search: async () => ({ found: [], readAtMs: 0 }),
        readAddress: (chain, text) => (chain === 'SOLANA' ? text : readAddress(text)),
        launchedBy: () => [],
      },
      prices: fakePrices((chain, address) => {
        const wanted = (address ?? WRAPPED_COINS[chain]).toLowerCase();
        const token = market.tokens.find(
          (row) => row.chain === chain && row.address.toLowerCase() === wanted,
        );
        return token === undefined
          ? null
          : {
              priceE18: BigInt(Math.round(market.priceOf(token, SECOND) * 1e9)) * 10n ** 9n,
              atMs: 1,
            };
      }),
      walletsOf: () => WALLETS,
      nodesOf: (chain) => nodes.get(chain) ?? null,
      targets: ['0x1231DEB6f5749EF6cE6943a275A1D3E7486F4EaE'],
      programs,
      cashAccountOf: ({ chain, address }) =>
        isSolanaCash && chain === 'SOLANA' && address === SOLANA_USDC ? 'usdc:solana' : null,
      dailyOutMicros: 1_000_000_000,
    });
    return {
      swaps,
      /** Compares dollars in the Solana wallet with the books, as the rounds over wallets do. */
      compareWallet: cash.read,
      recover() {
        transactions.recover();
        swaps.recover();
      },
      stop() {
        swaps.stop();
        transactions.stop();
      },
    };
  }

  return {
    clock: wallClock,
    faults,
    metrics,
    market,
    chains,
    solana,
    solanaRpc,
    router,
    url: server.url,
    nodes,
    rails,
    live,
    /** Asks the router as its server does, without its limit of calls. */
    // nothing else of a call is read
    quote: (query: URLSearchParams) => quote({ query } as Parameters<typeof quote>[0], parts),
    /** Gives whole coins and dollars on one of the chains. */
    async give(chain: SwapWorldChain | 'SOLANA', coins: number, dollars: number) {
      const answer = await (chain === 'SOLANA'
        ? fetch(`${solanaRpc.url}/faucet`, {
            method: 'POST',
            body: JSON.stringify({
              address: WALLETS.solana,
              lamports: String(coins * 1e9),
              usdc: String(dollars),
            }),
          })
        : fetch(`${server.url}/sandbox/faucet`, {
            method: 'POST',
            body: JSON.stringify({ chain, address: WALLETS.evm, coins, dollars }),
          }));
      if (!answer.ok) throw new Error(await answer.text());
    },
    async close() {
      await router.close();
      await calls.close();
      await server.close();
      await chains.close();
      await usual?.close();
      await solanaRpc.close();
    },
  };
}
