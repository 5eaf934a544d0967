import { CONTRACT_VENUE } from '../../../../../config/limits/sandbox.ts';
import { TICKS_PER_USD } from '../../../../domain/units.ts';
import type { Clock } from '../../../../ports/clock.ts';
import { everyTick, pacedStep } from '../../../ticks.ts';
import type { FillPlan } from './fill-plan.ts';
import { ladderAt, topAt, type Bids, type Ladder, type Top } from './ladder.ts';
import type { Listing, OutcomeSide } from './listing.ts';

/** A book of a moment. */
export interface Book extends Ladder {
  /** Rises with every change, and with time. */
  readonly sequence: number;
}

/** Bids that stand until they are taken or set anew: contracts by price in ticks. */
export interface BookScript {
  readonly yes: Readonly<Record<number, number>>;
  readonly no: Readonly<Record<number, number>>;
}

/** The books of all markets. */
export interface Books {
  /** Null while the market does not trade, or its worth is unknown. */
  book(listing: Listing): Book | null;
  topAt(listing: Listing, atMs: number): Top | null;
  take(fill: {
    readonly listing: Listing;
    readonly side: OutcomeSide;
    readonly action: 'buy' | 'sell';
    readonly plan: FillPlan;
  }): void;
  script(listing: Listing, book: BookScript | null): void;
  /** Sends its watchers the book of a market now, if its book has changed. */
  publish(ticker: string): void;
  /** Tells of each change from now on, a missing book included, until it is stopped. */
  watch(ticker: string, listener: (book: Book | null) => void): () => void;
  stop(): void;
}

interface Take {
  readonly side: OutcomeSide;
  readonly price: number;
  readonly count: number;
  readonly untilMs: number;
}

interface Watched {
  shown: string;
  readonly listeners: Set<(book: Book | null) => void>;
}

/** A book's number counts quarters of a second since its market opened. */
const SEQUENCE_MS = 250;

