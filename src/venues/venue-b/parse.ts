import { LISTING } from '../../../config/limits/listing.ts';
import { MARKET_WORDS } from '../../../config/limits/market-text.ts';
import { asId } from '../../domain/ids.ts';
import { OPEN_END_MS, type Market, type Resolution } from '../../domain/market.ts';
import {
  CERTAIN_E5,
  type MarketListing,
  type SeriesName,
  type StatedPrices,
} from '../../domain/market-listing.ts';
import { plainParagraphs, plainText } from '../../domain/plain-text.ts';
import {
  MICROS_PER_UNIT,
  TICKS_PER_USD,
  parseDecimal,
  priceTicks,
  shareMicros,
  type PriceTicks,
} from '../../domain/units.ts';
import type { MarketEvent, MarketSeries } from '../../ports/catalogue.ts';
import { liquidityOf } from '../liquidity.ts';
import { VENUE_B_ID } from './id.ts';
import { railSchema, type WireEvent, type WireMarket, type WireSeries } from './schema.ts';

/**
 * What `price` of a request is a multiple of: one cent, also where a market's own steps are finer
 * (venue_b.md section 17).
 */
export const TICK: PriceTicks = priceTicks(100);

/** How far a market is; whoever holds the winner is paid in the last two (venue_b.md section 6). */
const ENDED: ReadonlySet<string> = new Set(['closed', 'determined', 'finalized']);
const DETERMINED: ReadonlySet<string> = new Set(['determined', 'finalized']);
/** What making a market's tokens costs its first buyer, about (venue_b.md section 6). */
const FIRST_BUY_COST = '0.02 SOL';
const BASE58_KEY = /^[1-9A-HJ-NP-Za-km-z]{32,44}$/;

/** A market with what only this venue says of it. */
export interface ListedMarket {
  readonly market: Market;
  /** The venue's own word for how far it is. */
  readonly status: string;
  /** False before the first purchase: the first buyer pays for the making of its tokens, in SOL. */
  readonly isInitialized: boolean;
  /** Winners can be redeemed now. */
  readonly isRedeemable: boolean;
  readonly wire: WireMarket;
}

/** What a market shows of its event. */
export type EventHead = Pick<WireEvent, 'title' | 'subtitle' | 'seriesTicker' | 'imageUrl'>;

/** A market that is not listed, and why. */
export type Unlisted = 'not_binary' | 'no_rail';

/** Returns a market as it is traded for a dollar token; why not where it cannot be. */
export function parseMarket(wire: WireMarket, settlementMint: string): ListedMarket | Unlisted {
  if (wire.marketType !== '' && wire.marketType !== 'binary') return 'not_binary';
  // Rails are not fungible: the one of another dollar token is another market (venue_b.md section
  // 17).
  const rail = railSchema.safeParse(wire.accounts[settlementMint]);
  if (!rail.success) return 'no_rail';
  const { yesMint, noMint, isInitialized, redemptionStatus } = rail.data;
  if (!isKey(yesMint) || !isKey(noMint) || yesMint === noMint) return 'no_rail';
  const { ticker, status } = wire;
  return {
    status,
    isInitialized,
    isRedeemable: DETERMINED.has(status) && redemptionStatus === 'open',
    wire,
    market: {
      venue: VENUE_B_ID,
      marketId: asId(ticker),
      listingId: ticker,
      eventId: wire.eventTicker,
      slug: ticker,
      question: wordsOf(wire.title),
      outcomes: [
        { tokenId: asId(yesMint), label: 'Yes' },
        { tokenId: asId(noMint), label: 'No' },
      ],
      tickSize: TICK,
      minSize: shareMicros(MICROS_PER_UNIT),
      fee: null,
      takerDelay: true,
      acceptingOrders: status === 'active',
      closed: ENDED.has(status),
      window: null,
      endsAtMs: msOf(wire.closeTime) ?? OPEN_END_MS,
      volumeUsd: wire.volume,
      liquidityUsd: wire.openInterest,
    },
  };
}

/** Returns how a market ended; null while the venue has not determined it. */
export function resolutionOf({ wire, market }: ListedMarket, nowMs: number): Resolution | null {
  const winner = winnerOf(wire);
  return winner === null
    ? null
    : { marketId: market.marketId, payoutTicks: payoutsOf(winner), resolvedAtMs: nowMs };
}

/** Returns a market with the title of its event: questions such as "80° or more?" need it. */
export function withEvent(market: Market, event: EventHead | null): Market {
  return event === null ? market : { ...market, eventTitle: eventTitleOf(market, event) };
}

/**
 * Returns what an event is called beside a question. Events of a series may have one title, which
 * may be the question's too: when each is says the subtitle.
 */
function eventTitleOf({ question }: Market, { title, subtitle }: EventHead): string {
  const [name, when] = [wordsOf(title), wordsOf(subtitle)];
  if (when === '') return name;
  return name === question || name === '' ? when : `${name} · ${when}`;
}

