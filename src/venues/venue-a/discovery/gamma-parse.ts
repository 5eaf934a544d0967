import { MARKET_WORDS } from '../../../../config/limits/market-text.ts';
import { AppError } from '../../../domain/errors.ts';
import { asId, type Asset } from '../../../domain/ids.ts';
import {
  OPEN_END_MS,
  type FeeSchedule,
  type Market,
  type Resolution,
  type RoundWindow,
} from '../../../domain/market.ts';
import { plainText } from '../../../domain/plain-text.ts';
import {
  MICROS_PER_UNIT,
  TICKS_PER_USD,
  assetPriceE8,
  parseDecimal,
  priceTicks,
  shareMicros,
  type PriceTicks,
} from '../../../domain/units.ts';
import { microsOfNumber, scaledNumber } from '../decimals.ts';
import type { ClobMarket, CompactMarket, GammaEvent, GammaMarket } from './gamma-schema.ts';
import { VENUE_A_ID } from '../id.ts';
import { ownOf } from '../own.ts';

const ROUND_SLUG = /^(btc|eth|sol)-updown-(5|15)m-(\d{9,11})$/;
/** An ERC-1155 position id (venue_a.md section 0). */
const TOKEN_ID = /^\d{1,78}$/;
const ASSETS: Readonly<Record<string, Asset>> = { btc: 'BTC', eth: 'ETH', sol: 'SOL' };

/** Slug of a recurring window's event and market (venue_a.md section 11). */
export function roundSlug(asset: Asset, minutes: 5 | 15, startsAtMs: number): string {
  return `${asset.toLowerCase()}-updown-${minutes}m-${Math.floor(startsAtMs / 1_000)}`;
}

/**
 * A market from its listing; null while it is not hydrated (no tokens, tick or size yet) or not
 * binary. Prices of the listing are left where they are: they may be minutes old. Errors:
 * `venue_protocol` for figures without meaning.
 */
export function parseMarket(wire: GammaMarket, event: GammaEvent | null): Market | null {
  const [up, down, ...further] = outcomeIds(wire);
  const [first, second] = wire.outcomes;
  const tick = wire.orderPriceMinTickSize ?? null;
  const minSize = wire.orderMinSize ?? null;
  if (
    up === undefined ||
    down === undefined ||
    further.length > 0 ||
    first === undefined ||
    second === undefined ||
    tick === null ||
    minSize === null
  )
    return null;
  const head = event ?? wire.events?.[0] ?? null;
  const window = parseWindow(wire, head?.eventMetadata ?? null);
  assertSides(wire, [up, down], [first, second]);
  const refusal = versionRefusal(wire);
  const endDateMs =
    wire.endDate === null || wire.endDate === undefined ? OPEN_END_MS : parseTime(wire.endDate);
  return {
    venue: VENUE_A_ID,
    marketId: asId(wire.conditionId),
    listingId: wire.id,
    eventId: head?.id ?? '',
    slug: wordsOf(wire.slug),
    question: wordsOf(wire.question),
    outcomes: [
      { tokenId: asId(up), label: wordsOf(first) },
      { tokenId: asId(down), label: wordsOf(second) },
    ],
    own: { negRisk: wire.negRisk ?? false },
    tickSize: tickOf(tick),
    minSize: shareMicros(microsOf(minSize, 'minimum size')),
    fee:
      wire.feesEnabled === false || !wire.feeSchedule
        ? null
        : feeOf(wire.feeSchedule.rate, wire.feeSchedule.exponent, wire.feeSchedule.takerOnly),
    // The listing does not say it; the recurring crypto windows have it (venue_a.md section 6.3).
    // The compact market decides.
    takerDelay: window !== null,
    ...(refusal === null ? {} : { notTradeable: refusal }),
    acceptingOrders:
      refusal === null &&
      wire.active === true &&
      wire.closed !== true &&
      wire.acceptingOrders === true &&
      wire.enableOrderBook === true,
    closed: wire.closed ?? false,
    window,
    endsAtMs: window?.endsAtMs ?? endDateMs,
    volumeUsd: wire.volumeNum ?? 0,
    liquidityUsd: wire.liquidityNum ?? null,
  };
}

