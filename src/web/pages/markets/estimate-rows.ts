import { costMicros, formatMicros, parsePrice, parseShares } from '../../../domain/units.ts';
import type { Estimate } from '../../api/venues.ts';
import { aboutCoin, cents, shares, sumOf, usd } from '../../format/money.ts';
import type { TermName } from '../../ui/terms.ts';

/** A figure of the ticket, by its name, which a term may explain. */
export type EstimateRow = readonly [name: string, value: string, term?: TermName];

/** How the ticket names what is traded. */
interface Traded {
  readonly action: 'buy' | 'sell';
  readonly label: string;
  readonly venue: string;
  /** The least step of a pool's prices; null where it is traded in a book. */
  readonly poolTick: string | null;
}

/** Returns what placing an order would do, as the ticket lists it before it is sent. */
export function estimateRows(
  estimate: Estimate,
  { action, label, venue, poolTick }: Traded,
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
    ...(poolTick === null
      ? ([
          ['Fee, about', feeOf(estimate)],
          ...(estimate.gas === null && estimate.networkCost !== null ? [] : gasRows(estimate)),
        ] as const)
      : poolRows(estimate, { action, tick: poolTick })),
    ...costRows(estimate, { action, tradesNow }),
    action === 'buy'
      ? [
          rests ? `If filled and ${label}, it pays` : `If ${label}, it pays`,
          usd(sumOf([estimate.shares, estimate.restingShares, `-${estimate.feeShares}`])),
        ]
      : proceedsRow(estimate),
    ...(isMarket || action === 'sell'
      ? []
      : ([['Set aside until then', usd(estimate.setsAside.usdc), 'setAside']] as const)),
    [`Available at ${venue}`, usd(estimate.left.usdc)],
  ];
}

/** What a trade with a pool costs beside its price, whose fee is inside. */
function poolRows(
  estimate: Estimate,
  { action, tick }: { readonly action: 'buy' | 'sell'; readonly tick: string },
): readonly EstimateRow[] {
  const impact = impactOf(estimate, action, tick);
  return [
    ...(impact === null ? [] : ([['Price impact', impact, 'priceImpact']] as const)),
    ...gasRows(estimate),
  ];
}

/**
 * How far the average price is beyond that of the first share, in percent; null where nothing
 * trades. Levels are a tick apart: less than one is not known any closer.
 */
function impactOf(
  { averagePrice, book }: Estimate,
  action: 'buy' | 'sell',
  tick: string,
): string | null {
  const first = action === 'buy' ? book?.bestAsk : book?.bestBid;
  if (averagePrice === null || first === null || first === undefined) return null;
  const part = (amount: number): string => `${((amount / Number(first)) * 100).toFixed(1)} %`;
  const moved = Math.abs(Number(averagePrice) - Number(first));
  return moved < Number(tick) ? `below ${part(Number(tick))}` : part(moved);
}

/** What the network takes of the wallet, and what that must hold where it holds less. */
function gasRows({ gas, networkCost }: Estimate): readonly EstimateRow[] {
  if (gas === null) return [['Network takes', 'the chain does not answer', 'gas']];
  const { symbol, amount, rent, needed, held } = gas;
  const dollars = networkCost === null ? '' : `, ${usd(networkCost)}`;
  const isLacking = Number(held) < Number(needed);
  return [
    [
      rent === null ? 'Network takes, about' : 'Network takes, at most',
      `${aboutCoin(amount)} ${symbol}${dollars}`,
      'gas',
    ],
    ...(rent === null || Number(rent) === 0
      ? []
      : ([['Of that, rent of a token account', `${aboutCoin(rent)} ${symbol}`, 'rent']] as const)),
    ...(isLacking
      ? ([
          [
            'Needed for gas',
            `${aboutCoin(needed)} ${symbol}, you have ${aboutCoin(held)}`,
            'gasNeeded',
          ],
        ] as const)
      : []),
  ];
}

/** In dollars, with the shares where it is kept of those. */
function feeOf({ fee, feeShares }: Estimate): string {
  const worth = usd(fee.estimated);
  return Number(feeShares) > 0 ? `${shares(feeShares)} shares, ${worth}` : worth;
}

/**
 * What a purchase takes at once: its price, its fee where that is paid in money, and what the
 * network takes of the wallet, where that is known in dollars.
 */
function costRows(
  { amountUsdc, fee, feeShares, gas, networkCost, restingShares }: Estimate,
  { action, tradesNow }: { readonly action: 'buy' | 'sell'; readonly tradesNow: boolean },
): readonly EstimateRow[] {
  // of one that rests in part the money that is set aside says it
  if (action === 'sell' || !tradesNow || Number(restingShares) > 0) return [];
  const paid = Number(feeShares) > 0 ? [amountUsdc] : [amountUsdc, fee.estimated];
  return gas !== null && networkCost !== null
    ? [['You pay in all with gas, about', usd(sumOf([...paid, networkCost]))]]
    : [['You pay in all, about', usd(sumOf(paid))]];
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

/**
 * What a sale leaves: gas is taken off where it is known and all trades at once, for what rests may
 * be traded by more transactions or none; elsewhere the row says that gas is not in it.
 */
function proceedsRow(estimate: Estimate): EstimateRow {
  const { gas, networkCost, restingShares } = estimate;
  const proceeds = proceedsOf(estimate);
  const before = gas !== null || networkCost === null ? ' before gas,' : '';
  if (Number(restingShares) > 0) return [`You get when filled,${before} about`, usd(proceeds)];
  if (proceeds !== null && gas !== null && networkCost !== null)
    return ['You get after fee and gas, about', usd(sumOf([proceeds, `-${networkCost}`]))];
  return [`You get after the fee,${before} about`, usd(proceeds)];
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
