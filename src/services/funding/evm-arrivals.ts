import { EVM_ARRIVALS } from '../../../config/limits/arrivals.ts';
import type { Runtime } from '../../ports/runtime.ts';
import type { Timer } from '../../ports/clock.ts';
import { createEvmCoinArrivals, type EvmCoinArrivalsDeps } from './evm-coin-arrivals.ts';
import { createEvmTokenArrivals, type EvmTokenArrivalsDeps } from './evm-token-arrivals.ts';
import type { AddressIndex } from './address-index.ts';
import { ARRIVAL_MARKS } from './tables.ts';
import type { EvmChain } from '../../ports/evm.ts';

/** Follows what others send to users' own wallets on one EVM chain. */
export interface EvmArrivals {
  /**
   * Looks up to the newest final block. Each arrival is recorded once, whoever looks again. Errors:
   * `chain_unavailable`, `store_unavailable`.
   */
  poll(): Promise<void>;
  /** Polls after a while and then every few seconds, until `stop`. Never rejects. */
  start(): void;
  /** Resolves when the poll under way has ended. */
  stop(): Promise<void>;
}

/** Makes the follower of one chain. */
export function createEvmArrivals(
  given: Omit<EvmTokenArrivalsDeps, 'evm' | 'wallets' | 'pause'> &
    Pick<EvmCoinArrivalsDeps, 'accounts'> &
    Pick<Runtime, 'clock' | 'log'> & {
      readonly evm: Pick<EvmChain, 'head' | 'logs' | 'balances' | 'receipt'>;
      readonly wallets: Pick<AddressIndex, 'load' | 'owners' | 'topics'>;
    },
): EvmArrivals {
  const { chain, store, commit, evm, wallets, clock, log } = given;
  const life: { isOver: boolean; timer: Timer | null; running: Promise<void> | null } = {
    isOver: false,
    timer: null,
    running: null,
  };
  const pause = (): Promise<void> =>
    new Promise((resolve) =>
      life.isOver ? resolve() : void clock.after(EVM_ARRIVALS.paceMs, resolve),
    );
  const deps = { ...given, pause };
  const tokens = createEvmTokenArrivals(deps);
  const coins = createEvmCoinArrivals(deps);
  const marked = (): number | null => store.get(ARRIVAL_MARKS, [chain])?.value.block ?? null;
  let lookedTo = marked();
  /** Halved where a span tells too much, or fails for another reason. */
  let span: number = EVM_ARRIVALS.blocksPerQuestion;

  async function poll(): Promise<void> {
    await wallets.load();
    if (wallets.owners.size === 0) return;
    const finalBlock = (await evm.head()).blockNumber - EVM_ARRIVALS.confirmations + 1;
    const oldest = finalBlock - EVM_ARRIVALS.blocksBehindMaximum;
    if (lookedTo !== null && lookedTo + 1 < oldest)
      log.warn({ chain, from: lookedTo, to: oldest }, 'funding.arrivals_left_out');
    const first =
      lookedTo === null
        ? finalBlock - EVM_ARRIVALS.blocksPerQuestion
        : Math.max(lookedTo + 1, oldest);
    for (let from = Math.max(0, first); from <= finalBlock && !life.isOver; ) {
      const to = Math.min(finalBlock, from + span - 1);
      await read(from, to);
      await keep(to);
      from = to + 1;
    }
    await tokens.decide();
    if (!life.isOver) await coins(finalBlock);
  }

  async function read(from: number, to: number): Promise<void> {
    try {
      await tokens.read(from, to);
      span = Math.min(span * 2, EVM_ARRIVALS.blocksPerQuestion);
    } catch (error) {
      span = Math.max(1, Math.floor(span / 2));
      throw error;
    }
  }

  async function keep(block: number): Promise<void> {
    if (block - (marked() ?? -Infinity) >= EVM_ARRIVALS.markStepBlocks)
      await commit((tx) => tx.put(ARRIVAL_MARKS, [chain], { block }));
    lookedTo = block;
  }

  function schedule(delayMs: number): void {
    if (life.isOver) return;
    life.timer = clock.after(delayMs, () => {
      life.running = poll().then(
        () => schedule(EVM_ARRIVALS.intervalMs),
        (cause: unknown) => {
          log.info({ chain, error: String(cause) }, 'funding.arrivals_unread');
          const doubled = Math.max(delayMs, EVM_ARRIVALS.intervalMs) * 2;
          schedule(Math.min(doubled, EVM_ARRIVALS.intervalMaximumMs));
        },
      );
    });
  }

  return {
    poll,
    start: () => schedule(EVM_ARRIVALS.firstPollMs),
    async stop() {
      life.isOver = true;
      life.timer?.cancel();
      await life.running;
    },
  };
}
