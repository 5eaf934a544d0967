import { LISTING } from '../../../config/limits/listing.ts';
import { VENUE_C_TICK, VENUE_C_TRAITS } from '../../../config/limits/venue-c.ts';
import { MARKET_WORDS } from '../../../config/limits/market-text.ts';
import { asId, type TokenId } from '../../domain/ids.ts';
import { OPEN_END_MS, type Market, type Resolution } from '../../domain/market.ts';
import {
  CERTAIN_E5,
  type ListedEnding,
  type MarketListing,
  type MarketTag,
  type StatedPrices,
} from '../../domain/market-listing.ts';
import { plainParagraphs, plainText } from '../../domain/plain-text.ts';
import { TICKS_PER_USD, priceTicks, shareMicros, type PriceTicks } from '../../domain/units.ts';
import type { MarketEvent } from '../../ports/catalogue.ts';
import { liquidityOf } from '../liquidity.ts';
import { POOL, VENUE_C_ID } from './id.ts';
import { ownSchema, type OwnFields } from './own.ts';
import { textOfRules } from './rule-text.ts';
import type { WireGroup, WireMarket } from './schema.ts';

/** What prices are multiples of: 0.001 (venue_c.md section 4). */
const TICK: PriceTicks = priceTicks(VENUE_C_TICK);
/** Statuses of markets that have not ended (venue_c.md section 4). */
const OPEN: ReadonlySet<string> = new Set(['CREATED', 'FUNDED']);
/** What the venue states where a side of the book is empty. */
const NO_BID = priceTicks(VENUE_C_TICK);
const NO_ASK = priceTicks(TICKS_PER_USD - VENUE_C_TICK);

/** Contracts on the venue's chain that a market must be of. */
export interface KnownContracts {
  /** The dollar token that pays, by its address. */
  readonly usdc: string;
  /** Exchanges that orders may be signed for and shares allowed to. */
  readonly exchanges: readonly string[];
  /** Of groups: what shares alone may be allowed to. */
  readonly adapters: readonly string[];
  /** What pools may be clones of. */
  readonly poolMasters: readonly string[];
}

/** A market with what only this venue says of it. */
export interface ListedMarket {
  readonly market: Market;
  readonly own: OwnFields;
  readonly wire: WireMarket;
  /** The group that it is one of; null for a market of its own. */
  readonly group: WireGroup | null;
}

/** A market that is not listed, and why. */
export type Unlisted = 'other_collateral' | 'trade_type' | 'no_tokens';

/** Returns a market as it is traded; why not where it cannot be. */
export function parseMarket(
  wire: WireMarket,
  group: WireGroup | null,
  contracts: KnownContracts,
): ListedMarket | Unlisted {
  const { collateralToken, slug, status } = wire;
  if (!isSame(collateralToken.address, contracts.usdc)) return 'other_collateral';
  const own = ownFields(wire);
  if (own === null) return 'trade_type';
  const tokens = tokensOf(wire);
  if (tokens === null) return 'no_tokens';
  const refusal = refusalOf(own, contracts);
  return {
    own,
    wire,
    group,
    market: {
      venue: VENUE_C_ID,
      ...(own.tradeType === 'amm' ? { mechanism: POOL, separateBooks: true } : {}),
      marketId: asId(slug),
      listingId: String(wire.id),
      eventId: group?.slug ?? slug,
      slug,
      question: wordsOf(wire.title),
      ...(group === null ? {} : { eventTitle: wordsOf(group.title) }),
      outcomes: [
        { tokenId: tokens[0], label: labelOf(wire, 0) },
        { tokenId: tokens[1], label: labelOf(wire, 1) },
      ],
      own,
      tickSize: TICK,
      minSize: shareMicros(VENUE_C_TRAITS.shareStepMicros),
      fee: null,
      takerDelay: (wire.settings?.takerDelayMs ?? 0) > 0,
      acceptingOrders: refusal === null && status === 'FUNDED' && !wire.expired,
      ...(refusal === null ? {} : { notTradeable: refusal }),
      closed: !OPEN.has(status),
      window: null,
      endsAtMs: wire.expirationTimestamp ?? OPEN_END_MS,
      volumeUsd: wire.volume,
      liquidityUsd: wire.liquidity,
    },
  };
}

