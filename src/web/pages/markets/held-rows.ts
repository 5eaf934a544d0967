import type { Output } from '../../api/routes.ts';
import { sumOf } from '../../format/money.ts';

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
 * false, older ones are missing, and what is summed of them is not known.
 */
export function heldRows(
  closed: readonly Trade[],
  fills: readonly Trade[],
  areAll: boolean,
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
        end: ENDS[position.state] ?? position.state,
      },
    ];
  });
}

const ENDS: Readonly<Partial<Record<Position['state'], string>>> = {
  closed: 'Sold',
  redeemed: 'Won, paid out',
  lost: 'Lost, paid nothing',
  removed: 'Sent elsewhere',
};
