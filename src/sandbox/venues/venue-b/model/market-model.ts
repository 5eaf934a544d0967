import { CONTRACT_VENUE } from '../../../../../config/limits/sandbox.ts';
import { TICKS_PER_USD } from '../../../../domain/units.ts';
import type { SharedModel } from '../../../shared-model.ts';
import { everyTick } from '../../../ticks.ts';
import { createBooks, type Book, type BookScript, type Books } from './books.ts';
import { createCatalogue } from './catalogue.ts';
import { createChances } from './chance.ts';
import type { FillPlan } from './fill-plan.ts';
import type { Top } from './ladder.ts';
import type { ListedEvent, Listing, MarketStatus, OutcomeSide, Series } from './listing.ts';
import { SERIES } from './series.ts';
import { tradesBetween, volumeBy, type TapeTrade } from './tape.ts';

/** The state of a market. */
interface MarketState {
  readonly status: MarketStatus;
  readonly result: OutcomeSide | null;
  /** Whether winners are redeemed; null before there is a result. */
  readonly redemption: 'pending' | 'open' | null;
}

/** What a test or a person has a market do. */
interface MarketScript {
  /** Holds until it is set anew; null gives the book back to the makers. */
  readonly book?: BookScript | null;
  /** Pauses trading, or goes on with it. */
  readonly isPaused?: boolean;
  /** Ends the market: redeemable at once. */
  readonly result?: OutcomeSide;
}

/** A fill of one of the venue's users. */
interface OwnFill {
  readonly listing: Listing;
  readonly side: OutcomeSide;
  readonly action: 'buy' | 'sell';
  readonly plan: FillPlan;
}

/** What is kept of a market whose tokens were made, so that they can be redeemed however late. */
export interface KeptMarket {
  readonly listing: Listing;
  readonly event: ListedEvent;
  readonly result: OutcomeSide | null;
}

/**
 * The venue without servers and without a chain: everything but users' fills and scripts follows
 * from seed, prices and time (L10).
 */
export interface MarketModel {
  readonly seed: number;
  readonly clock: SharedModel['clock'];
  readonly books: Books;
  series(): readonly Series[];
  seriesOf(listing: Listing): Series;
  /** Listed and kept ones, oldest end first. */
  events(): readonly ListedEvent[];
  event(ticker: string): ListedEvent | null;
  market(ticker: string): Listing | null;
  state(listing: Listing): MarketState;
  /** The book while the market trades; null otherwise. */
  book(listing: Listing): Book | null;
  topAt(listing: Listing, atMs: number): Top | null;
  /** Trades in [fromMs, toMs) that have happened, oldest first. */
  trades(listing: Listing, fromMs: number, toMs: number): readonly TapeTrade[];
  volume(listing: Listing, atMs: number): number;
  /** Takes contracts out of the book and onto the tape. */
  bookFill(fill: OwnFill): void;
  /** Goes on listing a market after its time. */
  keep(listing: Listing): void;
  script(listing: Listing, change: MarketScript): void;
  /** Called for trades as they happen. */
  onTrade(listener: (trade: TapeTrade) => void): () => void;
  stop(): void;
}

