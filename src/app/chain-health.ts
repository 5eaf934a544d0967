import { CHAIN } from '../../config/limits/chain.ts';
import { cashAccountRow } from '../domain/cash.ts';
import { AppError } from '../domain/errors.ts';
import { web3Chain, type Web3ChainId } from '../domain/web3-chains.ts';
import type { Clock } from '../ports/clock.ts';
import type { Log } from '../ports/log.ts';
import type { Venue } from '../ports/venue.ts';

/** Which nodes answer, as the service's own calls show. */
export interface ChainHealth {
  /** Notes whether a call was answered, a refusal by a contract included. */
  note(chain: Web3ChainId, isAnswered: boolean): void;
  /** Chains whose node has answered nothing for a while, each with a sentence. */
  problems(): readonly { readonly chain: Web3ChainId; readonly sentence: string }[];
}

interface Silence {
  readonly sinceMs: number;
  readonly failures: number;
  readonly isReported: boolean;
}

/** Creates the record; `clock` shows wall time. */
export function createChainHealth({
  clock,
  log,
}: {
  readonly clock: Clock;
  readonly log: Log;
}): ChainHealth {
  const silent = new Map<Web3ChainId, Silence>();

  function isLost({ sinceMs, failures }: Silence): boolean {
    return failures >= CHAIN.silentCallsMinimum && clock.nowMs() - sinceMs >= CHAIN.silentAfterMs;
  }

  return {
    note(chain, isAnswered) {
      const known = silent.get(chain);
      if (isAnswered) {
        silent.delete(chain);
        if (known?.isReported === true)
          log.info({ chain, silentMs: clock.nowMs() - known.sinceMs }, 'chain.answers_again');
        return;
      }
      const now = {
        sinceMs: known?.sinceMs ?? clock.nowMs(),
        failures: (known?.failures ?? 0) + 1,
        isReported: known?.isReported ?? false,
      };
      const isReported = now.isReported || isLost(now);
      if (isReported && !now.isReported) log.error({ chain }, 'chain.does_not_answer');
      silent.set(chain, { ...now, isReported });
    },
    problems: () =>
      [...silent]
        .filter(([, silence]) => isLost(silence))
        .map(([chain, { sinceMs }]) => ({
          chain,
          sentence: `the node of ${web3Chain(chain).name} has not answered since ${new Date(sinceMs).toISOString()}`,
        })),
  };
}

/**
 * Returns the same venue, which takes no purchase while the chain it settles on does not answer:
 * its settlement would not be seen. Sales, which make a risk smaller, are taken.
 */
export function settledVenue(venue: Venue, health: Pick<ChainHealth, 'problems'>): Venue {
  const needed = cashAccountRow(venue.cashAccount).chain;
  return {
    ...venue,
    assertSettles() {
      venue.assertSettles?.();
      const problem = health.problems().find(({ chain }) => chain === needed);
      if (problem !== undefined)
        throw new AppError(
          'chain_unavailable',
          `${venue.id} takes no purchases now: ${problem.sentence}`,
          { retryable: true, retryAfterMs: CHAIN.silentAfterMs },
        );
    },
  };
}