function ownFields({ tradeType, conditionId, address, venue, negRiskRequestId }: WireMarket) {
  const read = ownSchema.safeParse({
    tradeType,
    conditionId,
    ...(tradeType === 'amm'
      ? { address }
      : {
          exchange: venue?.exchange,
          adapter: venue?.adapter ?? null,
          negRiskRequestId: negRiskRequestId ?? null,
        }),
  });
  return read.success ? read.data : null;
}

function refusalOf(
  own: OwnFields,
  { exchanges, adapters, poolMasters }: KnownContracts,
): string | null {
  if (own.tradeType === 'amm')
    return poolMasters.length === 0
      ? 'No contract of pools is known here: they are shown alone.'
      : null;
  const { exchange, adapter } = own;
  if (!exchanges.some((known) => isSame(known, exchange)))
    return 'It settles by a contract that is not known here.';
  return adapter === null || adapters.some((known) => isSame(known, adapter))
    ? null
    : 'Its group has a contract that is not known here.';
}

const TOKEN = /^[1-9]\d{0,77}$/;

/** True for decimal text of at most 256 bits, as token ids are (venue_c.md section 4). */
export function isTokenId(text: string): boolean {
  return TOKEN.test(text);
}

function tokensOf({ tokens, positionIds }: WireMarket): readonly [TokenId, TokenId] | null {
  const yes = tokens?.yes ?? positionIds[0] ?? '';
  const no = tokens?.no ?? positionIds[1] ?? '';
  return isTokenId(yes) && isTokenId(no) && yes !== no ? [asId(yes), asId(no)] : null;
}

function labelOf({ outcomeTokens }: WireMarket, outcome: 0 | 1): string {
  const stated = outcomeTokens.length === 2 ? wordsOf(outcomeTokens[outcome] ?? '') : '';
  return stated === '' ? (outcome === 0 ? 'Yes' : 'No') : stated;
}

/**
 * What each outcome pays by the listing; null while it does not say, which may last a while after
 * the market is resolved (venue_c.md section 11).
 */
function endingOf({ wire }: ListedMarket): ListedEnding | null {
  const { status, winningOutcomeIndex: winner } = wire;
  if (status !== 'RESOLVED' || winner === null || winner === undefined) return null;
  return { winner, payoutTicks: payoutsTo(winner), resolvedAtMs: null };
}

/** Returns how a market ended by what it pays: voided where no outcome is paid whole. */
export function endingBy(payoutTicks: Resolution['payoutTicks']): ListedEnding {
  const winner = payoutTicks[0] === TICKS_PER_USD ? 0 : payoutTicks[1] === TICKS_PER_USD ? 1 : null;
  return { winner, payoutTicks, resolvedAtMs: null };
}

/** Returns how a market ended; null while the venue names no winner. */
export function resolutionOf(listed: ListedMarket, nowMs: number): Resolution | null {
  const ending = endingOf(listed);
  return ending === null
    ? null
    : {
        marketId: listed.market.marketId,
        payoutTicks: ending.payoutTicks,
        resolvedAtMs: nowMs,
      };
}

function payoutsTo(winner: 0 | 1): readonly [number, number] {
  return winner === 0 ? [TICKS_PER_USD, 0] : [0, TICKS_PER_USD];
}

/** Returns a market as people read it, at a moment. */
export function listingOf(listed: ListedMarket, nowMs: number): MarketListing {
  const { market, wire, group, own } = listed;
  return {
    market,
    eventSlug: group?.slug ?? null,
    eventTitle: group === null ? null : wordsOf(group.title),
    groupTitle: group === null ? null : market.question,
    series: null,
    tags: tagsOf(wire),
    description: plainParagraphs(textOfRules(wire.description), LISTING.rulesMaximumChars),
    resolutionSource: null,
    isOneOfEvent: group !== null || (own.tradeType === 'clob' && own.adapter !== null),
    imageUrl: pictureOf(wire.imageUrl) ?? (group === null ? null : pictureOf(group.imageUrl)),
    iconUrl: pictureOf(wire.logo),
    opensAtMs: wire.startAt ?? wire.createdAt,
    volume24hUsd: null,
    firstBuyCost: null,
    prices: market.closed ? null : pricesOf(listed, nowMs),
    ending: endingOf(listed),
  };
}

