import type { Estimate } from '../../api/venues.ts';
import { cents, shares, usd } from '../../format/money.ts';
import type { TermName } from '../../ui/terms.ts';

/** A figure of the ticket, by its name, which a term may explain. */
export type EstimateRow = readonly [name: string, value: string, term?: TermName];

/** Returns what placing an order would do, as the ticket lists it before it is sent. */
export function estimateRows(
  estimate: Estimate,
  {
    action,
    label,
    venue,
  }: { readonly action: 'buy' | 'sell'; readonly label: string; readonly venue: string },
): readonly EstimateRow[] {
  const rests = Number(estimate.restingShares) > 0;
  return [
    ['Average price', cents(estimate.averagePrice)],
    ...(estimate.orderType === 'market'
      ? ([
          [
            action === 'buy' ? 'At most, a share' : 'At least, a share',
            cents(estimate.worstPrice),
            'worstPrice',
          ],
        ] as const)
      : []),
    ['Shares', shares(estimate.shares)],
    ...(rests ? ([['Rests in the book', shares(estimate.restingShares)]] as const) : []),
    ['Fee, about', usd(estimate.fee.estimated)],
    action === 'buy'
      ? [`If ${label}, it pays`, usd(estimate.shares)]
      : ['You get, about', usd(estimate.amountUsdc)],
    [`Available at ${venue}`, usd(estimate.left.usdc)],
  ];
}