/** The version of the venue's exchange that orders are signed for. */
const SIGNED_VERSION = 'v1';

/**
 * Returns why a market is not traded, as a sentence; null for one of the exchange that orders are
 * signed for. A listing without a version is refused too: the venue documents it so (venue_a.md
 * section 5.1a, of 2026-11), and no recording contradicts it. Of the 1,615 recorded listings none
 * states a version, but all are of July 2026 or before, when there was one exchange only; taking
 * their silence for "v1" today could sign for the wrong exchange.
 */
function versionRefusal({ version }: Pick<GammaMarket, 'version'>): string | null {
  if (version === SIGNED_VERSION) return null;
  const which =
    typeof version === 'string' || typeof version === 'number'
      ? `trades on version "${plainText(String(version), VERSION_CHARS)}" of the venue's exchange`
      : "does not say which version of the venue's exchange it trades on";
  return `The market ${which}; orders are signed for "${SIGNED_VERSION}" only.`;
}

/** More of a version says nothing. */
const VERSION_CHARS = 20;

/** Ids of the outcomes: those of a "v2" market are its positions (venue_a.md section 5.1a). */
function outcomeIds({ version, positionIds, clobTokenIds }: GammaMarket): readonly string[] {
  return version === 'v2' && positionIds ? positionIds : clobTokenIds;
}

/** Puts the order book's own word on tick, size, fees and delay over the listing's. */
export function withCompact(market: Market, compact: CompactMarket): Market {
  return {
    ...market,
    own: { negRisk: compact.nr ?? ownOf(market).negRisk },
    tickSize: tickOf(compact.mts),
    minSize: shareMicros(microsOf(compact.mos, 'minimum size')),
    fee: compact.fd === undefined ? null : feeOf(compact.fd.r, compact.fd.e, compact.fd.to),
    takerDelay: compact.itode === true,
    acceptingOrders: market.acceptingOrders && compact.ao !== false,
  };
}

/**
 * How a market ended, from the listing and from the order book's winner flags, two independent
 * words; null while neither says so. Even payouts count only when the venue calls the market
 * resolved: an open book at 0.5 looks the same. Errors: `venue_protocol` when the two contradict
 * each other.
 */
export function parseResolution(
  wire: GammaMarket,
  clob: ClobMarket | null,
  nowMs: number,
): Resolution | null {
  const listed = listedPayout(wire, clob);
  const flagged = clob === null ? null : flaggedPayout(wire, clob);
  if (listed !== null && flagged !== null && listed[0] !== flagged[0]) {
    throw new AppError(
      'venue_protocol',
      `market ${wire.conditionId}: the listing pays ${listed.join('/')}, the book says ${flagged.join('/')}`,
    );
  }
  const payoutTicks = flagged ?? listed;
  if (payoutTicks === null) return null;
  return {
    marketId: asId(wire.conditionId),
    payoutTicks,
    resolvedAtMs: wire.closedTime ? parseTime(wire.closedTime) : nowMs,
  };
}

/**
 * Payouts as the listing states them, in ticks; null while it does not say that the market is
 * resolved.
 */
export function listedPayout(
  wire: GammaMarket,
  clob: ClobMarket | null,
): readonly [number, number] | null {
  const [first, second] = wire.outcomePrices.map((text) => parseDecimal(text, 4));
  if (
    wire.closed !== true ||
    first === undefined ||
    second === undefined ||
    first === null ||
    second === null ||
    first + second !== TICKS_PER_USD
  )
    return null;
  if (first === 0 || second === 0) return [first, second];
  const isResolved =
    wire.automaticallyResolved === true ||
    clob?.is_50_50_outcome === true ||
    ['resolved', 'settled'].includes(wire.umaResolutionStatus ?? '');
  return first === second && isResolved ? [first, second] : null;
}

