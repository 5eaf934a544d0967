import { TICKS_PER_USD } from '../../../../domain/units.ts';
import { hashedUniform, streamOf } from '../../../hashed-chance.ts';
import type { Top } from './ladder.ts';
import type { Listing, OutcomeSide } from './listing.ts';

/** A trade as the venue tells of it. */
export interface TapeTrade {
  readonly tradeId: string;
  readonly ticker: string;
  /** Price of Yes, ticks of 0.0001. */
  readonly yesTicks: number;
  readonly count: number;
  readonly takerSide: OutcomeSide;
  readonly atMs: number;
}

/** What others trade: one trade at most in a slot, at the best price of its moment. */
export interface TapeView {
  readonly seed: number;
  readonly listing: Listing;
  topAt(atMs: number): Top | null;
}

/**
 * Returns the trades of others in [fromMs, toMs), oldest first; only what lies in the market's
 * life.
 */
export function tradesBetween(view: TapeView, fromMs: number, toMs: number): readonly TapeTrade[] {
  const { openMs, closeMs, tapeSlotMs } = view.listing;
  const [from, to] = [Math.max(fromMs, openMs), Math.min(toMs, closeMs)];
  const trades: TapeTrade[] = [];
  for (
    let slot = Math.floor((from - openMs) / tapeSlotMs);
    openMs + slot * tapeSlotMs < to;
    slot += 1
  ) {
    const trade = tradeIn(view, slot);
    if (trade !== null && trade.atMs >= from && trade.atMs < to) trades.push(trade);
  }
  return trades;
}

/**
 * Returns the contracts that others have traded by a moment: the sum of `tradesBetween` as far as
 * books had two sides.
 */
export function volumeBy(seed: number, listing: Listing, atMs: number): number {
  const until = Math.min(atMs, listing.closeMs);
  if (until <= listing.openMs) return 0;
  return countedBy(seed, listing, Math.floor((until - listing.openMs) / listing.tapeSlotMs));
}

function tradeIn({ seed, listing, topAt }: TapeView, slot: number): TapeTrade | null {
  const { ticker, openMs, tapeSlotMs } = listing;
  const count = countedBy(seed, listing, slot + 1) - countedBy(seed, listing, slot);
  if (count <= 0) return null;
  const stream = streamOf(ticker);
  const atMs = openMs + Math.floor((slot + hashedUniform(seed, stream + 6, slot)) * tapeSlotMs);
  const top = topAt(atMs);
  const takerSide: OutcomeSide = hashedUniform(seed, stream + 7, slot) < 0.5 ? 'yes' : 'no';
  const against = takerSide === 'yes' ? top?.no : top?.yes;
  if (against === null || against === undefined) return null;
  return {
    tradeId: tradeIdOf(stream, slot),
    ticker,
    yesTicks: takerSide === 'yes' ? TICKS_PER_USD - against : against,
    count,
    takerSide,
    atMs,
  };
}

/**
 * Contracts traded before a slot begins; jittered, so that counts of slots differ and some are
 * empty.
 */
function countedBy(
  seed: number,
  { ticker, contractsPerHour, tapeSlotMs }: Listing,
  slot: number,
): number {
  if (slot <= 0) return 0;
  const perSlot = (contractsPerHour * tapeSlotMs) / 3_600_000;
  return Math.floor(perSlot * (slot - 1 + hashedUniform(seed, streamOf(ticker) + 8, slot)));
}

/** A name in the form of a UUID, of the market and the slot. */
function tradeIdOf(stream: number, slot: number): string {
  const hex = (value: number, digits: number): string =>
    (value >>> 0).toString(16).padStart(digits, '0').slice(-digits);
  return `${hex(stream, 8)}-${hex(slot >>> 16, 4)}-4${hex(slot, 3)}-8${hex(stream >>> 8, 3)}-${hex(Math.imul(stream, 31), 8)}${hex(slot, 4)}`;
}
