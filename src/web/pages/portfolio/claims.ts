import type { Output } from '../../api/routes.ts';
import { sumOf, usd } from '../../format/money.ts';

type Held = Output<'GET /api/portfolio/'>['positions'][number];
type Claim = Output<'POST /api/venue_c/portfolio/claim-position'>['data'][number];

/** Venues whose winners are paid by a transaction that can be asked for. */
const CLAIMED_AT = ['venue_a', 'venue_c'] as const;
/** A venue of these. */
export type ClaimedVenue = (typeof CLAIMED_AT)[number];

/** What was won and can be claimed. */
export interface Won {
  readonly venues: readonly ClaimedVenue[];
  readonly positions: readonly Held[];
  /** What it is worth, USD; null where that is not known. */
  readonly worth: string | null;
}

/** Returns what of open positions was won and can be claimed. */
export function wonOf(positions: readonly Held[]): Won {
  const won = positions.filter(
    ({ venue, position }) =>
      position.isReedemable && (CLAIMED_AT as readonly string[]).includes(venue),
  );
  return {
    venues: CLAIMED_AT.filter((venue) => won.some((held) => held.venue === venue)),
    positions: won,
    worth: sumOf(won.map(({ position }) => position.currentValueUsdc)),
  };
}

/** An answered claim, of a market by what it asks. */
export interface AnsweredClaim extends Pick<Claim, 'marketId' | 'state' | 'amount' | 'reason'> {
  readonly question: string;
}

/** Says how far a claim is; `isPaid` once the position that was won has been paid out. */
export function claimSentence({ question, state, amount, reason }: AnsweredClaim, isPaid: boolean) {
  const what = `${usd(amount)} of “${question}”`;
  if (isPaid || state === 'redeemed') return `${what} was paid out, and is in your cash.`;
  if (state === 'redeeming') return `${what} is on its way: its transaction is not final yet.`;
  const why = reason === null ? '' : ` ${reason}`;
  return state === 'failed'
    ? `${what} could not be paid out yet, and is tried again by itself.${why}`
    : `${what} waits to be paid out, which happens by itself.${why}`;
}
