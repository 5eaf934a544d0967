import { toActorClock } from '../../../machines/actor-clock.ts';
import { createActor, type Actor } from 'xstate';
import { RESOLUTION } from '../../../config/limits.ts';
import {
  withPositionEffects,
  type PositionStanding,
  type positionMachine,
} from '../../../machines/position.ts';
import { assert } from '../../domain/errors.ts';
import type { JournalEntry } from '../../domain/events.ts';
import type { MarketId, VenueId } from '../../domain/ids.ts';
import type { Runtime } from '../../ports/runtime.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Metrics } from '../../ports/metrics.ts';
import type { Catalogue } from '../../ports/catalogue.ts';
import type { Portfolio } from './portfolio.ts';
import { FILLS, OPEN_POSITIONS, RESOLUTIONS, TRADED_MARKETS } from '../books/tables.ts';

/** Watches markets in which a user holds a position, from purchase to payout. */
export interface PositionWatch {
  /**
   * Watches a market; once watched, nothing happens. One that was found at a start may have ended
   * unheard and is asked about. Where as many are watched as may be it waits for the first that is
   * paid out, and is asked about then.
   */
  watch(marketId: MarketId, start: 'fresh' | 'found'): void;
  /** The market channel says it has been resolved: ask now. */
  hint(marketId: MarketId): void;
  /** Markets watched. */
  readonly size: number;
  stop(): void;
}

export interface PositionWatchDeps extends Pick<Runtime, 'store' | 'bus' | 'log'> {
  readonly portfolio: Portfolio;
  readonly venues: {
    of(venue: VenueId): { readonly directory: Pick<Catalogue, 'resolution'> };
  };
  /** Market time. */
  readonly clock: Clock;
  readonly metrics: Pick<Metrics, 'gauge' | 'beforeRead'>;
  /** Markets watched at a time; default RESOLUTION.marketsMaximum. */
  readonly marketsMaximum?: number;
}

/** Makes the watch; committed positions and final fills reach it over the bus. */
export function createPositionWatch({
  marketsMaximum = RESOLUTION.marketsMaximum,
  ...deps
}: PositionWatchDeps): PositionWatch {
  const actors = new Map<MarketId, Actor<typeof positionMachine>>();
  /** Markets for which there was no room, the one that has waited longest first. */
  const waiting = new Set<MarketId>();
  /** Markets that have ended and are not paid out, since when, market time. */
  const unpaid = new Map<MarketId, number>();
  const late = new Set<MarketId>();
  const machine = withPositionEffects({
    ask: (marketId) => ask(deps, marketId).then((standing) => noted(marketId, standing)),
    pay: (marketId) => pay(deps, marketId).then((standing) => noted(marketId, standing)),
  });
  deps.metrics.beforeRead(() => {
    let oldestMs = 0;
    for (const marketId of unpaid.keys()) oldestMs = Math.max(oldestMs, unpaidMs(marketId));
    deps.metrics.gauge('payouts_open', unpaid.size);
    deps.metrics.gauge('payouts_oldest_seconds', oldestMs / 1_000);
  });

  /** How long a market is not paid out, in wall time. */
  function unpaidMs(marketId: MarketId): number {
    const { clock } = deps;
    const sinceMs = unpaid.get(marketId) ?? clock.nowMs();
    return Math.max(0, clock.nowMs() - sinceMs) / (clock.speed ?? 1);
  }

  function noted(marketId: MarketId, standing: PositionStanding): PositionStanding {
    if (standing !== 'paying') return standing;
    const resolution = deps.store.get(RESOLUTIONS, [marketId])?.value;
    if (!unpaid.has(marketId)) unpaid.set(marketId, resolution?.resolvedAtMs ?? deps.clock.nowMs());
    const waitedMs = unpaidMs(marketId);
    if (waitedMs >= RESOLUTION.payoutLateMs && !late.has(marketId)) {
      late.add(marketId);
      deps.log.warn({ marketId, waitedMs }, 'position.payout_late');
    }
    return standing;
  }
  const clock = toActorClock(deps.clock);
  let isOver = false;

  function watch(marketId: MarketId, start: 'fresh' | 'found'): void {
    if (actors.has(marketId) || waiting.has(marketId)) return;
    if (actors.size >= marketsMaximum) {
      waiting.add(marketId);
      return deps.log.error(
        { marketId, watched: actors.size, waiting: waiting.size },
        'position.watch_full',
      );
    }
    const actor = createActor(machine, {
      input: { marketId, untilEndMs: untilEndMs(deps, marketId), start },
      clock,
    });
    actors.set(marketId, actor);
    actor.subscribe({
      complete: () => release(marketId),
      error: (cause) => deps.log.error({ marketId, cause }, 'position.actor_failed'),
    });
    actor.start();
  }

  /**
   * A trade reported while the market was being paid out may have made a position here: its word
   * came while the market was still watched, and was passed over.
   */
  function release(marketId: MarketId): void {
    actors.delete(marketId);
    unpaid.delete(marketId);
    late.delete(marketId);
    if (isOver) return;
    if (deps.store.range(OPEN_POSITIONS, { prefix: [marketId], limit: 1 }).length > 0)
      return watch(marketId, 'fresh');
    const [next] = waiting;
    if (next === undefined) return;
    waiting.delete(next);
    watch(next, 'found');
  }

  function hear({ event }: JournalEntry): void {
    if (event.type === 'position.changed' && event.position.shares !== 0)
      watch(event.position.marketId, 'fresh');
    if (event.type === 'fill.settled' || event.type === 'fill.reversed') {
      const fill = deps.store.get(FILLS, [event.userId, event.orderId, event.tradeId])?.value;
      if (fill !== undefined) actors.get(fill.marketId)?.send({ type: 'fill.final' });
    }
  }

  const unsubscribe = deps.bus.subscribe(hear);
  return {
    watch,
    hint: (marketId) => actors.get(marketId)?.send({ type: 'market.hint' }),
    get size() {
      return actors.size;
    },
    stop() {
      isOver = true;
      unsubscribe();
      for (const actor of actors.values()) actor.stop();
      actors.clear();
    },
  };
}

/** Nothing is left to wait for when the end is known already: a trade was reported after it. */
function untilEndMs({ store, clock }: PositionWatchDeps, marketId: MarketId): number {
  const market = store.get(TRADED_MARKETS, [marketId])?.value;
  return market === undefined || store.get(RESOLUTIONS, [marketId]) !== null
    ? 0
    : market.endsAtMs - clock.nowMs();
}

/** Asks how the market ended, stores the answer and pays what can be paid. */
async function ask(deps: PositionWatchDeps, marketId: MarketId): Promise<PositionStanding> {
  if (deps.store.get(RESOLUTIONS, [marketId]) === null) {
    const market = deps.store.get(TRADED_MARKETS, [marketId])?.value;
    assert(market !== undefined, `market ${marketId} was stored with its first order`);
    const resolution = await deps.venues.of(market.venue).directory.resolution(marketId);
    if (resolution === null) return 'unresolved';
    await deps.portfolio.recordResolution(resolution);
  }
  return pay(deps, marketId);
}

async function pay(
  { portfolio }: PositionWatchDeps,
  marketId: MarketId,
): Promise<PositionStanding> {
  return (await portfolio.payOut(marketId)) ? 'paid' : 'paying';
}
