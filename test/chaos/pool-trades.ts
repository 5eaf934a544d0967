import { getAddress, parseEventLogs, type Hex } from 'viem';
import type { UserId } from '../../src/domain/ids.ts';
import { POOL_ABI } from '../../src/sandbox/venues/venue-c/chain/pool-abi.ts';
import type { VenueCChainWorld } from '../support/worlds/venue-c-chain-world.ts';

/** A trade of a user with the pool, as its event in a block states it; micros. */
export interface ChainTrade {
  readonly hash: string;
  readonly userId: UserId;
  readonly shares: number;
  readonly usdc: number;
}

/** Reads every trade of the users with the pool from the blocks of the chain, and nothing else. */
export async function tradesOf(
  { on, pool, userOf }: VenueCChainWorld,
  users: readonly UserId[],
): Promise<readonly ChainTrade[]> {
  if (pool === null) throw new Error('a pool is traded with');
  const byAccount = new Map(users.map((userId) => [getAddress(userOf(userId).account), userId]));
  const logs = await on.node.client.getLogs({ address: pool, fromBlock: 0n });
  return parseEventLogs({ abi: POOL_ABI, logs }).flatMap(
    ({ eventName, args, transactionHash }): readonly ChainTrade[] => {
      const account: Hex = eventName === 'FPMMBuy' ? args.buyer : args.seller;
      const userId = byAccount.get(getAddress(account));
      if (userId === undefined) return [];
      const [shares, usdc] =
        eventName === 'FPMMBuy'
          ? [args.outcomeTokensBought, args.investmentAmount]
          : [args.outcomeTokensSold, args.returnAmount];
      return [{ hash: transactionHash, userId, shares: Number(shares), usdc: Number(usdc) }];
    },
  );
}