/** Returns a market as people read it, at a moment. */
export function listingOf(
  { market, wire, isInitialized }: ListedMarket,
  event: EventHead | null,
  nowMs: number,
): MarketListing {
  const winner = winnerOf(wire);
  return {
    market: withEvent(market, event),
    eventSlug: wire.eventTicker === '' ? null : wire.eventTicker,
    eventTitle: event === null ? null : eventTitleOf(market, event),
    groupTitle: wire.yesSubTitle === '' ? null : wordsOf(wire.yesSubTitle),
    series: event === null ? null : seriesName(event),
    tags: [],
    description: plainParagraphs(
      `${wire.rulesPrimary}\n${wire.rulesSecondary}`,
      LISTING.rulesMaximumChars,
    ),
    resolutionSource: null,
    isOneOfEvent: false,
    imageUrl: event === null ? null : pictureOf(event.imageUrl),
    iconUrl: null,
    opensAtMs: msOf(wire.openTime),
    volume24hUsd: wire.volume24h,
    firstBuyCost: isInitialized ? null : FIRST_BUY_COST,
    prices: market.closed ? null : pricesOf(wire, nowMs),
    ending: winner === null ? null : { winner, payoutTicks: payoutsOf(winner), resolvedAtMs: null },
  };
}

/** Returns an event as people read it, with those of its markets that are listed. */
export function eventOf(wire: WireEvent, markets: readonly MarketListing[]): MarketEvent {
  const ends = markets.map(({ market }) => market.endsAtMs);
  const opens = markets.flatMap(({ opensAtMs }) => opensAtMs ?? []);
  return {
    eventId: wire.ticker,
    slug: wire.ticker,
    title: wordsOf(wire.title),
    description: plainText(wire.subtitle, LISTING.rulesMaximumChars),
    series: seriesName(wire),
    tags: [],
    imageUrl: pictureOf(wire.imageUrl),
    iconUrl: null,
    startsAtMs: opens.length === 0 ? null : Math.min(...opens),
    endsAtMs: ends.length === 0 ? msOf(wire.strikeDate) : Math.max(...ends),
    closed: markets.length > 0 && markets.every(({ market }) => market.closed),
    volumeUsd: wire.volume,
    volume24hUsd: wire.volume24h,
    // the venue states contracts bid for here, and open ones of a market: one sum for both
    liquidityUsd: markets.length === 0 ? wire.liquidity : liquidityOf(markets),
    markets,
  };
}

function seriesName({ seriesTicker }: EventHead): SeriesName | null {
  return seriesTicker === ''
    ? null
    : { seriesId: seriesTicker, slug: seriesTicker, title: seriesTicker };
}

/** Returns a series as people read it. */
export function seriesOf({ ticker, title, frequency }: WireSeries): MarketSeries {
  return { seriesId: ticker, slug: ticker, title: wordsOf(title), recurrence: wordsOf(frequency) };
}

/** True for text that can be the address of a token. */
export function isKey(text: string): boolean {
  return BASE58_KEY.test(text);
}

function winnerOf({ status, result }: WireMarket): 0 | 1 | null {
  if (!DETERMINED.has(status)) return null;
  if (result === 'yes') return 0;
  return result === 'no' ? 1 : null;
}

function payoutsOf(winner: 0 | 1): readonly [number, number] {
  return winner === 0 ? [TICKS_PER_USD, 0] : [0, TICKS_PER_USD];
}

/**
 * The listing relays the top of the book as it is asked for; it does not say when it was quoted.
 */
function pricesOf({ yesBid, yesAsk }: WireMarket, nowMs: number): StatedPrices | null {
  const bid = ticksOf(yesBid);
  const ask = ticksOf(yesAsk);
  if (bid === null && ask === null) return null;
  const isNarrow = bid !== null && ask !== null && ask - bid <= LISTING.spreadForMiddleMaximumTicks;
  return {
    bid,
    ask,
    last: null,
    probabilityE5: isNarrow ? ((bid + ask) * CERTAIN_E5) / TICKS_PER_USD / 2 : null,
    statedAtMs: nowMs,
  };
}

function ticksOf(text: string | null): PriceTicks | null {
  const ticks = text === null ? null : parseDecimal(text, 4);
  return ticks === null || ticks < 1 || ticks >= TICKS_PER_USD ? null : priceTicks(ticks);
}

function msOf(seconds: number | null): number | null {
  return seconds === null ? null : Math.min(seconds * 1_000, OPEN_END_MS);
}

function wordsOf(text: string): string {
  return plainText(text, MARKET_WORDS.wordsMaximumChars);
}

function pictureOf(text: string): string | null {
  if (!URL.canParse(text)) return null;
  const { protocol, href } = new URL(text);
  return protocol === 'https:' && href.length <= LISTING.urlMaximumChars ? href : null;
}