/** Creates the model. `kept` is what an earlier run kept. */
export function createMarketModel(
  {
    seed,
    clock,
    prices,
    quotes,
  }: Pick<SharedModel, 'clock' | 'prices' | 'quotes'> & {
    readonly seed: number;
  },
  kept: readonly KeptMarket[] = [],
): MarketModel {
  const catalogue = createCatalogue(seed);
  const chances = createChances(seed, { prices, quotes });
  const keeping = new Map(kept.map((each) => [each.listing.ticker, each.event]));
  const scripts = new Map<
    string,
    { isPaused?: boolean; ended?: { atMs: number; result: OutcomeSide } }
  >();
  const results = new Map(
    kept.flatMap(({ listing, result }) =>
      result === null ? [] : [[listing.ticker, result] as const],
    ),
  );
  const own = new Map<string, TapeTrade[]>();
  const listeners = new Set<(trade: TapeTrade) => void>();
  let fills = 0;

  let index: Listed | null = null;
  const listedNow = (): Listed => {
    const listed = catalogue.eventsAt(clock.nowMs());
    if (index?.listed !== listed || index.kept !== keeping.size) index = indexOf(listed, keeping);
    return index;
  };
  const events = (): readonly ListedEvent[] => listedNow().events;
  const resultOf = (listing: Listing): OutcomeSide => {
    const known = results.get(listing.ticker);
    if (known !== undefined) return known;
    const result = chances.endedYes(listing) ? 'yes' : 'no';
    results.set(listing.ticker, result);
    return result;
  };
  const state = (listing: Listing): MarketState =>
    stateAt(listing, {
      nowMs: clock.nowMs(),
      script: scripts.get(listing.ticker) ?? {},
      result: () => resultOf(listing),
    });
  const books = createBooks({
    seed,
    clock,
    chanceAt: (listing, atMs) => chances.at(listing, atMs),
    isTrading: (listing) => state(listing).status === 'active',
    find: (ticker) => market(ticker),
  });
  const market = (ticker: string): Listing | null => listedNow().markets.get(ticker) ?? null;
  const othersTrades = (listing: Listing, fromMs: number, toMs: number): readonly TapeTrade[] =>
    tradesBetween({ seed, listing, topAt: (atMs) => books.topAt(listing, atMs) }, fromMs, toMs);
  const { tapeTickMs } = CONTRACT_VENUE;
  const tape = everyTick(clock, { stepMs: tapeTickMs, delayMs: 0 }, (tick) => {
    for (const { markets } of events())
      for (const listing of markets)
        if (state(listing).status === 'active')
          for (const trade of othersTrades(listing, (tick - 1) * tapeTickMs, tick * tapeTickMs))
            for (const listener of listeners) listener(trade);
  });
  tape.rest();
  return {
    seed,
    clock,
    books,
    series: () => SERIES,
    seriesOf: ({ seriesTicker }) => {
      const series = SERIES.find(({ ticker }) => ticker === seriesTicker);
      if (series === undefined) throw new Error(`${seriesTicker} is no series of the venue`);
      return series;
    },
    events,
    event: (ticker) => listedNow().byTicker.get(ticker) ?? null,
    market,
    state,
    book: (listing) => books.book(listing),
    topAt: (listing, atMs) => books.topAt(listing, atMs),
    trades: (listing, fromMs, toMs) =>
      [
        ...othersTrades(listing, fromMs, Math.min(toMs, clock.nowMs() + 1)),
        ...(own.get(listing.ticker) ?? []).filter(({ atMs }) => atMs >= fromMs && atMs < toMs),
      ].sort((one, other) => one.atMs - other.atMs),
    volume: (listing, atMs) =>
      volumeBy(seed, listing, atMs) +
      (own.get(listing.ticker) ?? []).reduce((sum, { count }) => sum + count, 0),
    bookFill(fill) {
      fills += 1;
      const trade = tradeOf(fill, clock.nowMs(), fills);
      books.take(fill);
      const trades = own.get(fill.listing.ticker) ?? [];
      own.set(fill.listing.ticker, [...trades, trade].slice(-CONTRACT_VENUE.ownTradesMaximum));
      for (const listener of listeners) listener(trade);
    },
    keep(listing) {
      const event = events().find(({ ticker }) => ticker === listing.eventTicker);
      if (event !== undefined) keeping.set(listing.ticker, event);
      const [oldest] = keeping.keys();
      if (oldest !== undefined && keeping.size > CONTRACT_VENUE.keptMarketsMaximum)
        keeping.delete(oldest);
    },
    script(listing, change) {
      const before = scripts.get(listing.ticker) ?? {};
      if (change.book !== undefined) books.script(listing, change.book);
      if (change.result !== undefined) results.set(listing.ticker, change.result);
      scripts.set(listing.ticker, {
        ...before,
        ...(change.isPaused === undefined ? {} : { isPaused: change.isPaused }),
        ...(change.result === undefined
          ? {}
          : { ended: { atMs: clock.nowMs(), result: change.result } }),
      });
      books.publish(listing.ticker);
    },
    onTrade(listener) {
      listeners.add(listener);
      tape.wake();
      return () => {
        listeners.delete(listener);
        if (listeners.size === 0) tape.rest();
      };
    },
    stop() {
      tape.cancel();
      books.stop();
    },
  };
}

