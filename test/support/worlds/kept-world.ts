import type { BookView } from '../../../src/domain/book.ts';
import type { VenueTraits } from '../../../src/domain/venue.ts';
import { costMicros, shareMicros } from '../../../src/domain/units.ts';
import type { OrderRules } from '../../../src/ports/order-rules.ts';
import type { Clock } from '../../../src/ports/clock.ts';
import type { OrderSigner } from '../../../src/ports/order-signer.ts';
import { createVenues, type TradedVenue } from '../../../src/services/venues.ts';
import { aBook, aLevel } from '../builders.ts';
import { VENUE_A_TERMS } from '../venue-a-terms.ts';
import { aWorld, type World } from './trading-world.ts';

const SHARE = 1_000_000;

/** Whole shares, as at a venue of contracts. */
const rest: OrderRules['rest'] = ({ side, price, spendMicros, receiveMicros }, { shares }) => {
  const asked = side === 'buy' ? receiveMicros : spendMicros;
  const left = Math.floor((asked - shares) / SHARE) * SHARE;
  if (left === 0) return null;
  const usdc = costMicros(shareMicros(left), price, side === 'buy' ? 'ceil' : 'floor');
  return side === 'buy'
    ? { spendMicros: usdc, receiveMicros: left }
    : { spendMicros: left, receiveMicros: usdc };
};

/** Terms of a venue that keeps no limit orders. */
export const KEPT_TERMS = {
  rules: { ...VENUE_A_TERMS.rules, rest },
  traits: { ...VENUE_A_TERMS.traits, restsAt: 'service', attemptsMaximum: 8 },
} as const;

type Level = readonly [number, number];

/** A world whose venue keeps no limit orders: they rest with the service. */
export interface KeptWorld extends World {
  /**
   * Puts an offer of the first token, and a bid for it, in the venue and in its book: price in
   * ticks and whole shares; null for no offer.
   */
  offer(ask: Level | null, bid?: Level): void;
  /** What is said of the first token's book beside its levels. */
  readonly book: { distrust: BookView['distrust']; ageMs: number };
  /** Markets whose books are followed now. */
  readonly followed: string[];
  /** Orders an attempt was prepared for, each time. */
  readonly prepared: string[];
  /** Why no attempt can be prepared. */
  readonly unready: { error: Error | null };
}

/**
 * Makes such a world; nothing is offered, to prepare an attempt takes as long as stated, and its
 * venue has the traits given.
 */
export function aKeptWorld(prepareMs = 0, traits: Partial<VenueTraits> = {}): KeptWorld {
  const world = aWorld();
  const { market, venue, clock } = world;
  const shown: { ask: Level | null; bid: Level } = { ask: null, bid: [3_000, 1_000] };
  const book: KeptWorld['book'] = { distrust: null, ageMs: 0 };
  const followed: string[] = [];
  const prepared: string[] = [];
  const unready: KeptWorld['unready'] = { error: null };
  const offer: KeptWorld['offer'] = (ask, bid = [3_000, 1_000]) => {
    Object.assign(shown, { ask, bid });
    venue.quote(market.outcomes[0].tokenId, { bid, ask });
  };
  offer(null);
  return {
    ...world,
    offer,
    book,
    followed,
    prepared,
    unready,
    live: (store, options) =>
      world.live(store, { venues: (venues) => createVenues(venues.map(keeping)), ...options }),
  };

  function keeping(first: TradedVenue): TradedVenue {
    return {
      ...first,
      ...KEPT_TERMS,
      traits: { ...KEPT_TERMS.traits, ...traits },
      signer: noting(prepareMs === 0 ? first.signer : slow(first.signer, clock, prepareMs)),
      books: (tokenId) =>
        tokenId === market.outcomes[0].tokenId
          ? aBook(market, 0, {
              bids: [aLevel(...shown.bid)],
              asks: shown.ask === null ? [] : [aLevel(...shown.ask)],
              receivedAtMs: clock.nowMs() - book.ageMs,
              distrust: book.distrust,
            })
          : null,
      followBook({ marketId }) {
        followed.push(marketId);
        return () => void followed.splice(followed.indexOf(marketId), 1);
      },
    };
  }

  function noting(signer: OrderSigner): OrderSigner {
    return {
      ...signer,
      prepare(draft) {
        prepared.push(draft.intent.intentId);
        if (unready.error !== null) throw unready.error;
        return signer.prepare?.(draft) ?? null;
      },
    };
  }
}

function slow(signer: OrderSigner, clock: Clock, prepareMs: number): OrderSigner {
  return {
    ...signer,
    async prepare(draft) {
      await new Promise<void>((resolve) => void clock.after(prepareMs, resolve));
      return signer.prepare?.(draft) ?? null;
    },
  };
}
