import { expect } from 'vitest';
import { readAddress } from '../../../src/adapters/evm/address.ts';
import { readTokenFacts } from '../../../src/adapters/evm/token-facts.ts';
import { createSeededRandom } from '../../../src/adapters/random/seeded-random.ts';
import { ONE_DOLLAR } from '../../../src/domain/token-price.ts';
import type { EvmReceipt } from '../../../src/ports/evm.ts';
import type { Store } from '../../../src/ports/store.ts';
import type { Rail } from '../../../src/ports/transactions.ts';
import type { Commit } from '../../../src/ports/commit.ts';
import { createCommit } from '../../../src/services/commit.ts';
import { createEvmTransfers } from '../../../src/services/funding/evm-transfers.ts';
import { createSendClosings } from '../../../src/services/funding/send-closing.ts';
import { createTransactionBooking } from '../../../src/services/funding/transaction-closing.ts';
import { createTokenTransfers } from '../../../src/services/funding/token-transfers.ts';
import { createTransactions } from '../../../src/services/transactions/transactions.ts';
import { aUserId } from '../builders.ts';
import { fakePrices } from '../fakes/fake-token-data.ts';
import { createKeptBus, createKeptLog, createKeptMetrics } from '../quiet.ts';
import { WALLETS, type SwapWorld } from './swap-world.ts';

/** Whose transfers they are. */
const USER = aUserId(1);
/** Dollars of Arbitrum, which are in the books here. */
export const DOLLARS = '0xaf88d065e77c8cC2239327C5EDb3A432268e5831';
/** Those of Base. */
export const BASE_DOLLARS = '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913';
/** A wallet of another user. */
export const STRANGER = '0xAb5801a7D398351b8bE11C439e05C5B3259aeC9B';
const PROOF = { challengeId: 'c', code: '123456' };

let lives = 0;

/** One life of the product's transfers of one chain on a store; its commits may die. */
export function transferLife(
  world: SwapWorld,
  store: Store,
  wrap: (durable: Commit) => Commit = (durable) => durable,
  chain: 'ARBITRUM' | 'BASE' = 'ARBITRUM',
) {
  lives += 1;
  const metrics = createKeptMetrics();
  const commit = wrap(createCommit({ store, bus: createKeptBus(), metrics }));
  const { clock } = world;
  const nodes = world.nodes.get(chain);
  if (nodes?.kind !== 'evm') return expect.unreachable();
  const transactions = createTransactions<EvmReceipt>({
    store,
    commit,
    clock,
    metrics,
    random: createSeededRandom(`transfers ${lives}`),
    log: createKeptLog(),
    rails: world.rails as readonly Rail<EvmReceipt>[],
    books: createTransactionBooking({ send: createSendClosings(clock) }),
  });
  const transfers = createTokenTransfers({
    store,
    commit,
    transactions,
    clock,
    marketClock: clock,
    codes: {
      request: () => expect.unreachable(),
      requestFor: () => expect.unreachable(),
      prove: async () => expect.anything() as never, // the phone it proves is not read
      use: () => undefined,
    },
    vault: { unseal: (sealed) => sealed },
    prices: fakePrices(() => ONE_DOLLAR),
    chains: [
      createEvmTransfers({
        chain,
        readAddress,
        evm: nodes.evm,
        accounts: nodes.accounts,
        factsOf: (token) => readTokenFacts(nodes.evm, token),
        walletsOf: () => WALLETS,
        ownTokensOf: () => [],
        // as where a venue is paid from this wallet
        cashAccountOf: ({ address }) =>
          address === DOLLARS || address === BASE_DOLLARS ? 'usdc:base' : null,
      }),
    ],
  });
  const send = async (token: string, amount: string, key = `${token} ${amount}`) =>
    transfers.transfer(
      USER,
      { chain, token, amount, to: STRANGER },
      { ...PROOF, key, waitMs: 8_000 },
    );
  const latest = () => transfers.list(USER, { limit: 5, cursor: null }).data;
  return { transfers, transactions, commit, send, latest };
}
