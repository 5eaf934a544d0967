import { DEPOSITS } from '../../../config/limits/bridge.ts';
import { AppError } from '../../domain/errors.ts';
import type { Clock, Timer } from '../../ports/clock.ts';
import type { EvmChain, Hex } from '../../ports/evm.ts';
import type { Runtime } from '../../ports/runtime.ts';
import type { Table } from '../../ports/store.ts';
import { TRANSFER_TOPIC } from '../wallets/contract-calls.ts';
import type { MoneyContracts } from '../wallets/contracts.ts';
import { depositsIn, proofTerms, type ProvenMovement } from './deposit-proof.ts';
import { isDepositBooked } from './movement-booking.ts';
import { bookProvenArrival, mayBeLacking } from './proven-arrivals.ts';
import type { AddressIndex } from './address-index.ts';

/** The newest block whose transfers to Safes are booked: ['deposits']. */
export const CHAIN_CURSORS: Table<{ readonly block: number }> = { name: 'chain_cursors' };

/**
 * Money that arrives in Safes, booked by the chain's proof alone: from wherever it comes, whoever
 * knows of it.
 */
export interface ChainDeposits {
  /**
   * Looks up to the newest final block and books what is new, each transfer once (L4); resolves
   * with how many were. Errors: `chain_unavailable`, `store_unavailable`.
   */
  scan(): Promise<number>;
  /**
   * Looks at once and then every few seconds, until `stop`. Never rejects: a chain that does not
   * answer is asked again.
   */
  start(): void;
  /** Resolves when the scan under way has ended. */
  stop(): Promise<void>;
}

/** Makes the service. */
export function createChainDeposits(
  deps: Pick<Runtime, 'store' | 'commit' | 'log'> & {
    readonly chain: EvmChain;
    readonly contracts: Pick<
      MoneyContracts,
      'collateral' | 'conditionalTokens' | 'exchanges' | 'confirmations'
    >;
    readonly safes: AddressIndex;
    /** Wall time, which is also the chain's. */
    readonly clock: Clock;
    /** Market time, in which the books are kept. */
    readonly marketClock: Clock;
  },
): ChainDeposits {
  const { store, commit, safes, chain, contracts, clock, marketClock, log } = deps;
  const { confirmations, collateral } = contracts;
  const terms = proofTerms(store, contracts);
  let cursor = store.get(CHAIN_CURSORS, ['deposits'])?.value.block ?? null;
  let lastHead: Hex | null = null;
  let running: Promise<number> | null = null;
  let timer: Timer | null = null;
  const life = { isOver: false };

  async function readChain(): Promise<number> {
    await safes.load();
    const head = await chain.head();
    if (head.hash === lastHead) return 0;
    const finalBlock = head.blockNumber - confirmations + 1;
    const first =
      cursor === null
        ? finalBlock - DEPOSITS.firstScanBlocks
        : Math.min(cursor, finalBlock) - DEPOSITS.rereadBlocks;
    let booked = 0;
    for (
      let from = Math.max(0, first);
      from <= finalBlock && !life.isOver;
      from += DEPOSITS.blocksPerScan
    ) {
      const to = Math.min(finalBlock, from + DEPOSITS.blocksPerScan - 1);
      booked += await book(await provenIn(from, to), to);
    }
    lastHead = head.hash;
    if (booked > 0) log.info({ deposits: booked }, 'funding.deposits_booked');
    return booked;
  }

  async function provenIn(fromBlock: number, toBlock: number): Promise<readonly ProvenMovement[]> {
    const found: ProvenMovement[] = [];
    for (const topics of safes.topics) {
      const logs = await chain.logs({
        address: collateral,
        topics: [TRANSFER_TOPIC, null, topics],
        fromBlock,
        toBlock,
      });
      for (const hash of new Set(logs.map(({ transactionHash }) => transactionHash))) {
        const receipt = await chain.receipt(hash);
        // Nodes behind one address need not be at the same block: the next scan asks again.
        if (receipt === null || receipt.confirmations < confirmations)
          throw new AppError('chain_unavailable', `transaction ${hash} is reported and not found`, {
            retryable: true,
          });
        found.push(...depositsIn(receipt, terms, safes.owners));
      }
    }
    return found;
  }

  async function book(deposits: readonly ProvenMovement[], block: number): Promise<number> {
    const unbooked = deposits.filter(
      (deposit) => !isDepositBooked(store, deposit) && !mayBeLacking(store, deposit),
    );
    const isFar =
      block - (store.get(CHAIN_CURSORS, ['deposits'])?.value.block ?? -DEPOSITS.blocksPerScan) >=
      DEPOSITS.cursorStepBlocks;
    let booked = 0;
    if (unbooked.length > 0 || isFar) {
      booked = await commit((tx) => {
        tx.put(CHAIN_CURSORS, ['deposits'], { block });
        return unbooked.filter((deposit) =>
          bookProvenArrival(tx, deposit, { nowMs: clock.nowMs(), bookedAtMs: marketClock.nowMs() }),
        ).length;
      });
    }
    cursor = block;
    return booked;
  }

  function schedule(delayMs: number): void {
    if (life.isOver) return;
    timer = clock.after(delayMs, () => {
      scan().then(
        () => schedule(DEPOSITS.scanIntervalMs),
        (cause: unknown) => {
          log.warn({ error: String(cause) }, 'funding.scan_failed');
          schedule(
            Math.min(
              Math.max(delayMs, DEPOSITS.scanIntervalMs) * 2,
              DEPOSITS.scanIntervalMaximumMs,
            ),
          );
        },
      );
    });
  }

  function scan(): Promise<number> {
    running ??= readChain().finally(() => (running = null));
    return running;
  }

  return {
    scan,
    start: () => schedule(0),
    async stop() {
      life.isOver = true;
      timer?.cancel();
      safes.stop();
      // Whoever asked for the scan receives its failure.
      await running?.catch(() => undefined);
    },
  };
}
