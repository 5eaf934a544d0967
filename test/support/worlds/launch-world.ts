import { address } from '@solana/kit';
import { createVirtualClock } from '../../../src/adapters/clock/virtual-clock.ts';
import { createMemoryStore } from '../../../src/adapters/memory/memory-store.ts';
import { rawCid } from '../../../src/adapters/pinning/cid.ts';
import { createSeededRandom } from '../../../src/adapters/random/seeded-random.ts';
import { createSolanaCalls } from '../../../src/adapters/solana/calls.ts';
import { launchMessages } from '../../../src/adapters/solana/launch-messages.ts';
import { createSolanaNode } from '../../../src/adapters/solana/node.ts';
import { createSolanaRail } from '../../../src/adapters/solana/solana-rail.ts';
import { createSolana } from '../../../src/adapters/solana/solana.ts';
import { createSolanaTrials } from '../../../src/adapters/solana/trials.ts';
import { loadKeccak } from '../../../src/adapters/wire/keccak.ts';
import { AppError } from '../../../src/domain/errors.ts';
import { asId, type UserId } from '../../../src/domain/ids.ts';
import type { TransactionRecord } from '../../../src/domain/transaction.ts';
import type { PublicFile } from '../../../src/ports/public-files.ts';
import { openSolanaChain } from '../../../src/sandbox/chains/solana/chain.ts';
import { nodeRoutes } from '../../../src/sandbox/chains/solana/direct-node.ts';
import { createSolanaFaucet, faucetGenesis } from '../../../src/sandbox/chains/solana/faucet.ts';
import { forksBy, rpcWorld } from '../../../src/sandbox/chains/solana/rpc-method.ts';
import { createFaultBoard } from '../../../src/sandbox/faults.ts';
import { launchProgram } from '../../../src/sandbox/launches/launch-program.ts';
import { callRoutes } from '../../../src/sandbox/wire/direct-calls.ts';
import type { Commit } from '../../../src/ports/commit.ts';
import { createCommit } from '../../../src/services/commit.ts';
import type { Clock } from '../../../src/ports/clock.ts';
import type { Solana } from '../../../src/ports/solana.ts';
import type { Store } from '../../../src/ports/store.ts';
import type { ChainReceipt } from '../../../src/ports/transactions.ts';
import { registryMessages } from '../../../src/adapters/solana/registry-messages.ts';
import { registryFounding } from '../../../src/sandbox/registry/registry-programs.ts';
import { createRegistry } from '../../../src/services/registry/registry.ts';
import type { TransactionBooking } from '../../../src/services/transactions/transaction-effects.ts';
import { launchClosings, registryClosings } from '../../../src/services/funding/record-closings.ts';
import { createTransactionBooking } from '../../../src/services/funding/transaction-closing.ts';
import { createLaunches } from '../../../src/services/launches/launches.ts';
import { createTransactions } from '../../../src/services/transactions/transactions.ts';
import { fakePrices } from '../fakes/fake-token-data.ts';
import { vaultOf } from '../known-keys.ts';
import { createKeptBus, createKeptLog, createKeptMetrics } from '../quiet.ts';

const START_MS = Date.UTC(2026, 10, 23, 12);
const SEED = 7;
/** The user of the world. */
export const USER = asId<UserId>('usr_ada');
/** Another user in it. */
export const OTHER = asId<UserId>('usr_eve');
/** What a launch of this world asks for. */
export const TEXTS = {
  name: 'Morning Coffee',
  symbol: 'BREW',
  description: 'A token for who is up first.',
} as const;

/**
 * Launches before a Solana of their own in this process, on a virtual clock, whose process may die
 * at any commit and begin another life on the same store and chain.
 */
