import type { Problem } from '../../api/problem.ts';
import type { Estimate } from '../../api/venues.ts';
import { plainWords } from '../../format/plain-words.ts';
import { sentence } from '../../format/text.ts';
import { type AmountLimits, beyondLimits } from './amount-limits.ts';
import type { BookStanding } from './book-ladder.tsx';

/** A ticket as it is filled in, and what is known of the market. */
export interface FilledIn {
  readonly action: 'buy' | 'sell';
  readonly orderType: 'market' | 'limit';
  /** As typed, without the blanks around it; empty before. */
  readonly amount: string;
  readonly price: string;
  /** What is wrong with what was typed, in sentences; null where nothing is. */
  readonly typedFault: string | null;
  readonly limits: AmountLimits;
  /** The venue's name in words. */
  readonly venue: string;
  /** True where the same order was sent and not answered: pressing asks for it again. */
  readonly isUnanswered: boolean;
  /** True while the order that the ticket follows waits for the decision of the venue. */
  readonly isWithVenue: boolean;
  readonly standing: BookStanding;
  /** Of what is filled in; null until it has come. */
  readonly estimate: Estimate | null;
  /** How the estimate of what is filled in was refused. */
  readonly estimateFault: Problem | null;
}

/** Says why an order cannot be sent just now, in a sentence for its button; null where it can. */
export function orderBlock(filledIn: FilledIn): string | null {
  const { action, orderType, amount, price, limits, venue, isUnanswered, estimate } = filledIn;
  if (isUnanswered) return null;
  if (filledIn.isWithVenue) return 'Your order is with the venue; the line below says how it ends.';
  if (amount === '') return 'Say how much first.';
  if (orderType === 'limit' && price === '') return 'Say the price first.';
  if (filledIn.typedFault !== null) return filledIn.typedFault;
  return (
    beyondLimits(action, amount, limits, venue) ??
    marketBlock(filledIn) ??
    (orderType === 'market' && estimate === null
      ? 'One moment: the price is being asked for.'
      : null)
  );
}

function marketBlock({ orderType, standing, estimate, estimateFault }: FilledIn): string | null {
  if (standing.ended !== null) return standing.ended;
  if (orderType === 'market' && standing.isLost)
    return 'The connection is lost, so the price is not known. It comes back by itself.';
  if (orderType === 'market' && !standing.isTrusted)
    return 'The book is late, so the price is not known. A limit order still goes.';
  const refusal = estimate?.refusal ?? null;
  // only asked about: pressing again is no advice where nothing was refused
  if ((estimateFault ?? refusal)?.code === 'market_fenced')
    return 'An order of yours in this market is with the venue; the next one can go once that is decided.';
  // What the order would be refused for too: its amount, an empty book, an ended market.
  if (estimateFault !== null && (estimateFault.status === 422 || estimateFault.status === 409))
    return estimateFault.message;
  return refusal && sentence(plainWords(refusal.code, refusal.detail));
}
