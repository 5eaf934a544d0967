import type { Output } from '../../api/routes.ts';
import { cents, sumOf } from '../../format/money.ts';

type Trade = Output<'GET /api/portfolio/trades'>['data'][number];
type Position = Extract<Trade, { readonly kind: 'closed' }>['position'];

/** A position that is over, with what it was. */
export interface HeldRow {
  readonly position: Position;
  /** Shares bought, the venue's fee taken off; null where not all trades are known. */
  readonly bought: string | null;
  /** USDC paid for them, fees included; null as above. */
  readonly paid: string | null;
  /** USDC that sales and the market's payout brought, after fees; null as above. */
  readonly cameBack: string | null;
  /** How it ended, in words. */
  readonly end: string;
}

/**
 * Returns what was held in a market and is over. `fills` are the trades there; where `areAll` is
 * false, older ones are missing, and what is summed of them is not known. `payouts` are what its
 * end pays for a share of each outcome; null while it has none.
 */
export function heldRows(
  closed: readonly Trade[],
  {
    fills,
    areAll,
    payouts,
  }: {
    readonly fills: readonly Trade[];
    readonly areAll: boolean;
    readonly payouts: Readonly<Record<Position['side'], string>> | null;
  },
): readonly HeldRow[] {
  return closed.flatMap((trade) => {
    if (trade.kind !== 'closed') return [];
    const { position } = trade;
    const bought = fills.flatMap((each) =>
      each.kind === 'fill' &&
      each.fill.tokenId === position.tokenId &&
      each.fill.action === 'buy' &&
      each.fill.settlementState !== 'reversed'
        ? [each.fill]
        : [],
    );
    const paid = areAll ? sumOf(bought.flatMap(({ usdc, fee }) => [usdc, fee])) : null;
    return [
      {
        position,
        bought: areAll
          ? sumOf(bought.flatMap(({ shares, feeShares }) => [shares, `-${feeShares}`]))
          : null,
        paid,
        // what a position realised is all that came in for it less all that was paid
        cameBack: sumOf([paid, position.realizedPnl]),
        end: isShared(position, payouts)
          ? `${cents(payouts?.[position.side] ?? null)} a share, paid out`
          : (ENDS[position.state] ?? position.state),
      },
    ];
  });
}

/** Paid out, and neither a dollar a share nor nothing. */
function isShared(
  { state, side }: Position,
  payouts: Readonly<Record<Position['side'], string>> | null,
): boolean {
  return state === 'redeemed' && payouts !== null && Number(payouts[side]) !== 1;
}

const ENDS: Readonly<Partial<Record<Position['state'], string>>> = {
  closed: 'Sold',
  redeemed: 'Won, paid out',
  lost: 'Lost, paid nothing',
  removed: 'Sent elsewhere',
};
