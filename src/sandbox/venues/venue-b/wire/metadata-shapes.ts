import { USDC_MINT } from '../../../chains/solana/addresses.ts';
import { furtherRules } from '../../../engine/rules-text.ts';
import { CASH_MINT, type Rails } from '../chain/rails.ts';
import { candlesOf, type Candle } from '../model/candles.ts';
import type { Book } from '../model/books.ts';
import type { Bids } from '../model/ladder.ts';
import type { ListedEvent, Listing, Series } from '../model/listing.ts';
import type { MarketModel } from '../model/market-model.ts';
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

/** What the shapes are made from. */
export interface MetadataView {
  readonly model: MarketModel;
  readonly rails: Rails;
  /** Whether a market's outcome tokens exist. */
  isInitialized(listing: Listing): boolean;
}

/**
 * What a subtraction below zero looks like in 64 bits: some rows show it (venue_b.md section 8.2).
 */
const UNDERFLOWN = 18_446_744_073_709_552_000;

/** A market in the words of section 8.1. */
export function marketShape(
  { model, rails, isInitialized }: MetadataView,
  listing: Listing,
): unknown {
  const { ticker, eventTicker, title, yesSubTitle, openMs, closeMs } = listing;
  const { status, result, redemption } = model.state(listing);
  const book = model.book(listing);
  const volume = model.volume(listing, model.clock.nowMs());
  const rail = rails.of(listing);
  const unused = rails.unusedOf(listing);
  return {
    ticker,
    eventTicker,
    marketType: 'binary',
    title,
    subtitle: '',
    yesSubTitle,
    noSubTitle: yesSubTitle,
    openTime: seconds(openMs),
    closeTime: seconds(closeMs),
    expirationTime: seconds(closeMs) + 7 * 86_400,
    status,
    volume,
    volumeFp: contracts(volume),
    result: result ?? '',
    openInterest: heldOf(volume),
    openInterestFp: contracts(heldOf(volume)),
    canCloseEarly: true,
    earlyCloseCondition: '',
    rulesPrimary: `If the answer is yes by the close of trading, the market resolves to Yes: ${title}`,
    rulesSecondary: furtherRules(ticker),
    ...tops(book),
    accounts: {
      [CASH_MINT]: {
        marketLedger: unused.ledger,
        yesMint: unused.yes,
        noMint: unused.no,
        isInitialized: false,
        redemptionStatus: null,
      },
      [USDC_MINT]: {
        marketLedger: rail.ledger.address,
        yesMint: rail.mints.yes.address,
        noMint: rail.mints.no.address,
        isInitialized: isInitialized(listing),
        redemptionStatus: redemption,
      },
    },
  };
}

/** The best prices of a book, in dollars. */
export function tops(
  book: Book | null,
): Readonly<Record<'yesBid' | 'yesAsk' | 'noBid' | 'noAsk', string | null>> {
  const yes = bestOf(book?.yes)?.[0] ?? null;
  const no = bestOf(book?.no)?.[0] ?? null;
  return {
    yesBid: dollars(yes),
    yesAsk: dollars(no === null ? null : 10_000 - no),
    noBid: dollars(no),
    noAsk: dollars(yes === null ? null : 10_000 - yes),
  };
}

/** An event in the words of section 8.2, with its markets where they are asked for. */
export function eventShape(
  view: MetadataView,
  event: ListedEvent,
  isNested: boolean,
): Readonly<Record<string, unknown>> {
  const { model } = view;
  const nowMs = model.clock.nowMs();
  const sum = (atMs: number): number =>
    event.markets.reduce((total, listing) => total + model.volume(listing, atMs), 0);
  const volume = sum(nowMs);
  const [first] = event.markets;
  return {
    ticker: event.ticker,
    seriesTicker: event.seriesTicker,
    strikeDate: first === undefined ? null : seconds(first.closeMs),
    strikePeriod: null,
    title: event.title,
    subtitle: event.subTitle,
    imageUrl: null,
    competition: null,
    competitionScope: null,
    settlementSources: first === undefined ? [] : model.seriesOf(first).sources,
    volume,
    volume24h: volume - sum(nowMs - 86_400_000),
    liquidity: volume === 0 ? UNDERFLOWN : liquidityOf(model, event),
    openInterest: heldOf(volume),
    ...(isNested ? { markets: event.markets.map((listing) => marketShape(view, listing)) } : {}),
  };
}