/** Returns an event: a group with those of its markets that are listed, or one market. */
export function eventOf(
  group: WireGroup | null,
  markets: readonly [MarketListing, ...MarketListing[]],
): MarketEvent {
  const [first] = markets;
  const ends = markets.map(({ market }) => market.endsAtMs);
  const opens = markets.flatMap(({ opensAtMs }) => opensAtMs ?? []);
  const sum = (figureOf: (market: Market) => number): number =>
    markets.reduce((total, { market }) => total + figureOf(market), 0);
  return {
    eventId: first.market.eventId,
    slug: first.market.eventId,
    title: group === null ? first.market.question : wordsOf(group.title),
    description:
      group === null
        ? first.description
        : plainParagraphs(textOfRules(group.description), LISTING.rulesMaximumChars),
    series: null,
    tags: first.tags,
    imageUrl: group === null ? first.imageUrl : pictureOf(group.imageUrl),
    iconUrl: group === null ? first.iconUrl : pictureOf(group.logo),
    startsAtMs: opens.length === 0 ? null : Math.min(...opens),
    endsAtMs: Math.max(...ends),
    closed: markets.every(({ market }) => market.closed),
    volumeUsd: sum(({ volumeUsd }) => volumeUsd),
    volume24hUsd: null,
    liquidityUsd: liquidityOf(markets),
    markets,
  };
}

/** Returns the short name of a category or a tag. */
function slugOf(label: string): string {
  return label
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '');
}

function tagsOf({ categories, tags }: WireMarket): readonly MarketTag[] {
  const labels = new Map(
    [...categories, ...tags].map((text) => [slugOf(text), wordsOf(text)] as const),
  );
  return [...labels]
    .filter(([slug]) => slug !== '')
    .slice(0, LISTING.tagsMaximum)
    .map(([slug, label]) => ({ slug, label }));
}

/** The listing states them as of the answer; a pool has a price and no quotes. */
function pricesOf({ wire, own }: ListedMarket, nowMs: number): StatedPrices | null {
  const { prices, tradePrices } = wire;
  const isBook = own.tradeType === 'clob';
  const bid = isBook ? ticksOf(tradePrices?.sell.market?.[0]) : null;
  const ask = isBook ? ticksOf(tradePrices?.buy.market?.[0]) : null;
  const probabilityE5 = chanceE5(prices);
  if (bid === null && ask === null && probabilityE5 === null) return null;
  return {
    bid: bid === NO_BID ? null : bid,
    ask: ask === NO_ASK ? null : ask,
    last: null,
    probabilityE5,
    statedAtMs: nowMs,
  };
}

function ticksOf(price: number | undefined): PriceTicks | null {
  const ticks = Math.round((price ?? 0) * TICKS_PER_USD);
  return ticks >= 1 && ticks < TICKS_PER_USD ? priceTicks(ticks) : null;
}

/** Older pools state 0 to 100 (venue_c.md section 4). */
function chanceE5(prices: WireMarket['prices']): number | null {
  if (prices === null || prices === undefined) return null;
  const [yes] = prices;
  const whole = Math.max(...prices) > 1 ? 100 : 1;
  return yes >= 0 && yes <= whole ? Math.round((yes / whole) * CERTAIN_E5) : null;
}

function wordsOf(text: string): string {
  return plainText(text, MARKET_WORDS.wordsMaximumChars);
}

function pictureOf(text: string): string | null {
  if (!URL.canParse(text)) return null;
  const { protocol, href } = new URL(text);
  return protocol === 'https:' && href.length <= LISTING.urlMaximumChars ? href : null;
}

/** Addresses are compared however they are written. */
function isSame(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase();
}
