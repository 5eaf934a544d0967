import { CONTRACT_VENUE } from '../../../../../config/limits/sandbox.ts';
import { TICKS_PER_USD } from '../../../../domain/units.ts';
import { candlesOf, type Candle } from '../model/candles.ts';
import type { Bids } from '../model/ladder.ts';
import type { ListedEvent, Listing, Series } from '../model/listing.ts';
import type { MarketModel } from '../model/market-model.ts';
import { PRICE_RANGES } from '../model/price-grid.ts';
import type { TapeTrade } from '../model/tape.ts';
import {
  bestOf,
  contracts,
  dollars,
  heldOf,
  quotedRanges,
  seriesFacts,
  termsUrls,
} from './shared-shapes.ts';

const DAY_MS = 86_400_000;

/** A market in the exchange's words (venue_b.md section 15.2). */
export function exchangeMarket(model: MarketModel, listing: Listing): unknown {
  const nowMs = model.clock.nowMs();
  const { status, result } = model.state(listing);
  const book = model.book(listing);
  const [yes, no] = [bestOf(book?.yes), bestOf(book?.no)];
  const before = model.topAt(listing, Math.max(listing.openMs, nowMs - DAY_MS));
  const last = model.trades(listing, nowMs - 100 * listing.tapeSlotMs, nowMs + 1).at(-1);
  const volume = model.volume(listing, nowMs);
  const settledMs = listing.closeMs + CONTRACT_VENUE.determinedAfterMs;
  return {
    ticker: listing.ticker,
    event_ticker: listing.eventTicker,
    market_type: 'binary',
    title: listing.title,
    subtitle: '',
    yes_sub_title: listing.yesSubTitle,
    no_sub_title: listing.yesSubTitle,
    created_time: time(listing.openMs - DAY_MS),
    updated_time: time(nowMs),
    open_time: time(listing.openMs),
    close_time: time(listing.closeMs),
    expected_expiration_time: time(settledMs),
    expiration_time: time(listing.closeMs + 7 * DAY_MS),
    latest_expiration_time: time(listing.closeMs + 7 * DAY_MS),
    settlement_timer_seconds: CONTRACT_VENUE.finalAfterMs / 1_000,
    status,
    yes_bid_dollars: dollars(yes?.[0] ?? 0),
    yes_bid_size_fp: contracts(yes?.[1] ?? 0),
    yes_ask_dollars: dollars(TICKS_PER_USD - (no?.[0] ?? 0)),
    yes_ask_size_fp: contracts(no?.[1] ?? 0),
    no_bid_dollars: dollars(no?.[0] ?? 0),
    no_ask_dollars: dollars(TICKS_PER_USD - (yes?.[0] ?? 0)),
    last_price_dollars: dollars(last?.yesTicks ?? 0),
    previous_yes_bid_dollars: dollars(before?.yes ?? 0),
    previous_yes_ask_dollars: dollars(TICKS_PER_USD - (before?.no ?? 0)),
    previous_price_dollars: dollars(before?.yes ?? 0),
    volume_fp: contracts(volume),
    volume_24h_fp: contracts(volume - model.volume(listing, nowMs - DAY_MS)),
    open_interest_fp: contracts(heldOf(volume)),
    notional_value_dollars: '1.0000',
    liquidity_dollars: '0.0000',
    result: result ?? '',
    ...(result === null
      ? {}
      : {
          settlement_value_dollars: result === 'yes' ? '1.0000' : '0.0000',
          settlement_ts: time(settledMs),
        }),
    can_close_early: true,
    expiration_value: '',
    rules_primary: listing.title,
    rules_secondary: '',
    price_level_structure: listing.structure,
    price_ranges: PRICE_RANGES[listing.structure].map(({ start, end, step }) => ({
      start: dollars(start),
      end: dollars(end),
      step: dollars(step),
    })),
  };
}

/** An event in the exchange's words. */
export function exchangeEvent(
  model: MarketModel,
  event: ListedEvent,
  isNested: boolean,
): Readonly<Record<string, unknown>> {
  const [first] = event.markets;
  const series = first === undefined ? null : model.seriesOf(first);
  return {
    event_ticker: event.ticker,
    series_ticker: event.seriesTicker,
    title: event.title,
    sub_title: event.subTitle,
    collateral_return_type: '',
    mutually_exclusive: event.mutuallyExclusive,
    category: series?.category ?? '',
    strike_period: '',
    available_on_brokers: false,
    settlement_sources: series?.sources ?? [],
    ...(isNested
      ? { markets: event.markets.map((listing) => exchangeMarket(model, listing)) }
      : {}),
  };
}

/** A series in the exchange's words. */
export function exchangeSeries(series: Series): unknown {
  const { contract, terms } = termsUrls(series);
  return {
    ...seriesFacts(series),
    categories: [series.category],
    settlement_sources: series.sources,
    contract_url: contract,
    contract_terms_url: terms,
    fee_type: 'quadratic',
    fee_multiplier: series.feeMultiplier,
    additional_prohibitions: null,
  };
}

/**
 * The bids of one side as the exchange lists them: the best last, the nearest `depth` of them where
 * that is not 0.
 */
export function exchangeBids(
  bids: Bids | undefined,
  depth: number,
): readonly (readonly [string, string])[] {
  const all = [...(bids ?? [])];
  return (depth === 0 ? all : all.slice(0, depth))
    .reverse()
    .map(([ticks, count]) => [dollars(ticks), contracts(count)] as const);
}

/** A trade in the exchange's words. */
export function exchangeTrade(trade: TapeTrade): unknown {
  const { yesTicks, takerSide } = trade;
  return {
    trade_id: trade.tradeId,
    ticker: trade.ticker,
    count_fp: contracts(trade.count),
    yes_price_dollars: dollars(yesTicks),
    no_price_dollars: dollars(TICKS_PER_USD - yesTicks),
    taker_side: takerSide,
    taker_outcome_side: takerSide,
    taker_book_side: takerSide === 'yes' ? 'bid' : 'ask',
    created_time: time(trade.atMs),
    is_block_trade: false,
  };
}

/** Candles in the exchange's words. */
export function exchangeCandles(
  model: MarketModel,
  listing: Listing,
  span: Parameters<typeof candlesOf>[2],
): readonly unknown[] {
  return candlesOf(model, listing, span).map(candleShape);
}

function candleShape(candle: Candle): unknown {
  const { traded, previous } = candle;
  const { bid, ask } = quotedRanges(candle);
  const fields = (values: object | null): object =>
    Object.fromEntries(
      Object.entries(values ?? {}).map(([name, ticks]) => [
        `${name}_dollars`,
        dollars(Number(ticks)),
      ]),
    );
  return {
    end_period_ts: candle.endMs / 1_000,
    yes_bid: fields(bid),
    yes_ask: fields(ask),
    price: { ...fields(traded), ...(previous === null ? {} : fields({ previous })) },
    volume_fp: contracts(candle.contracts),
    open_interest_fp: contracts(heldOf(candle.volume)),
  };
}

function time(atMs: number): string {
  return new Date(atMs).toISOString();
}
