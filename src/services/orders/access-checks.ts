import { VENUE_ACCESS } from '../../../config/limits/risk.ts';
import type { VenueId } from '../../domain/ids.ts';
import type { Runtime } from '../../ports/runtime.ts';
import type { Timer } from '../../ports/clock.ts';
import type { RegionCheck } from '../../ports/venue.ts';
import type { OpenVenue } from '../venues.ts';
import { accessProblem, applyAccessReading, type AccessDeps } from './access-gate.ts';

/**
 * Asks venues that turn orders away whether they still do, so that an access gate opens though
 * no user trades.
 */
export interface AccessChecks {
  /** Takes up what an earlier run left shut. */
  recover(): void;
  stop(): void;
}

/**
 * Makes the questions: one at a time for each closed venue access, at a steady pace. Without an
 * answer nothing changes, and one order is tried after the pause.
 */
export function createAccessChecks(
  deps: AccessDeps &
    Pick<Runtime, 'bus' | 'clock' | 'log' | 'metrics'> & {
      /** The access gates of venues that cannot be asked open by an order alone. */
      readonly venues: { readonly open: readonly Pick<OpenVenue, 'id' | 'access'>[] };
    },
): AccessChecks {
  const { store, bus, clock, log, metrics } = deps;
  const checks = new Map(deps.venues.open.map(({ id, access }) => [id, access]));
  const waiting = new Map<VenueId, Timer>();
  /**
   * The question under way: each has a signal of its own, for a lasting one would keep what waits
   * for it.
   */
  const asking = new Map<VenueId, AbortController>();
  const failing = new Set<VenueId>();
  let isEnding = false;

  function askLater(venue: VenueId): void {
    const check = checks.get(venue) ?? null;
    if (check === null || isEnding || waiting.has(venue)) return;
    waiting.set(
      venue,
      clock.after(VENUE_ACCESS.askEveryMs, () => void ask(venue, check)),
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
        await applyAccessReading(deps, {
          venue,
          word: { isBlocked, askedAtMs },
          atMs: clock.nowMs(),
        }).catch((cause: unknown) => log.error({ venue, cause }, 'venue.update_not_stored'));
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
    return accessProblem(store, venue, 0) !== null;
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
