import {
  catchError,
  concatMap,
  defer,
  filter,
  finalize,
  ignoreElements,
  interval,
  map,
  merge,
  mergeMap,
  NEVER,
  startWith,
  take,
  takeUntil,
  tap,
  timer,
  type Observable,
  type SchedulerLike,
} from 'rxjs';
import { FEEDS, STALENESS } from '../config/limits/market-data.ts';
import type { Asset, MarketId } from '../src/domain/ids.ts';
import type { Observed, Prediction, RoundView } from '../src/domain/signal.ts';
import type { StrikeFinding } from '../src/domain/strike.ts';
import type { AssetPriceE8 } from '../src/domain/units.ts';
import type { Books } from './book.ts';
import { conflate } from './conflate.ts';
import type { ExchangePrices } from './exchange.ts';
import type { Predictions } from './inference.ts';
import type { Oracle, OracleReading } from './oracle.ts';
import type { RoundMarket, Rounds } from './rounds.ts';
import { freshAt } from './staleness.ts';
import { strikeOf } from './strike.ts';
import { volatilityFrom } from './volatility.ts';

/** What the views of rounds tell their surroundings: for the log and alerts. */
export interface RoundViewReport {
  /**
   * Our capture of the price to beat and the venue's word contradict each other: the round has no
   * price to beat.
   */
  strikeContradicted?(
    market: RoundMarket,
    finding: Extract<StrikeFinding, { kind: 'contradiction' }>,
  ): void;
  /** Exchange and oracle contradict each other, or do so no more. */
  feedsApart?(market: RoundMarket, areApart: boolean): void;
  /** The books of a round cannot be watched. */
  booksRefused?(market: RoundMarket, cause: unknown): void;
}

/** Everything a round's view is made of. */
export interface RoundViewOptions {
  readonly rounds: Rounds;
  readonly oracle: Oracle;
  readonly exchange: ExchangePrices;
  readonly predictions: Predictions;
  readonly books: Books;
  readonly scheduler: SchedulerLike;
  readonly report: RoundViewReport;
}

/** Views of open rounds. */
export interface RoundViews {
  /**
   * A view of every open round of a kind whenever its inputs changed, at most every
   * `FEEDS.viewWindowMs`. Never fails, never ends.
   */
  views(asset: Asset, minutes: 5 | 15): Observable<RoundView>;
  /**
   * The view of an open round as it is at this moment; null when its kind is not watched or it is
   * not open.
   */
  roundView(marketId: MarketId): RoundView | null;
}

/** Makes the views. */
export function createRoundViews(options: RoundViewOptions): RoundViews {
  const { rounds, exchange } = options;
  const builders = new Map<MarketId, () => RoundView | null>();
  const volatilities = new Map<Asset, Observable<number | null>>();

  const volatility = (asset: Asset): Observable<number | null> => {
    const known = volatilities.get(asset) ?? volatilityFrom(exchange.price(asset));
    volatilities.set(asset, known);
    return known;
  };
  return {
    views: (asset, minutes) =>
      defer(() => {
        const events = rounds.events(asset, minutes);
        const rows = events.pipe(
          filter(({ kind }) => kind === 'listed'),
          mergeMap(({ market }) => {
            const newest = events.pipe(
              filter((event) => event.market.marketId === market.marketId),
              map((event) => event.market),
              startWith(market),
            );
            return roundViews(options, { market, newest, volatility: volatility(asset), builders });
          }, FEEDS.roundsMaximum),
        );
        // The estimate runs on between rounds, so that a new one need not wait for it.
        return merge(rows, volatility(asset).pipe(ignoreElements()));
      }),
    roundView: (marketId) => builders.get(marketId)?.() ?? null,
  };
}

interface RoundInputs {
  readonly market: RoundMarket;
  readonly newest: Observable<RoundMarket>;
  readonly volatility: Observable<number | null>;
  readonly builders: Map<MarketId, () => RoundView | null>;
}

/** Newest value of every input; books are read where they are. */
interface Inputs {
  market: RoundMarket;
  oracle: OracleReading | null;
  exchange: Observed<AssetPriceE8> | null;
  exchangeAtStart: AssetPriceE8 | null;
  prediction: Observed<Prediction> | null;
  strike: StrikeFinding;
  volatility: number | null;
  areApart: boolean;
}

