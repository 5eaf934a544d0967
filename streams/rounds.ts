import {
  catchError,
  concat,
  concatMap,
  defer,
  EMPTY,
  expand,
  filter,
  finalize,
  from,
  map,
  merge,
  mergeMap,
  NEVER,
  of,
  share,
  take,
  takeUntil,
  tap,
  timer,
  type Observable,
  type SchedulerLike,
} from 'rxjs';
import { AGENT } from '../config/limits.ts';
import { FEEDS } from '../config/limits/market-data.ts';
import type { Asset, MarketId } from '../src/domain/ids.ts';
import type { Market, RoundWindow } from '../src/domain/market.ts';
import type { Random } from '../src/ports/random.ts';
import type { RoundDirectory } from '../src/ports/catalogue.ts';

/** A listed market of a recurring window. */
export interface RoundMarket extends Market {
  readonly window: RoundWindow;
}

/** What happens to rounds, in the order of their windows' clocks. */
export type RoundEvent =
  /** The venue lists it with its tokens; its window may lie ahead. */
  | { readonly kind: 'listed'; readonly market: RoundMarket }
  /** Its window has begun. */
  | { readonly kind: 'open'; readonly market: RoundMarket }
  /** The venue says more about it: its price to beat. */
  | { readonly kind: 'updated'; readonly market: RoundMarket }
  /** Its window has ended. */
  | { readonly kind: 'over'; readonly market: RoundMarket };

export interface RoundsOptions {
  readonly directory: RoundDirectory;
  readonly random: Random;
  readonly scheduler: SchedulerLike;
  /** Called for every question the venue did not answer: for metrics and the log. */
  readonly onFailed?: (asset: Asset, minutes: 5 | 15, cause: unknown) => void;
}

/** The recurring rounds of a venue. */
export interface Rounds {
  /**
   * Rounds of an asset from the current one on. A late reader first hears of those already known.
   * Never fails, never ends.
   */
  events(asset: Asset, minutes: 5 | 15): Observable<RoundEvent>;
  /** A round known now; null when its kind is not read, or it is over. */
  market(marketId: MarketId): RoundMarket | null;
}

/**
 * Makes the rounds streams: one discovery for all readers of an asset and window, which runs while
 * it has readers.
 */
export function createRounds(options: RoundsOptions): Rounds {
  const kinds = new Map<
    string,
    { readonly events: Observable<RoundEvent>; readonly known: Map<MarketId, RoundEvent> }
  >();
  return {
    events(asset, minutes) {
      const key = `${asset} ${minutes}`;
      const kind = kinds.get(key) ?? sharedRounds(options, asset, minutes);
      kinds.set(key, kind);
      return kind.events;
    },
    market(marketId) {
      for (const { known } of kinds.values()) {
        const event = known.get(marketId);
        if (event !== undefined) return event.market;
      }
      return null;
    },
  };
}

function sharedRounds(options: RoundsOptions, asset: Asset, minutes: 5 | 15) {
  const known = new Map<MarketId, RoundEvent>();
  const shared = discoveredRounds(options, asset, minutes).pipe(
    tap((event) => {
      const { marketId } = event.market;
      const before = known.get(marketId);
      if (event.kind === 'over') known.delete(marketId);
      // An update of an open round leaves it open, of a listed one listed.
      else
        known.set(
          marketId,
          event.kind === 'updated' && before !== undefined
            ? { kind: before.kind, market: event.market }
            : event,
        );
    }),
    finalize(() => known.clear()),
    share(),
  );
  const replayed = defer(() =>
    from(
      [...known.values()].flatMap((event): RoundEvent[] =>
        event.kind === 'open' ? [{ kind: 'listed', market: event.market }, event] : [event],
      ),
    ),
  );
  return { events: concat(replayed, shared), known };
}

/** Every window once, from its discovery to its end. */
function discoveredRounds(
  options: RoundsOptions,
  asset: Asset,
  minutes: 5 | 15,
): Observable<RoundEvent> {
  return defer(() => {
    const begun = new Set<number>();
    return discoveries(options, minutes).pipe(
      concatMap((starts) => from(starts.filter((startsAtMs) => !begun.has(startsAtMs)))),
      mergeMap((startsAtMs) => {
        begun.add(startsAtMs);
        return foundRound(options, { asset, minutes, startsAtMs }).pipe(
          mergeMap((market) => lifeOf(options, market)),
          finalize(() => begun.delete(startsAtMs)),
        );
      }, FEEDS.roundsMaximum),
    );
  });
}

/**
 * Starts of the windows to discover, now and at every later discovery (spec.md: 30 minutes; one
 * market every 15 minutes).
 */
