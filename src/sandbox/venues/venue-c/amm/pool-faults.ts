import {
  decodeFunctionData,
  encodeAbiParameters,
  keccak256,
  parseAbiParameters,
  zeroHash,
  type Hex,
} from 'viem';
import { poolPrice } from '../../../../domain/fixed-product-pool.ts';
import type { LocalChain } from '../../../chains/evm/local-chain.ts';
import type { SentTransaction } from '../../../chains/evm/sent-transaction.ts';
import type { FaultBoard } from '../../../faults.ts';
import { POOL_ABI } from '../chain/pool-abi.ts';
import { VENUE_C_CHAIN } from '../chain-addresses.ts';
import type { PoolMaker } from './pool-maker.ts';
import type { Pools } from './pools.ts';

/** How far a price is moved, as a part of it, and how far at most. */
const MOVE = 0.1;
const [LEAST, MOST] = [0.02, 0.98];
/** Where the contracts keep what others may take: allowances of dollars, operators of shares. */
const ALLOWANCES_SLOT = 1n;
const OPERATORS_SLOT = 2n;

/** Meets users' trades with pools, before the node has them. Errors: those of the chain. */
export function createPoolFaults({
  chain,
  faults,
  pools,
  maker,
}: {
  readonly chain: Promise<LocalChain>;
  readonly faults: FaultBoard;
  readonly pools: Pools;
  readonly maker: PoolMaker;
}) {
  return async ({ from, to, data }: SentTransaction): Promise<void> => {
    const market = to === null ? null : pools.marketAt(to);
    const trade = tradeIn(data);
    if (to === null || market === null || trade === null) return;
    const subject = { address: from, marketId: market.slug };
    if (faults.take('pool-moved', subject) !== null) {
      await pools.open([market]);
      const pool = pools.of(market);
      if (pool !== null) await maker.push(pool, yesPriceAgainst(trade, poolPrice(pool, 0)));
    }
    if (faults.take('allowance-missing', subject) !== null) await disallow(await chain, from, to);
  };
}

interface Trade {
  readonly isBuy: boolean;
  readonly isYes: boolean;
}

/** Null for what is no trade. */
function tradeIn(data: Hex): Trade | null {
  try {
    const call = decodeFunctionData({ abi: POOL_ABI, data });
    return call.functionName === 'buy' || call.functionName === 'sell'
      ? { isBuy: call.functionName === 'buy', isYes: call.args[1] === 0n }
      : null;
  } catch {
    return null; // another call, or none
  }
}

/** Dearer for a buyer, cheaper for a seller. */
function yesPriceAgainst({ isBuy, isYes }: Trade, yesPrice: number): number {
  const own = (isYes ? yesPrice : 1 - yesPrice) * (isBuy ? 1 + MOVE : 1 - MOVE);
  const bounded = Math.min(MOST, Math.max(LEAST, own));
  return isYes ? bounded : 1 - bounded;
}

/** Only a local node can do this without the owner. */
async function disallow({ node }: LocalChain, owner: Hex, spender: Hex): Promise<void> {
  for (const [address, slot] of [
    [VENUE_C_CHAIN.usdc, ALLOWANCES_SLOT],
    [VENUE_C_CHAIN.conditionalTokens, OPERATORS_SLOT],
  ] as const) {
    const inner = keccak256(
      encodeAbiParameters(parseAbiParameters('address, uint256'), [owner, slot]),
    );
    await node.client.setStorageAt({
      address,
      index: keccak256(
        encodeAbiParameters(parseAbiParameters('address, bytes32'), [spender, inner]),
      ),
      value: zeroHash,
    });
  }
}