function flaggedPayout(wire: GammaMarket, clob: ClobMarket): readonly [number, number] | null {
  const winners = clob.tokens
    .filter(({ winner }) => winner === true)
    .map(({ token_id: tokenId }) => tokenId);
  const [winner] = winners;
  if (!clob.closed || winner === undefined || winners.length > 1) return null;
  const index = wire.clobTokenIds.indexOf(winner);
  if (index < 0)
    throw new AppError(
      'venue_protocol',
      `market ${wire.conditionId}: the winner is a token of another market`,
    );
  return index === 0 ? [TICKS_PER_USD, 0] : [0, TICKS_PER_USD];
}

/**
 * Index 0 is what is bought by "yes" or "up": a pair the other way round, or one token twice, would
 * be traded on the wrong side. Errors: `venue_protocol`.
 */
function assertSides(
  wire: GammaMarket,
  [up, down]: readonly [string, string],
  labels: readonly [string, string],
): void {
  const pair = labels.map((label) => label.trim().toLowerCase()).join('/');
  if (pair === 'no/yes' || pair === 'down/up' || (ROUND_SLUG.test(wire.slug) && pair !== 'up/down'))
    throw new AppError(
      'venue_protocol',
      `market ${wire.conditionId}: outcomes in an unknown order`,
    );
  if (!TOKEN_ID.test(up) || !TOKEN_ID.test(down) || BigInt(up) === BigInt(down))
    throw new AppError('venue_protocol', `market ${wire.conditionId}: not two tokens`);
}

function parseWindow(wire: GammaMarket, priceToBeat: number | null): RoundWindow | null {
  const [, asset, minutes, start] = ROUND_SLUG.exec(wire.slug) ?? [];
  const known = asset === undefined ? undefined : ASSETS[asset];
  if (known === undefined || start === undefined) return null;
  const startsAtMs = Number(start) * 1_000;
  const strike = priceToBeat === null || priceToBeat <= 0 ? null : scaledNumber(priceToBeat, 8);
  return {
    asset: known,
    minutes: minutes === '5' ? 5 : 15,
    startsAtMs,
    endsAtMs: startsAtMs + (minutes === '5' ? 300_000 : 900_000),
    strike: strike === null ? null : assetPriceE8(strike),
    twap:
      wire.cryptoMarketConfig?.twapEnabled === true ||
      (wire.resolutionSource ?? '').includes('twap'),
  };
}

/**
 * Epoch ms of ISO text of mixed precision, also with a blank and a bare hour as zone (venue_a.md
 * section 10.1). Errors: `venue_protocol`.
 */
export function parseTime(text: string): number {
  const ms = Date.parse(text.replace(' ', 'T').replace(/([+-]\d\d)$/, '$1:00'));
  if (!Number.isFinite(ms))
    throw new AppError('venue_protocol', `not a time: ${text.slice(0, 40)}`);
  return ms;
}

/**
 * Third parties' words as they are kept: cut, and without halves of characters, which no store and
 * no wire gives back as they were.
 */
export function wordsOf(text: string): string {
  return text.slice(0, MARKET_WORDS.wordsMaximumChars).replace(/\p{Cs}/gu, '\ufffd');
}

function tickOf(value: number): PriceTicks {
  const ticks = scaledNumber(value, 4);
  if (ticks === null || ticks < 1 || ticks >= TICKS_PER_USD || TICKS_PER_USD % ticks !== 0)
    throw new AppError('venue_protocol', `not a tick size: ${value}`);
  return priceTicks(ticks);
}

function microsOf(value: number, what: string): number {
  const micros = microsOfNumber(value);
  if (micros === null) throw new AppError('venue_protocol', `not a ${what}: ${value}`);
  return micros;
}

function feeOf(rate: number, exponent: number, takerOnly: boolean): FeeSchedule {
  const rateMicros = microsOf(rate, 'fee rate');
  if (rateMicros > MICROS_PER_UNIT) throw new AppError('venue_protocol', `not a fee rate: ${rate}`);
  // Below one the fee of a dollar has no bound over all prices, so that nothing could be set aside
  // for it; where there is no rate it says nothing.
  if (!Number.isInteger(exponent) || exponent < (rateMicros === 0 ? 0 : 1) || exponent > 4)
    throw new AppError('venue_protocol', `not a fee exponent: ${exponent}`);
  return { rateMicros, exponent, takerOnly };
}