function discoveries({ scheduler }: RoundsOptions, minutes: 5 | 15): Observable<readonly number[]> {
  const windowMs = minutes * 60_000;
  const aheadMs = minutes === 5 ? AGENT.discoveryIntervalMs : windowMs;
  const windows = (): readonly number[] => {
    const nowMs = scheduler.now();
    const currentMs = nowMs - (nowMs % windowMs);
    const count = Math.min(
      FEEDS.roundsMaximum,
      1 + Math.ceil((nowMs - currentMs + aheadMs) / windowMs),
    );
    return Array.from({ length: count }, (_, index) => currentMs + index * windowMs);
  };
  // The 15-minute kind looks at every boundary, the 5-minute kind every half hour: both are
  // multiples of `aheadMs` of clock time.
  const untilNextMs = (): number => aheadMs - (scheduler.now() % aheadMs);
  return of(0).pipe(
    expand(() => timer(untilNextMs(), scheduler)),
    map(windows),
  );
}

interface Sought {
  readonly asset: Asset;
  readonly minutes: 5 | 15;
  readonly startsAtMs: number;
}

/**
 * Asks until the venue lists the round with its tokens, or its window is over. Absence is never
 * remembered (late-hydration). A round that is not traded here is left out.
 */
function foundRound(
  { directory, random, scheduler, onFailed }: RoundsOptions,
  { asset, minutes, startsAtMs }: Sought,
): Observable<RoundMarket> {
  const endsAtMs = startsAtMs + minutes * 60_000;
  const ask = defer(() => from(directory.round(asset, minutes, startsAtMs))).pipe(
    catchError((cause: unknown) => {
      onFailed?.(asset, minutes, cause);
      return of(null);
    }),
    map((market) => asRound(market, startsAtMs)),
  );
  // What is far ahead need not be known soon; the nearer the start, the oftener the question.
  const waitMs = (): number => {
    const leftMs = startsAtMs - scheduler.now();
    return (
      Math.max(AGENT.discoveryRetryMs, Math.min(leftMs / 10, FEEDS.reconnectHealthyAfterMs)) +
      random.integer(FEEDS.discoveryJitterMs + 1)
    );
  };
  return ask.pipe(
    expand((market) =>
      market === null ? timer(waitMs(), scheduler).pipe(concatMap(() => ask)) : EMPTY,
    ),
    filter((market) => market !== null),
    take(1),
    // Asked once: what is not traded today is not traded within its window either.
    filter((market) => market.notTradeable === undefined),
    takeUntil(timer(Math.max(0, endsAtMs - scheduler.now()), scheduler)),
  );
}

/** Listed, open, given its price to beat, over: by the clock. */
function lifeOf(options: RoundsOptions, market: RoundMarket): Observable<RoundEvent> {
  const { scheduler } = options;
  const { startsAtMs, endsAtMs } = market.window;
  const at = (atMs: number): Observable<unknown> =>
    defer(() => timer(Math.max(0, atMs - scheduler.now()), scheduler));
  return defer(() => {
    if (scheduler.now() >= endsAtMs) return EMPTY;
    let newest = market;
    const updates =
      market.window.strike === null
        ? statedStrike(options, market).pipe(
            tap((updated) => (newest = updated)),
            map((updated): RoundEvent => ({ kind: 'updated', market: updated })),
          )
        : EMPTY;
    const opening = scheduler.now() >= startsAtMs ? of(null) : at(startsAtMs).pipe(take(1));
    const open = opening.pipe(
      concatMap(() => merge(of<RoundEvent>({ kind: 'open', market: newest }), updates)),
    );
    return concat(
      of<RoundEvent>({ kind: 'listed', market }),
      // The end comes before the opening of the next window, which falls on the same moment.
      merge(open, NEVER).pipe(takeUntil(at(endsAtMs))),
      defer(() => of<RoundEvent>({ kind: 'over', market: newest })),
    );
  });
}

/**
 * Asks for the price to beat until the venue states it: it appears seconds to minutes after the
 * start (venue_a.md section 11).
 */
function statedStrike(
  { directory, random, scheduler, onFailed }: RoundsOptions,
  market: RoundMarket,
): Observable<RoundMarket> {
  const { asset, minutes, startsAtMs } = market.window;
  const ask = defer(() => from(directory.market(market.marketId))).pipe(
    catchError((cause: unknown) => {
      onFailed?.(asset, minutes, cause);
      return of(null);
    }),
    map((found) => asRound(found, startsAtMs)),
  );
  const pause = (): Observable<unknown> =>
    timer(AGENT.discoveryRetryMs + random.integer(FEEDS.discoveryJitterMs + 1), scheduler);
  return ask.pipe(
    expand((found) =>
      found === null || found.window.strike === null ? pause().pipe(concatMap(() => ask)) : EMPTY,
    ),
    filter((found) => found !== null),
    filter((found) => found.window.strike !== null),
    take(1),
  );
}

/**
 * The market as a round of the window asked for; null when it is another, or its tokens are not
 * there yet.
 */
function asRound(market: Market | null, startsAtMs: number): RoundMarket | null {
  if (market === null || market.window === null || market.window.startsAtMs !== startsAtMs)
    return null;
  const [up, down] = market.outcomes;
  // Hydrated late: a market without its tokens cannot be traded or watched.
  // ids are text; the comparison is of text
  if ((up.tokenId as string) === '' || (down.tokenId as string) === '') return null;
  return { ...market, window: market.window };
}