/** What is listed and kept, found by its tickers. */
interface Listed {
  /** As the catalogue gave it, and how many markets were kept then. */
  readonly listed: readonly ListedEvent[];
  readonly kept: number;
  readonly events: readonly ListedEvent[];
  readonly byTicker: ReadonlyMap<string, ListedEvent>;
  readonly markets: ReadonlyMap<string, Listing>;
}

function indexOf(
  listed: readonly ListedEvent[],
  keeping: ReadonlyMap<string, ListedEvent>,
): Listed {
  const known = new Set(listed.map(({ ticker }) => ticker));
  const late = new Map([...keeping.values()].map((event) => [event.ticker, event]));
  const events = [...[...late.values()].filter(({ ticker }) => !known.has(ticker)), ...listed];
  return {
    listed,
    kept: keeping.size,
    events,
    byTicker: new Map(events.map((event) => [event.ticker, event])),
    markets: new Map(
      events.flatMap(({ markets }) => markets.map((listing) => [listing.ticker, listing] as const)),
    ),
  };
}

function stateAt(
  { openMs, closeMs }: Listing,
  {
    nowMs,
    script,
    result,
  }: {
    readonly nowMs: number;
    readonly script: {
      readonly isPaused?: boolean;
      readonly ended?: { readonly atMs: number; readonly result: OutcomeSide };
    };
    readonly result: () => OutcomeSide;
  },
): MarketState {
  if (script.ended !== undefined)
    return {
      status: nowMs >= script.ended.atMs + CONTRACT_VENUE.finalAfterMs ? 'finalized' : 'determined',
      result: script.ended.result,
      redemption: 'open',
    };
  if (nowMs < openMs) return { status: 'initialized', result: null, redemption: null };
  if (nowMs < closeMs)
    return {
      status: script.isPaused === true ? 'inactive' : 'active',
      result: null,
      redemption: null,
    };
  const determinedMs = closeMs + CONTRACT_VENUE.determinedAfterMs;
  if (nowMs < determinedMs) return { status: 'closed', result: null, redemption: null };
  return {
    status: nowMs < determinedMs + CONTRACT_VENUE.finalAfterMs ? 'determined' : 'finalized',
    result: result(),
    redemption: nowMs < determinedMs + CONTRACT_VENUE.redeemableAfterMs ? 'pending' : 'open',
  };
}

function tradeOf(
  { listing, side, action, plan }: OwnFill,
  atMs: number,
  number: number,
): TapeTrade {
  const sideTicks = Math.round(plan.costMicros / 100 / Math.max(1, plan.contracts));
  // Who sells Yes takes the place of a buyer of No.
  const takerSide = action === 'buy' ? side : side === 'yes' ? 'no' : 'yes';
  const hex = (value: number, digits: number): string =>
    Math.floor(value).toString(16).padStart(digits, '0').slice(-digits);
  return {
    tradeId: `${hex(atMs / 65_536, 8)}-${hex(atMs % 65_536, 4)}-4000-9000-${hex(number, 12)}`,
    ticker: listing.ticker,
    yesTicks: side === 'yes' ? sideTicks : TICKS_PER_USD - sideTicks,
    count: plan.contracts,
    takerSide,
    atMs,
  };
}
