import { parseEventLogs, type Hex, type Log } from 'viem';
import type { OutcomeIndex } from '../../../../domain/market.ts';
import type { TradeSide } from '../../../../domain/order.ts';
import { POOL_ABI } from '../chain/pool-abi.ts';

/** A trade with a pool, as the chain tells it: plain JSON; micros. */
export interface PoolFill {
  /** Transaction and place of the event in its block. */
  readonly id: string;
  readonly slug: string;
  /** EIP-55. */
  readonly account: string;
  readonly outcome: OutcomeIndex;
  readonly side: TradeSide;
  /** Dollars paid, fee included, or paid out after it. */
  readonly usdc: number;
  readonly fee: number;
  readonly shares: number;
  readonly txHash: Hex;
  readonly blockNumber: number;
  /** When it was seen, market time. */
  readonly atMs: number;
}

/** Reads the trades in logs of pools; `slugOf` names the market of a pool, in small letters. */
export function fillsIn(
  logs: readonly Log<bigint, number, false>[],
  slugOf: (pool: string) => string | null,
  atMs: number,
): readonly PoolFill[] {
  return parseEventLogs({ abi: POOL_ABI, logs: [...logs] }).flatMap((log): readonly PoolFill[] => {
    const slug = slugOf(log.address.toLowerCase());
    if (slug === null) return [];
    const { args, eventName, transactionHash, logIndex, blockNumber } = log;
    const common = {
      id: `${transactionHash}:${logIndex}`,
      slug,
      outcome: args.outcomeIndex === 0n ? (0 as const) : (1 as const),
      fee: Number(args.feeAmount),
      txHash: transactionHash,
      blockNumber: Number(blockNumber),
      atMs,
    };
    return eventName === 'FPMMBuy'
      ? [
          {
            ...common,
            side: 'buy',
            account: args.buyer,
            usdc: Number(args.investmentAmount),
            shares: Number(args.outcomeTokensBought),
          },
        ]
      : [
          {
            ...common,
            side: 'sell',
            account: args.seller,
            usdc: Number(args.returnAmount),
            shares: Number(args.outcomeTokensSold),
          },
        ];
  });
}

/** Price of the outcome in a trade, fee included, 0 to 1. */
export function fillPrice({ usdc, shares }: Pick<PoolFill, 'usdc' | 'shares'>): number {
  return Math.round((usdc / shares) * 10_000) / 10_000;
}
