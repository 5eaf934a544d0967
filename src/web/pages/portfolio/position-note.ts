import type { Output } from '../../api/routes.ts';
import { cents, shares, signedUsd, sumOf, usd } from '../../format/money.ts';
import { words } from '../../format/text.ts';

type Held = Output<'GET /api/portfolio/'>['positions'][number];

/**
 * Reports whether an open position is a rest that no order can sell: too little for the venue, and
 * neither settling, set aside, nor won.
 */
function isLeftover({ position }: Held): boolean {
  return (
    Number(position.shares) > 0 &&
    Number(position.sellableShares) === 0 &&
    Number(position.provisionalShares) === 0 &&
    Number(position.reservedShares) === 0 &&
    position.payoutPerShare === null
  );
}

/** Parts remainders that no order can sell from the positions that are open. */
export function apartOf(positions: readonly Held[]): {
  readonly open: readonly Held[];
  readonly remainders: readonly Held[];
} {
  return {
    open: positions.filter((held) => !isLeftover(held)),
    remainders: positions.filter(isLeftover),
  };
}

/** Says how many remainders there are, and what those are worth that have a price. */
export function remaindersLine(remainders: readonly Held[]): string {
  const count = remainders.length === 1 ? '1 remainder' : `${remainders.length} remainders`;
  const worths = remainders.flatMap(({ position }) => position.currentValueUsdc ?? []);
  const worth = worths.length === 0 ? '' : `, worth ${usd(sumOf(worths))}`;
  return `${count} below what can be sold${worth}`;
}

/**
 * Returns why a position cannot be sold and what becomes of it: of a rest that no order can sell.
 * Null of every other one. `least` is what the venue takes of shares at least, in words.
 */
export function leftoverNote(held: Held, least: string): string | null {
  if (!isLeftover(held)) return null;
  return `Cannot be sold: it is less than ${least}, the least ${words(held.venue)} takes. It pays by itself when the market ends, ${usd(held.position.shares)} if it wins.`;
}

/** Returns what the sales of a position that is still open have brought; null before the first. */
export function soldNote({ position: { realizedPnl } }: Held): string | null {
  return Number(realizedPnl) === 0 ? null : `${signedUsd(realizedPnl)} from what was sold`;
}

/** An order that is not over, as far as it describes a position. */
interface Offer {
  readonly tokenId: string;
  readonly action: 'buy' | 'sell';
  readonly price: string;
  readonly requestedShares: string;
  readonly filledShares: string;
  readonly reversedShares: string;
}

/**
 * Returns the state of a position that is not simply open: what is offered of it at which price,
 * by the orders that are not over.
 */
export function stateNote({ position }: Held, orders: readonly Offer[]): string | null {
  if (position.state === 'open') return null;
  const { payoutPerShare } = position;
  const end =
    payoutPerShare === null || Number(payoutPerShare) === 1
      ? 'won'
      : `pays ${cents(payoutPerShare)} a share`;
  if (position.state === 'redeeming') return `${end}, being paid out`;
  if (position.state === 'resolved')
    return position.isReedemable ? `${end}, waits to be paid out` : 'ended';
  if (position.state !== 'closing') return words(position.state);
  const offers = orders.filter(
    ({ tokenId, action }) => tokenId === position.tokenId && action === 'sell',
  );
  if (offers.length === 0) return 'being sold';
  return offers
    .map(
      ({ price, requestedShares, filledShares, reversedShares }) =>
        `${shares(sumOf([requestedShares, `-${filledShares}`, `-${reversedShares}`]))} offered at ${cents(price)}`,
    )
    .join(', ');
}
