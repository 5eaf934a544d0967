import { createHash } from 'node:crypto';
import { VENUE_A } from '../../../../config/limits/venue-a.ts';
import type { WireBook } from './market-schema.ts';

/** What the hash of a whole book says of it; `unknown` where it cannot be recomputed. */
export type HashVerdict = 'right' | 'wrong' | 'unknown';

/**
 * Returns the hash of a whole book: SHA-1 of its compact JSON in the venue's order of members, with
 * an empty `hash` (venue_a.md section 3.1). Null where it lacks a member: frames leave out the last
 * four once a book has been sent.
 */
export function bookHash(wire: WireBook): string | null {
  const { market, asset_id, timestamp, bids, asks } = wire;
  const { min_order_size, tick_size, neg_risk, last_trade_price } = wire;
  if (
    min_order_size === undefined ||
    tick_size === undefined ||
    neg_risk === undefined ||
    last_trade_price === undefined
  )
    return null;
  const body = {
    market,
    asset_id,
    timestamp: String(timestamp),
    hash: '',
    bids,
    asks,
    min_order_size,
    tick_size,
    neg_risk,
    last_trade_price,
  };
  return createHash('sha1').update(JSON.stringify(body)).digest('hex');
}

/** Compares whole books with the hash they carry. */
export interface HashCheck {
  verdict(wire: WireBook): HashVerdict;
}

/**
 * Creates the check. A recipe that has never held is not believed, nor one that fails
 * VENUE_A.hashesWrongMaximum times in a row: the venue has changed it then, and books are not to be
 * doubted for that.
 */
export function createHashCheck(judged: (verdict: HashVerdict) => void): HashCheck {
  let hasHeld = false;
  let wrongInARow = 0;

  function judge(wire: WireBook): HashVerdict {
    const own = wire.hash === undefined ? null : bookHash(wire);
    if (own === null) return 'unknown';
    if (own === wire.hash) {
      hasHeld = true;
      wrongInARow = 0;
      return 'right';
    }
    wrongInARow += 1;
    if (wrongInARow > VENUE_A.hashesWrongMaximum) hasHeld = false;
    return hasHeld ? 'wrong' : 'unknown';
  }

  return {
    verdict(wire) {
      const verdict = judge(wire);
      judged(verdict);
      return verdict;
    },
  };
}