export async function createLaunchWorld({ dailyOutUsd = 1_000, lamports = 1_000_000_000n } = {}) {
  const clock = createVirtualClock(START_MS);
  const faults = createFaultBoard(createSeededRandom(11));
  const founding = registryFounding();
  const chain = openSolanaChain({
    clock,
    seed: SEED,
    folder: null,
    genesis: [...faucetGenesis(SEED), ...founding.accounts],
    programs: [launchProgram(), ...founding.programs],
    forks: forksBy(faults),
  });
  const faucet = createSolanaFaucet(chain, SEED);
  const routes = nodeRoutes(rpcWorld({ chain, faucet, faults }));
  const line = { clock, latencyMs: 2 };
  const calls = createSolanaCalls({
    rpcUrl: 'http://solana.direct',
    metrics: createKeptMetrics(),
    open: () => callRoutes(line, { routes, before: () => null }),
  });
  const solana = createSolana(calls, createKeptMetrics());
  const vault = await vaultOf(await loadKeccak(), [
    { userId: USER, privateKey: `0x${'11'.repeat(32)}` },
    { userId: OTHER, privateKey: `0x${'12'.repeat(32)}` },
  ]);
  const wallet = vault.solanaAddressOf(USER);
  faucet.giveLamports(address(wallet), lamports);
  faucet.giveLamports(address(vault.solanaAddressOf(OTHER)), lamports);
  const store = createMemoryStore();
  const log = createKeptLog();
  const bus = createKeptBus();
  const state = {
    stop: null as string | null,
    priceUsd: 150n as bigint | null,
    /** Its price is followed, and has not come. */
    isPriceLate: false,
    filesDown: false,
    /** After so many commits nothing goes on: the process is dead. */
    dieAfter: Number.POSITIVE_INFINITY,
    /** True where the commit it dies at is not stored. */
    losesLast: false,
    commits: 0,
  };
  const files = new Map<string, PublicFile>();
  let lives = 0;

  /** A life on the world's own store and clock, which dies where `state` says. */
  function live() {
    lives += 1;
    const own = lives;
    const durable = createCommit({ store, bus, metrics: createKeptMetrics() });
    const isDead = (): boolean => own !== lives || state.commits >= state.dieAfter;
    const never = <T>(): Promise<T> => new Promise(() => undefined);
    const commit: Commit = async (change, whenDurable) => {
      if (isDead()) return never();
      if (state.losesLast && state.commits + 1 === state.dieAfter) {
        state.commits += 1;
        return never();
      }
      const result = await durable(change, whenDurable);
      state.commits += 1;
      return isDead() ? never() : result;
    };
    return lifeOver({ store, commit, clock, solana, name: `launches ${own}` });
  }

  /** A life over what it is given. */
  function lifeOver({ store, commit, clock, solana, name }: LifeParts) {
    const assertMayLeave = (): void => {
      if (state.stop !== null) throw new AppError('trading_stopped', state.stop);
    };
    const random = createSeededRandom(name);
    const shared = { store, commit, clock, log, metrics: createKeptMetrics(), random };
    const transactions = createTransactions({
      ...shared,
      rails: [
        createSolanaRail({
          solana,
          vault,
          loadKeys: (userId) => vault.load(userId),
          assertMaySign: assertMayLeave,
        }),
      ],
      books: booksOf(),
    });
    const parts = {
      ...shared,
      transactions,
      files: {
        async put(file: PublicFile) {
          if (state.filesDown) throw new AppError('files_unavailable', 'down', { retryable: true });
          const uri = `https://ipfs.io/ipfs/${rawCid(file.bytes)}`;
          files.set(uri, file);
          return uri;
        },
      },
      solana,
      trials: createSolanaTrials(createSolanaNode(calls)),
      vault,
      prices: fakePrices(
        () =>
          state.priceUsd === null
            ? null
            : { priceE18: state.priceUsd * 10n ** 18n, atMs: clock.nowMs() },
        () => state.isPriceLate,
      ),
      walletOf: (userId: UserId) => vault.solanaAddressOf(userId),
      assertMayLeave,
      dailyOutMicros: dailyOutUsd * 1_000_000,
    };
    const launches = createLaunches({ ...parts, messages: launchMessages, marketClock: clock });
    const registry = createRegistry({
      ...parts,
      messages: registryMessages,
      headOf: () => ({ decisionId: 'dec_1', seq: 7, hash: 'ab'.repeat(32), atMs: START_MS }),
    });
    return {
      launches,
      registry,
      transactions,
      recover: () => transactions.recover(),
      stop: () => transactions.stop(),
    };
  }

  /** Lets time pass in small steps until something has come of it, or a while is over. */
  async function until<T>(work: Promise<T>, whileMs = 400_000): Promise<T> {
    const end: { value: PromiseSettledResult<T> | null } = { value: null };
    void Promise.allSettled([work]).then(([settled]) => (end.value = settled));
    for (let passed = 0; passed < whileMs && end.value === null; passed += 500)
      await clock.advance(500);
    if (end.value === null) throw new Error('nothing came of it');
    if (end.value.status === 'rejected') throw end.value.reason;
    return end.value.value;
  }

  return {
    clock,
    chain,
    faults,
    store,
    log,
    bus,
    state,
    files,
    wallet,
    live,
    lifeOver,
    solana,
    until,
    lamports: () => chain.account(wallet)?.lamports ?? 0n,
    /** Transactions of the wallet that are in blocks. */
    landed: () => Array.from(chain.transactionsOf(wallet)).filter(({ error }) => error === null),
    close() {
      chain.close();
    },
  };
}

/** What a life is made over. */
interface LifeParts {
  readonly store: Store;
  readonly commit: Commit;
  readonly clock: Clock;
  readonly solana: Solana;
  /** Seeds its chance. */
  readonly name: string;
}

/** What the ends of both kinds of transactions mean. */
function booksOf(): TransactionBooking<ChainReceipt> {
  return createTransactionBooking({
    launches: launchClosings,
    registry: registryClosings,
  });
}

/** A world of launches. */
export type LaunchWorld = Awaited<ReturnType<typeof createLaunchWorld>>;

/** What a launch's transaction looks like in the store. */
export function transactionOf(
  life: ReturnType<LaunchWorld['live']>,
  { transactionId }: Pick<TransactionRecord, 'transactionId'>,
): TransactionRecord | null {
  return life.transactions.get(USER, transactionId);
}
