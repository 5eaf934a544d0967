import { priceTicks } from '../units.ts';
import type { EntryWindow } from './terms.ts';

/** Price of the spec's "Limit at 60 cents": such an entry never pays more. */
export const LIMIT_PRICE = priceTicks(6_000);
/**
 * A resting entry ends 30 s before the round, when the venue's engine is flooded and a cancel may
 * come too late (venue_a.md section 11), in ms from the start of the round.
 */
export const LIMIT_ENDS_AFTER_MS = 270_000;
/**
 * Limit entries begin 30 s before they end: an order that cannot rest at all is a market order with
 * a worse chance.
 */
export const FIVE_MIN_LIMIT_WINDOW: EntryWindow = { opensAfterMs: 0, closesAfterMs: 240_000 };
