import { z } from 'zod';
import type { Address } from '../../domain/ids.ts';
import type { Market } from '../../domain/market.ts';

/**
 * What this venue keeps in `own` of a market: whether it shares its collateral with the others of
 * its event, of which one pays. Contracts of its own then match, split and redeem it (venue_a.md
 * sections 1.3 and 5.1).
 */
const ownSchema = z.object({ negRisk: z.boolean() });
type OwnFields = z.infer<typeof ownSchema>;

/**
 * Returns what is kept of a market of this venue. One that was stored before venues had fields of
 * their own has them beside all others. Throws for a market of another venue.
 */
export function ownOf(market: Market): OwnFields {
  return ownSchema.parse(market.own ?? market);
}

/** The adapters that turn shares of a market that has ended into collateral. */
export interface Redeemers {
  readonly standard: Address;
  readonly negRisk: Address;
}

/** Returns the adapter that redeems shares of a market (venue_a.md section 14.5). */
export function redeemerOf({ standard, negRisk }: Redeemers, market: Market): Address {
  return ownOf(market).negRisk ? negRisk : standard;
}
