import { TICKS_PER_USD } from '../../../../domain/units.ts';
import { hashedNormal, hashedUniform, streamOf } from '../../../hashed-chance.ts';
import { BOOK_FIGURES } from './book-figures.ts';
import type { Listing } from './listing.ts';
import { priceAtMost, stepAbove, stepBelow } from './price-grid.ts';

/** Contracts by price in ticks of 0.0001, bids of one outcome, best first. */
export type Bids = ReadonlyMap<number, number>;

/** A book as this venue has it: bids for either outcome, and no asks. */
export interface Ladder {
  readonly yes: Bids;
  readonly no: Bids;
}

/** Best prices; null without bids. */
export interface Top {
  readonly yes: number | null;
  readonly no: number | null;
}

/** When and with what fair chance of Yes makers judge a market. */
export interface LadderView {
  readonly seed: number;
  readonly listing: Listing;
  /** 0 to 1. */
  readonly chance: number;
  readonly nowMs: number;
}

const CENT = 100;
/** A spread lasts so many lives of a size. */
const SPREAD_LIVES = 0.5;
/** The widest spread, cents; a book that wide is as good as none. */
const WIDEST_CENTS = 12;
/**
 * A market's books lack a side in one of so many hours of the slow kind; a null ask cannot be
 * bought.
 */
const EMPTY_SHARE = 0.06;
const EMPTY_LIFE_MS = 3_600_000;
const SURE = 0.12;

/**
 * Returns the best bids of a moment. There is no bid for what cannot be worth a step, so that one
 * side ends before a market does.
 */
export function topAt(view: LadderView): Top {
  const { listing, chance } = view;
  const { structure } = listing;
  const stream = streamOf(listing.ticker);
  const fair = chance * TICKS_PER_USD;
  const spread = spreadTicks(view, stream);
  const bid = priceAtMost(structure, Math.round(fair - spread / 2));
  let ask = priceAtMost(structure, bid + Math.max(spread, stepAbove(structure, bid)));
  if (ask <= bid) ask = bid + stepAbove(structure, bid);
  const empty = emptySide(view, stream);
  return {
    yes: bid <= 0 || empty === 'yes' ? null : bid,
    no: ask >= TICKS_PER_USD || empty === 'no' ? null : TICKS_PER_USD - ask,
  };
}

/** Returns the ladder of a moment: spread, presence and size of levels as in the recorded books. */
export function ladderAt(view: LadderView): Ladder {
  const top = topAt(view);
  const stream = streamOf(view.listing.ticker);
  return {
    yes: side(view, stream, top.yes),
    no: side(view, stream + 1, top.no),
  };
}

function side(view: LadderView, stream: number, best: number | null): Bids {
  const levels = new Map<number, number>();
  if (best === null) return levels;
  const { structure } = view.listing;
  let price = best;
  for (let behind = 0; price > 0 && levels.size < BOOK_FIGURES.levels; behind += 1) {
    const size = sizeAt(view, stream, { price, behind });
    if (size > 0) levels.set(price, size);
    price = priceAtMost(structure, price - stepBelow(structure, price));
  }
  return levels;
}

function sizeAt(
  { seed, listing, nowMs }: LadderView,
  stream: number,
  { price, behind }: { readonly price: number; readonly behind: number },
): number {
  const { presence, medianSize, floorSize, logSizeDeviation } = BOOK_FIGURES;
  const floor = price % CENT === 0 ? floorSize[price / CENT - 1] : undefined;
  const life = Math.floor(nowMs / listing.sizeLifeMs + hashedUniform(seed, stream, price));
  const place = life * 16_384 + price;
  const last = presence.length - 1;
  const likely = floor === undefined ? (presence[Math.min(behind, last)] ?? 0) : 1;
  if (hashedUniform(seed, stream + 2, place) > likely) return 0;
  const usual = floor ?? medianSize[Math.min(behind, last)] ?? 0;
  const drawn = Math.exp(logSizeDeviation * hashedNormal(seed, stream + 3, place));
  return Math.max(1, Math.round(usual * listing.depth * drawn));
}

function spreadTicks({ seed, listing, chance, nowMs }: LadderView, stream: number): number {
  const drawn = hashedUniform(
    seed,
    stream + 4,
    Math.floor(nowMs / (listing.sizeLifeMs * SPREAD_LIVES)),
  );
  let below = 0;
  let cents = WIDEST_CENTS;
  for (const [index, share] of BOOK_FIGURES.spreadShares.entries()) {
    below += share;
    if (drawn >= below) continue;
    cents = index + 1;
    break;
  }
  // Near a sure end makers quote close: there is little left to be wrong about.
  const room = Math.max(1, Math.round(cents * Math.min(1, 8 * chance * (1 - chance))));
  return room * CENT;
}

/** Where an end is in sight, makers bid for what will win. */
function emptySide(
  { seed, listing, chance, nowMs }: LadderView,
  stream: number,
): 'yes' | 'no' | null {
  const { structure, sizeLifeMs } = listing;
  if (structure !== 'linear_cent' || sizeLifeMs < 60_000) return null;
  if (chance < SURE || chance > 1 - SURE) return null;
  const drawn = hashedUniform(seed, stream + 5, Math.floor(nowMs / EMPTY_LIFE_MS));
  if (drawn >= EMPTY_SHARE) return null;
  return drawn < EMPTY_SHARE / 2 ? 'yes' : 'no';
}
