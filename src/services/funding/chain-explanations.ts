import { BoundedMap } from '../../domain/bounded-map.ts';
import { EXPLAIN } from '../../../config/limits/funds.ts';
import { SAFE_CASH } from '../../domain/cash.ts';
import { AppError } from '../../domain/errors.ts';
import type { Address, UserId } from '../../domain/ids.ts';
import { usdcMicros } from '../../domain/units.ts';
import type { Clock } from '../../ports/clock.ts';
import type { EvmChain, EvmReceipt, Hex } from '../../ports/evm.ts';
import type { Runtime } from '../../ports/runtime.ts';
import { addressTopic, TRANSFER_TOPIC } from '../wallets/contract-calls.ts';
import type { MoneyContracts } from '../wallets/contracts.ts';
import { departuresIn, depositsIn, proofTerms, type ProvenMovement } from './deposit-proof.ts';
import {
  bookDeparture,
  isDepartureBooked,
  isDepositBooked,
  type Departure,
} from './movement-booking.ts';
import { bookProvenArrival } from './proven-arrivals.ts';

/** Finds in the chain what a ledger that differs from it has missed. */
export interface ChainExplanations {
  /**
   * Reads every final transfer of collateral to and from one user's Safe, a day back at first and
   * then from where the last scan ended, and books what no record explains: arrivals as deposits,
   * and departures that the owner's own key proves. Each once (L4); resolves with what was new.
   * Where `sinceMs` is given, the first one goes back to that moment at least, wall time. What the
   * chain does not prove stays unbooked. Errors: `chain_unavailable`, `store_unavailable`.
   */
  explain(userId: UserId, sinceMs?: number): Promise<Explanation>;
}

/** How many movements were booked. */
interface Explanation {
  readonly arrived: number;
  readonly departed: number;
}

/** Makes the service. */
export function createChainExplanations({
  store,
  commit,
  chain,
  contracts,
  safeOf,
  clock,
  marketClock,
  log,
}: Pick<Runtime, 'store' | 'commit' | 'log'> & {
  readonly chain: Pick<EvmChain, 'head' | 'logs' | 'receipt'>;
  readonly contracts: Pick<
    MoneyContracts,
    'collateral' | 'conditionalTokens' | 'exchanges' | 'confirmations'
  >;
  readonly safeOf: (userId: UserId) => Address;
  /** Wall time, which is also the chain's. */
  readonly clock: Clock;
  /** Market time, in which the books are kept. */
  readonly marketClock: Clock;
}): ChainExplanations {
  const terms = proofTerms(store, contracts);
  /** Newest final block read, by user; lost at a restart, which costs one long scan. */
  const readUpTo = new BoundedMap<UserId, number>(EXPLAIN.usersRemembered);

  async function transactionsOf(
    safe: Address,
    { fromBlock, toBlock }: { readonly fromBlock: number; readonly toBlock: number },
  ): Promise<readonly EvmReceipt[]> {
    const hashes = new Set<Hex>();
    const topic = addressTopic(safe);
    for (let from = fromBlock; from <= toBlock; from += EXPLAIN.blocksPerQuestion) {
      const to = Math.min(toBlock, from + EXPLAIN.blocksPerQuestion - 1);
      for (const topics of [
        [TRANSFER_TOPIC, null, topic],
        [TRANSFER_TOPIC, topic],
      ]) {
        for (const { transactionHash } of await chain.logs({
          address: contracts.collateral,
          topics,
          fromBlock: from,
          toBlock: to,
        }))
          hashes.add(transactionHash);
      }
    }
    const found: EvmReceipt[] = [];
    for (const hash of hashes) {
      const receipt = await chain.receipt(hash);
      // Nodes behind one address need not be at the same block: the next scan asks again.
      if (receipt === null || receipt.confirmations < contracts.confirmations)
        throw new AppError('chain_unavailable', `transaction ${hash} is reported and not found`, {
          retryable: true,
        });
      found.push(receipt);
    }
    return found;
  }

  function blocksSince(sinceMs: number | undefined): number {
    return sinceMs === undefined ? 0 : Math.ceil((clock.nowMs() - sinceMs) / EXPLAIN.blockMs);
  }

  return {
    async explain(userId, sinceMs) {
      const safe = safeOf(userId);
      const { blockNumber } = await chain.head();
      const finalBlock = blockNumber - contracts.confirmations + 1;
      const last = readUpTo.get(userId);
      const fromBlock = Math.max(
        0,
        last === undefined
          ? finalBlock - Math.max(EXPLAIN.firstScanBlocks, blocksSince(sinceMs))
          : Math.min(last, finalBlock) - EXPLAIN.rereadBlocks,
      );
      const receipts = await transactionsOf(safe, { fromBlock, toBlock: finalBlock });
      const owners = new Map([[safe.toLowerCase(), userId]]);
      const arrived = receipts
        .flatMap((receipt) => depositsIn(receipt, terms, owners))
        .filter((movement) => !isDepositBooked(store, movement));
      const departed = receipts
        .flatMap((receipt) => departuresIn(receipt, terms, owners))
        .filter((movement) => !isDepartureBooked(store, movement));
      const booked =
        arrived.length + departed.length === 0
          ? { arrived: 0, departed: 0 }
          : await commit((tx) => {
              const time = { nowMs: clock.nowMs(), bookedAtMs: marketClock.nowMs() };
              return {
                arrived: arrived.filter((movement) => bookProvenArrival(tx, movement, time)).length,
                departed: departed.filter((movement) => bookDeparture(tx, ofSafe(movement), time))
                  .length,
              };
            });
      readUpTo.set(userId, finalBlock);
      if (booked.arrived + booked.departed > 0) log.warn({ userId, ...booked }, 'money.explained');
      return booked;
    },
  };
}

function ofSafe({ userId, transferId, transactionHash, micros }: ProvenMovement): Departure {
  const usdc = usdcMicros(micros);
  return { userId, cashAccount: SAFE_CASH, transferId, usdc, transactionHash };
}
