import { costMicros, formatMicros, parsePrice, parseShares } from '../../../domain/units.ts';
import type { Estimate } from '../../api/venues.ts';
import { cents, shares, sumOf, usd } from '../../format/money.ts';
import type { TermName } from '../../ui/terms.ts';

/** A figure of the ticket, by its name, which a term may explain. */
export type EstimateRow = readonly [name: string, value: string, term?: TermName];

/** How the ticket names what is traded. */
interface Traded {
  readonly action: 'buy' | 'sell';
  readonly label: string;
  readonly venue: string;
}

/** Returns what placing an order would do, as the ticket lists it before it is sent. */
export function estimateRows(
  estimate: Estimate,
  { action, label, venue }: Traded,
): readonly EstimateRow[] {
  const rests = Number(estimate.restingShares) > 0;
  const tradesNow = Number(estimate.shares) > 0;
  const isMarket = estimate.orderType === 'market';
  return [
    ...(isMarket || tradesNow ? ([['Average price', cents(estimate.averagePrice)]] as const) : []),
    ...(isMarket
      ? ([
          [
            action === 'buy' ? 'At most, a share' : 'At least, a share',
            cents(estimate.worstPrice),
            'worstPrice',
          ],
          ['Shares', shares(estimate.shares)],
        ] as const)
      : limitShares(estimate, { rests, tradesNow })),
    ['Fee, about', usd(estimate.fee.estimated)],
    ...costRows(estimate, { action, tradesNow }),
    action === 'buy'
      ? [
          rests ? `If filled and ${label}, it pays` : `If ${label}, it pays`,
          usd(sumOf([estimate.shares, estimate.restingShares])),
        ]
      : [
          rests ? 'You get when filled, about' : 'You get after the fee, about',
          usd(proceedsOf(estimate)),
        ],
    ...(isMarket || action === 'sell'
      ? []
      : ([['Set aside until then', usd(estimate.setsAside.usdc), 'setAside']] as const)),
    [`Available at ${venue}`, usd(estimate.left.usdc)],
  ];
}

/** What a purchase takes of the cash at once: its price and its fee together. */
function costRows(
  { amountUsdc, fee, restingShares }: Estimate,
  { action, tradesNow }: { readonly action: 'buy' | 'sell'; readonly tradesNow: boolean },
): readonly EstimateRow[] {
  // of one that rests in part the money that is set aside says it
  return action === 'buy' && tradesNow && Number(restingShares) === 0
    ? [['You pay in all, about', usd(sumOf([amountUsdc, fee.estimated]))]]
    : [];
}

/** Of a limit order what trades at once and what waits; a part that is nothing is left out. */
function limitShares(
  estimate: Estimate,
  { rests, tradesNow }: { readonly rests: boolean; readonly tradesNow: boolean },
): readonly EstimateRow[] {
  return [
    ...(tradesNow ? ([['Shares at once', shares(estimate.shares)]] as const) : []),
    ...(rests
      ? ([
          [
            'Shares that rest',
            `${shares(estimate.restingShares)} at ${cents(estimate.worstPrice)}`,
          ],
        ] as const)
      : []),
  ];
}

/** What all of a sale brings: what trades at once, and the rest at its price. */
function proceedsOf({ amountUsdc, fee, restingShares, worstPrice }: Estimate): string | null {
  const resting = parseShares(restingShares);
  const price = parsePrice(worstPrice);
  // a rest that is nothing has no price that matters
  const gets = [amountUsdc, `-${fee.estimated}`];
  if (resting === null || price === null) return sumOf(gets);
  return sumOf([...gets, formatMicros(costMicros(resting, price, 'floor'))]);
}