/**
 * Runs one round's inputs from shortly before its window to its end. A frame of a book only marks
 * the view as due: what it costs does not depend on who looks at it.
 */
function roundViews(
  options: RoundViewOptions,
  { market, newest, volatility, builders }: RoundInputs,
): Observable<RoundView> {
  const { oracle, exchange, predictions, books, scheduler, report } = options;
  const { asset, startsAtMs, endsAtMs, twap } = market.window;
  const until = (atMs: number): Observable<unknown> =>
    defer(() => timer(Math.max(0, atMs - scheduler.now()), scheduler));

  return defer(() => {
    const inputs: Inputs = {
      market,
      oracle: null,
      exchange: null,
      exchangeAtStart: null,
      prediction: null,
      strike: { kind: 'unknown' },
      volatility: null,
      areApart: false,
    };
    const twapSeconds = twap ? 60 : null;
    const strike = strikeOf({
      captured: oracle
        .capture({ asset, twapSeconds, atMs: startsAtMs })
        .pipe(map(({ value }) => value)),
      stated: newest.pipe(map(({ window }) => window.strike)),
      onContradiction: (finding) => report.strikeContradicted?.(inputs.market, finding),
    });
    const bookUpdates = books.watch(market).pipe(
      catchError((cause: unknown) => {
        report.booksRefused?.(market, cause);
        return NEVER;
      }),
    );
    const changes = merge(
      newest.pipe(tap((value) => (inputs.market = value))),
      oracle.price(asset, twapSeconds).pipe(tap((value) => (inputs.oracle = value))),
      exchange.price(asset).pipe(tap((value) => (inputs.exchange = value))),
      exchange.priceAt(asset, startsAtMs).pipe(tap((value) => (inputs.exchangeAtStart = value))),
      predictions.latest(asset, '5m').pipe(tap((value) => (inputs.prediction = value))),
      strike.pipe(tap((value) => (inputs.strike = value))),
      volatility.pipe(tap((value) => (inputs.volatility = value))),
      bookUpdates,
      interval(FEEDS.viewHeartbeatMs, scheduler),
    );
    const build = (): RoundView | null => {
      const nowMs = scheduler.now();
      return nowMs < startsAtMs || nowMs >= endsAtMs ? null : buildView(inputs, options, nowMs);
    };
    builders.set(market.marketId, build);
    return changes.pipe(
      conflate(FEEDS.viewWindowMs, scheduler),
      map(build),
      filter((view) => view !== null),
      takeUntil(until(endsAtMs)),
      finalize(() => builders.delete(market.marketId)),
    );
  }).pipe((views) =>
    until(startsAtMs - FEEDS.roundLeadMs).pipe(
      take(1),
      concatMap(() => views),
    ),
  );
}

/** The inputs as they are at `nowMs`: what is stale or contradicts is absent (L8). */
function buildView(inputs: Inputs, { books, report }: RoundViewOptions, nowMs: number): RoundView {
  const { market, strike } = inputs;
  const { asset, minutes, startsAtMs, endsAtMs } = market.window;
  const oracle = freshAt(
    inputs.oracle,
    inputs.oracle?.source === 'venue_oracle' ? STALENESS.venueOracleMs : STALENESS.oracleMs,
    nowMs,
  );
  const exchange = freshAt(inputs.exchange, STALENESS.exchangeMs, nowMs);
  const areApart = oracle !== null && exchange !== null && isApart(oracle.value, exchange.value);
  if (areApart !== inputs.areApart) {
    inputs.areApart = areApart;
    report.feedsApart?.(market, areApart);
  }
  const [up, down] = market.outcomes;
  return {
    market,
    asset,
    minutes,
    startsAtMs,
    endsAtMs,
    atMs: nowMs,
    oracle: areApart ? null : oracle,
    exchange: areApart ? null : exchange,
    ...(areApart ? { areFeedsApart: true } : {}),
    exchangeAtStart: inputs.exchangeAtStart,
    prediction: freshAt(inputs.prediction, STALENESS.inference5mMs, nowMs),
    strike: strike.kind === 'known' ? { price: strike.price, source: strike.source } : null,
    volatility: inputs.volatility,
    books: [books.top(up.tokenId), books.top(down.tokenId)],
  };
}

function isApart(oracle: AssetPriceE8, exchange: AssetPriceE8): boolean {
  return Math.abs(oracle - exchange) > (oracle / 1_000_000) * FEEDS.disagreementMicros;
}
