import type { Decision } from './agent.ts';
import type { FarmJudgedView } from './farming/entry.ts';
import type { BidReading, FarmEntry } from './farming/stop-loss.ts';
import type { FarmFilters } from './farming/venues.ts';
import type { OutcomeIndex } from './market.ts';
import type { HeldRun, JudgedView } from './signal.ts';

/** What a strategy decided by, by what it was asked. */
type Judged =
  /** Whether to enter a round; `memory` is what its judge had seen before, null where nothing. */
  | {
      readonly kind: 'entry';
      readonly inferenceDifferenceMicros: number;
      readonly memory: HeldRun | null;
      readonly view: JudgedView;
    }
  /** Whether to leave a position, or to take a resting bid back. */
  | {
      readonly kind: 'position' | 'bid';
      readonly held: OutcomeIndex;
      readonly view: JudgedView;
    }
  /** Whether to farm a market, by the filters of its venue and its user. */
  | {
      readonly kind: 'farm_entry';
      readonly filters: FarmFilters;
      readonly strictFilters: FarmFilters;
      readonly view: FarmJudgedView;
    }
  /** Whether a farmed position has met its stop. */
  | {
      readonly kind: 'stop_loss';
      readonly held: OutcomeIndex;
      readonly entry: FarmEntry;
      readonly lossPerMille: number;
      readonly looks: readonly BidReading[];
      readonly atMs: number;
    };

/**
 * All that the pure code of a strategy needs to decide again (L10, L11): numbers as they were, not
 * as they are shown. Another `version` has another format, or is for rules that decide otherwise.
 */
export type DecisionBasis = Judged & {
  readonly version: typeof BASIS_VERSION;
  /**
   * What the strategy said, where its agent did otherwise: it was held back, its user had too
   * little cash, a bid was taken back that could not be judged.
   */
  readonly said?: Decision;
};

/** Of the shape, and of the rules that strategies decide by. */
const BASIS_VERSION = 1;

/** Returns the basis of a decision that is made now. */
export function basisOf(judged: Judged): DecisionBasis {
  return { version: BASIS_VERSION, ...judged };
}
