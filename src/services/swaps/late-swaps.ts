import { SWAP } from '../../../config/limits/tokens.ts';
import type { SwapPlace, SwapPoll } from '../../../machines/swap.ts';
import type { SwapId } from '../../domain/ids.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Log } from '../../ports/log.ts';
import type { Metrics } from '../../ports/metrics.ts';
import type { Store } from '../../ports/store.ts';
import { readSwap } from './swap-records.ts';

/** Logs and counts swaps that take long, each once in the life of the process. */
export interface LateSwaps {
  /** Passes the result of a poll on, and notes what it says of a swap that is late. */
  noting(place: SwapPlace, poll: Promise<SwapPoll>): Promise<SwapPoll>;
  /** The swap is no longer followed. */
  forget(swapId: SwapId): void;
}

/** Creates the note of late swaps; it holds no more of them than are followed. */
export function createLateSwaps({
  store,
  clock,
  log,
  metrics,
}: {
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: Metrics;
}): LateSwaps {
  const noted = new Set<SwapId>();

  function note({ userId, swapId }: SwapPlace, cause: unknown): void {
    const { state, createdAtMs, transactionId, sentHash } = readSwap(store, userId, swapId);
    if (noted.has(swapId) || clock.nowMs() - createdAtMs < SWAP.lateAfterMs) return;
    noted.add(swapId);
    log.warn({ userId, swapId, state, createdAtMs, transactionId, sentHash, cause }, 'swap.late');
    metrics.count('swaps_late_total');
  }

  return {
    async noting(place, poll) {
      try {
        const known = await poll;
        if (!known.isOver) note(place, null);
        return known;
      } catch (cause) {
        note(place, cause);
        throw cause;
      }
    },
    forget: (swapId) => void noted.delete(swapId),
  };
}
