import { FARMING } from '../../../config/limits/farming.ts';
import type { FarmView } from '../../domain/farming/entry.ts';
import { figureWords } from '../../domain/farming/screen.ts';
import type { FarmVenue } from '../../domain/farming/venues.ts';
import { withWindows, type FarmWindow } from '../../domain/farming/window.ts';
import type { Runtime } from '../../ports/runtime.ts';
import type { Timer } from '../../ports/clock.ts';
import type { Receipts } from '../execution/receipts.ts';
import { createAssessments } from './assessments.ts';
import { createCandidates, type ScreenedOut } from './candidates.ts';
import type { FarmSource } from './farm-source.ts';
import { FARM_STRATEGY, farmBasis } from './farm-trading.ts';
import { createSlots, farmInputs, type Slots } from './slots.ts';

/** Who follows the watch. */
interface FarmFollower {
  /** A candidate's verdict has become to enter. */
  onEnter(view: FarmView): void;
  /** Every FARMING.checkIntervalMs while any agent wants the watch. */
  onCheck(): void;
}

/**
 * A venue's markets to farm: scanned, given slots, assessed and judged once for everybody, with
 * real money or on paper.
 */
export interface FarmWatch {
  readonly slots: Pick<Slots, 'view' | 'entering'>;
  /**
   * Adds a follower, who wants nothing yet, and gives the function by which it says what it wants:
   * the markets of some windows, those of the row where there are none, or with null nothing. The
   * watch works while one wants anything.
   */
  join(follower: FarmFollower): (windows: readonly FarmWindow[] | null) => void;
  stop(): void;
}

/** Makes the watch of a venue. Nothing is asked of the venue before a caller wants it. */
export function createFarmWatch(
  deps: Pick<Runtime, 'store' | 'clock' | 'log' | 'metrics'> & {
    readonly venue: FarmVenue;
    readonly source: FarmSource;
    /** Where changes of mind that all agents of the venue share are published. */
    readonly receipts: Pick<Receipts, 'note'>;
  },
): FarmWatch {
  const { venue, source, clock, log, receipts } = deps;
  const { agentId } = venue;
  const followers = new Set<FarmFollower>();
  const wanting = new Map<FarmFollower, readonly FarmWindow[]>();
  /** The row as wide as those who want it ask for. */
  let widest = venue;
  let timer: Timer | null = null;
  const slots = createSlots({
    venue: () => widest,
    source,
    clock,
    log,
    assessments: createAssessments({ ...deps, assessor: source.assessor }),
    onTransition({ view, decision, ...filters }) {
      if (decision.verdict !== 'enter')
        return note(view.market.marketId, {
          strategy: FARM_STRATEGY,
          decision,
          inputs: farmInputs(view, clock),
          basis: farmBasis(filters, view),
          atMs: view.atMs,
        });
      for (const follower of followers) follower.onEnter(view);
    },
  });
  const candidates = createCandidates({
    ...deps,
    venue: () => widest,
    scan: source.scan,
    onScreenedOut,
    onScanned: () => slots.update(candidates.current()),
  });

  function note(
    marketId: FarmView['market']['marketId'],
    advice: Parameters<Receipts['note']>[2],
  ): void {
    receipts
      .note(agentId, { agentId, marketId }, advice)
      .catch((error: unknown) => log.error({ agentId, marketId, error }, 'receipt.failed'));
  }

  function onScreenedOut({ listing, criteria, atMs }: ScreenedOut): void {
    const failed = criteria.find(({ passed }) => !passed);
    const reason =
      failed === undefined
        ? 'Screened out.'
        : `${failed.name} is ${failed.value}, needed ${failed.threshold}.`;
    const inputs = [
      {
        name: 'listing',
        value: figureWords(listing.market),
        ageMs: 0,
        limitMs: FARMING.listingAgeMaximumMs,
      },
    ];
    note(listing.market.marketId, {
      strategy: FARM_STRATEGY,
      decision: { verdict: 'skip', outcome: null, criteria, reason },
      inputs,
      atMs,
    });
  }

  function check(): void {
    timer = clock.after(FARMING.checkIntervalMs, check);
    slots.update(candidates.current());
    for (const follower of followers) follower.onCheck();
  }

  function want(isWanted: boolean): void {
    candidates.want(isWanted);
    if (isWanted) {
      timer ??= clock.after(FARMING.checkIntervalMs, check);
      return;
    }
    timer?.cancel();
    timer = null;
    slots.clear();
  }

  return {
    slots,
    join(follower) {
      followers.add(follower);
      return (windows) => {
        if (windows === null) wanting.delete(follower);
        else wanting.set(follower, windows);
        widest = withWindows(venue, [...wanting.values()].flat());
        want(wanting.size > 0);
      };
    },
    stop() {
      followers.clear();
      wanting.clear();
      want(false);
    },
  };
}