/** A series in the words of section 8.2. */
export function seriesShape(series: Series): unknown {
  const { contract, terms } = termsUrls(series);
  return {
    ...seriesFacts(series),
    settlementSources: series.sources,
    contractUrl: contract,
    contractTermsUrl: terms,
    productMetadata: null,
    feeType: 'quadratic',
    feeMultiplier: series.feeMultiplier,
    additionalProhibitions: [],
  };
}

/** A book in the words of section 8.3. */
export function bookShape({ yes, no, sequence }: Book): unknown {
  return { yes_bids: bidsShape(yes), no_bids: bidsShape(no), sequence };
}

/** Bids as a map from dollars to contracts, lowest first. */
export function bidsShape(bids: Bids): Readonly<Record<string, number>> {
  return Object.fromEntries([...bids].reverse().map(([ticks, count]) => [dollars(ticks), count]));
}

/** A trade in the words of section 8.4. */
export function tradeShape({
  tradeId,
  ticker,
  yesTicks,
  count,
  takerSide,
  atMs,
}: TapeTrade): unknown {
  return {
    tradeId,
    ticker,
    price: Math.round(yesTicks / 100),
    count,
    yesPrice: yesTicks,
    noPrice: 10_000 - yesTicks,
    yesPriceDollars: dollars(yesTicks),
    noPriceDollars: dollars(10_000 - yesTicks),
    takerSide,
    createdTime: seconds(atMs),
  };
}

/**
 * The candles of a market, in the words of the exchange behind (section 15.5), both of its
 * generations of fields.
 */
export function candlesShape(
  model: MarketModel,
  listing: Listing,
  span: Parameters<typeof candlesOf>[2],
): unknown {
  return {
    ticker: listing.ticker,
    candlesticks: candlesOf(model, listing, span).map((candle) => candleShape(candle)),
  };
}

function candleShape(candle: Candle): unknown {
  const { traded, previous } = candle;
  const { bid, ask } = quotedRanges(candle);
  const held = heldOf(candle.volume);
  const fields = (values: Readonly<Record<string, number | null>> | null): object =>
    Object.fromEntries(
      Object.entries(values ?? {}).flatMap(([name, ticks]) => [
        [name, ticks === null ? null : Math.round(ticks / 100)],
        ...(ticks === null ? [] : [[`${name}_dollars`, dollars(ticks)]]),
      ]),
    );
  return {
    end_period_ts: seconds(candle.endMs),
    yes_bid: fields({ ...bid }),
    yes_ask: fields({ ...ask }),
    price: {
      ...fields(
        traded === null
          ? { open: null, low: null, high: null, close: null, mean: null }
          : { ...traded },
      ),
      ...(previous === null ? { previous: null } : fields({ previous })),
    },
    volume: candle.contracts,
    volume_fp: contracts(candle.contracts),
    open_interest: held,
    open_interest_fp: contracts(held),
  };
}

/** Contracts bid for near the best prices of the event's markets. */
function liquidityOf(model: MarketModel, event: ListedEvent): number {
  let total = 0;
  for (const listing of event.markets) {
    const book = model.book(listing);
    for (const bids of [book?.yes, book?.no])
      total += [...(bids ?? [])].slice(0, 3).reduce((sum, [, count]) => sum + count, 0);
  }
  return total;
}

function seconds(atMs: number): number {
  return Math.floor(atMs / 1_000);
}