export function createBooks({
  seed,
  clock,
  chanceAt,
  isTrading,
  find,
}: {
  readonly seed: number;
  readonly clock: Clock;
  readonly chanceAt: (listing: Listing, atMs: number) => number | null;
  readonly isTrading: (listing: Listing) => boolean;
  readonly find: (ticker: string) => Listing | null;
}): Books {
  const takes = new Map<string, readonly Take[]>();
  const takeCounts = new Map<string, number>();
  const scripts = new Map<string, { yes: Map<number, number>; no: Map<number, number> }>();
  const quoted = new Map<string, { readonly step: number; readonly ladder: Ladder | null }>();
  const watched = new Map<string, Watched>();

  const quotedLadder = (listing: Listing): Ladder | null => {
    const step = Math.floor(clock.nowMs() / listing.stepMs);
    const known = quoted.get(listing.ticker);
    if (known?.step === step) return known.ladder;
    const atMs = Math.max(listing.openMs, step * listing.stepMs);
    const chance = chanceAt(listing, atMs);
    const ladder = chance === null ? null : ladderAt({ seed, listing, chance, nowMs: atMs });
    quoted.set(listing.ticker, { step, ladder });
    if (quoted.size > QUOTED_MAXIMUM) quoted.delete([...quoted.keys()][0] ?? '');
    return ladder;
  };
  const book = (listing: Listing): Book | null => {
    if (!isTrading(listing)) return null;
    const script = scripts.get(listing.ticker);
    const ladder = script ?? quotedLadder(listing);
    if (ladder === null) return null;
    const nowMs = clock.nowMs();
    const alive = (takes.get(listing.ticker) ?? []).filter(({ untilMs }) => untilMs > nowMs);
    const left = (side: OutcomeSide): Bids =>
      script === undefined && alive.length > 0 ? without(ladder[side], side, alive) : ladder[side];
    return {
      yes: left('yes'),
      no: left('no'),
      sequence:
        Math.max(0, Math.floor((nowMs - listing.openMs) / SEQUENCE_MS)) +
        1 +
        (takeCounts.get(listing.ticker) ?? 0),
    };
  };
  const publish = (ticker: string): void => {
    const watch = watched.get(ticker);
    if (watch === undefined) return;
    const listing = find(ticker);
    const now = listing === null ? null : book(listing);
    const shown = textOf(now);
    if (shown === watch.shown) return;
    watch.shown = shown;
    for (const listener of watch.listeners) listener(now);
  };
  const ticks = everyTick(
    clock,
    { stepMs: pacedStep(clock, CONTRACT_VENUE.bookCheckMs), delayMs: 0 },
    () => {
      for (const ticker of watched.keys()) publish(ticker);
    },
  );
  ticks.rest();
  return {
    book,
    topAt(listing, atMs) {
      const chance = chanceAt(listing, atMs);
      return chance === null ? null : topAt({ seed, listing, chance, nowMs: atMs });
    },
    take({ listing, side, action, plan }) {
      const bidSide: OutcomeSide = action === 'sell' ? side : side === 'yes' ? 'no' : 'yes';
      const nowMs = clock.nowMs();
      const script = scripts.get(listing.ticker);
      if (script !== undefined) lower(script[bidSide], plan.taken);
      else
        takes.set(listing.ticker, [
          ...(takes.get(listing.ticker) ?? []).filter(({ untilMs }) => untilMs > nowMs),
          ...[...plan.taken].map(([price, count]) => ({
            side: bidSide,
            price,
            count,
            untilMs: nowMs + listing.sizeLifeMs,
          })),
        ]);
      takeCounts.set(listing.ticker, (takeCounts.get(listing.ticker) ?? 0) + 1);
      publish(listing.ticker);
    },
    script(listing, given) {
      if (given === null) scripts.delete(listing.ticker);
      else scripts.set(listing.ticker, { yes: sorted(given.yes), no: sorted(given.no) });
      takeCounts.set(listing.ticker, (takeCounts.get(listing.ticker) ?? 0) + 1);
    },
    publish,
    watch(ticker, listener) {
      const listing = find(ticker);
      const watch = watched.get(ticker) ?? {
        shown: textOf(listing === null ? null : book(listing)),
        listeners: new Set(),
      };
      watch.listeners.add(listener);
      watched.set(ticker, watch);
      ticks.wake();
      return () => {
        watch.listeners.delete(listener);
        if (watch.listeners.size === 0) watched.delete(ticker);
        if (watched.size === 0) ticks.rest();
      };
    },
    stop: () => ticks.cancel(),
  };
}

/** Ladders remembered for their step: those of all listed markets. */
const QUOTED_MAXIMUM = 2_000;

function without(bids: Bids, side: OutcomeSide, takes: readonly Take[]): Bids {
  const left = new Map(bids);
  for (const take of takes) {
    const size = take.side === side ? left.get(take.price) : undefined;
    if (size === undefined) continue;
    if (size > take.count) left.set(take.price, size - take.count);
    else left.delete(take.price);
  }
  return left;
}

function lower(bids: Map<number, number>, taken: Bids): void {
  for (const [price, count] of taken) {
    const size = (bids.get(price) ?? 0) - count;
    if (size > 0) bids.set(price, size);
    else bids.delete(price);
  }
}

/** Bids of a script, best first. Throws a RangeError for what is no price or no size. */
function sorted(levels: Readonly<Record<number, number>>): Map<number, number> {
  const bids = Object.entries(levels).map(([price, size]) => [Number(price), size] as const);
  for (const [price, size] of bids)
    if (!Number.isInteger(price) || price <= 0 || price >= TICKS_PER_USD || !(size > 0))
      throw new RangeError(`not a bid: ${size} at ${price} ticks`);
  return new Map(bids.sort(([one], [other]) => other - one));
}

function textOf(book: Book | null): string {
  return book === null ? '' : JSON.stringify([[...book.yes], [...book.no]]);
}
