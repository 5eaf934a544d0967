import type { TokenId } from '../../domain/ids.ts';
import type { TradeSide } from '../../domain/order.ts';
import type { AccountName, Posting } from './accounts.ts';

/** Whose order it is, and what it trades. */
interface LegParty {
  readonly account: AccountName;
  readonly side: TradeSide;
  readonly tokenId: TokenId;
}

/** Two orders that meet: `usdc` is what the taker pays (buy) or gets (sell), micros. */
interface MetLeg {
  readonly taker: LegParty;
  readonly maker: LegParty;
  readonly shares: number;
  readonly usdc: number;
  /** Holds the collateral behind the market's shares. */
  readonly escrow: AccountName;
}

/** The three ways of settling: swap, mint, merge. Collateral adds up to zero in each. */
export function legPostings({ taker, maker, shares, usdc, escrow }: MetLeg): readonly Posting[] {
  const moved = ({ account, side, tokenId }: LegParty, cost: number): readonly Posting[] => {
    const direction = side === 'buy' ? 1 : -1;
    return [
      { account, holding: 'usdc', micros: -direction * cost },
      { account, holding: tokenId, micros: direction * shares },
    ];
  };
  const isSwap = maker.tokenId === taker.tokenId;
  return [
    ...moved(taker, usdc),
    ...moved(maker, isSwap ? usdc : shares - usdc),
    ...(isSwap
      ? []
      : [
          {
            account: escrow,
            holding: 'usdc' as const,
            micros: taker.side === 'buy' ? shares : -shares,
          },
        ]),
  ];
}
