import { VENUE_DOOR } from '../../../config/limits/risk.ts';
import type { VenueId } from '../../domain/ids.ts';
import type { Bus } from '../../ports/bus.ts';
import type { Clock, Timer } from '../../ports/clock.ts';
import type { Log } from '../../ports/log.ts';
import type { Metrics } from '../../ports/metrics.ts';
import type { RegionCheck } from '../../ports/venue.ts';
import type { TradedVenue } from '../venues.ts';
import type { DoorDeps } from './venue-door.ts';
import { doorTrouble, heedDoorWord } from './venue-door.ts';

/** Asks venues that turn orders away whether they still do, so that a door opens though nobody trades. */
export interface DoorQuestions {
  /** Takes up what an earlier run left shut. */
  recover(): void;
  stop(): void;
}

/** What the questions are asked with. */
export interface DoorQuestionsDeps extends DoorDeps {
  readonly bus: Bus;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: Metrics;
  /** The doors of venues that cannot be asked open by an order alone. */
  readonly venues: { readonly open: readonly Pick<TradedVenue, 'id' | 'access'>[] };
}

/** Makes the questions: one at a time for each shut door, at a steady pace. Without an answer nothing changes, and one order is tried after the pause. */
export function createDoorQuestions(deps: DoorQuestionsDeps): DoorQuestions {
  const { store, bus, clock, log, metrics } = deps;
  const checks = new Map(deps.venues.open.map(({ id, access }) => [id, access]));
  const waiting = new Map<VenueId, Timer>();
  /** The question under way: each has a signal of its own, for a lasting one would keep what waits for it. */
  const asking = new Map<VenueId, AbortController>();
  const failing = new Set<VenueId>();
  let isEnding = false;

  function askLater(venue: VenueId): void {
    const check = checks.get(venue) ?? null;
    if (check === null || isEnding || waiting.has(venue)) return;
    waiting.set(
      venue,
      clock.after(VENUE_DOOR.askEveryMs, () => void ask(venue, check)),
    );
  }

  async function ask(venue: VenueId, check: RegionCheck): Promise<void> {
    if (isShut(venue)) {
      const askedAtMs = clock.nowMs();
      const question = new AbortController();
      asking.set(venue, question);
      const isBlocked = await check.isBlocked(question.signal).then(
        (word) => heard(venue, word),
        (cause: unknown) => unheard(venue, cause),
      );
      asking.delete(venue);
      if (isEnding) return;
      if (isBlocked !== null)
        await heedDoorWord(deps, {
          venue,
          word: { isBlocked, askedAtMs },
          atMs: clock.nowMs(),
        }).catch((cause: unknown) => log.error({ venue, cause }, 'venue.word_not_kept'));
    }
    waiting.delete(venue);
    if (isShut(venue)) askLater(venue);
    else failing.delete(venue);
  }

  function heard(venue: VenueId, isBlocked: boolean): boolean {
    metrics.count('venue_region_questions_total', {
      venue,
      outcome: isBlocked ? 'blocked' : 'open',
    });
    failing.delete(venue);
    return isBlocked;
  }

  function unheard(venue: VenueId, cause: unknown): null {
    if (isEnding) return null;
    metrics.count('venue_region_questions_total', { venue, outcome: 'failed' });
    if (!failing.has(venue)) log.warn({ venue, cause }, 'venue.region_unknown');
    failing.add(venue);
    return null;
  }

  function isShut(venue: VenueId): boolean {
    return doorTrouble(store, venue, 0) !== null;
  }

  const unsubscribe = bus.subscribe(({ event }) => {
    if (event.type === 'venue.restricted') askLater(event.venue);
  });
  return {
    recover() {
      for (const venue of checks.keys()) if (isShut(venue)) askLater(venue);
    },
    stop() {
      unsubscribe();
      isEnding = true;
      for (const question of asking.values()) question.abort();
      for (const timer of waiting.values()) timer.cancel();
      waiting.clear();
    },
  };
}
