import { createWalletClient, http, maxUint256, zeroHash, type Hex, type PublicClient } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { base } from 'viem/chains';
import type { Clock } from '../../../../src/ports/clock.ts';
import { createWallClock } from '../../../../src/adapters/clock/wall-clock.ts';
import { produceBlocks } from '../../../../src/sandbox/chains/evm/block-production.ts';
import {
  CONDITIONAL_TOKENS_ABI,
  TOKEN_ABI,
} from '../../../../src/sandbox/chains/evm/contract-abis.ts';
import { startEvmNode, type EvmNode } from '../../../../src/sandbox/chains/evm/evm-node.ts';
import type { WorldChains } from '../../../../src/sandbox/chains/world-chains.ts';
import { VENUE_C_CHAIN } from '../../../../src/sandbox/venues/venue-c/chain-addresses.ts';
import { POOL_ABI } from '../../../../src/sandbox/venues/venue-c/chain/pool-abi.ts';
import { deploy } from '../../../support/fixtures/deploy-chains.ts';
import { startPoolWorld, type PoolUser, type PoolWorld } from './a-venue.ts';

const { usdc, conditionalTokens } = VENUE_C_CHAIN;

/** A market as the listing has it: what is read of it. */
export interface ListedPool {
  readonly slug: string;
  readonly status: string;
  readonly address: Hex;
  readonly conditionId: Hex;
  readonly positionIds: readonly [string, string];
  readonly prices: readonly [number, number];
  readonly liquidity: string;
  readonly volume: string;
}

/** The chain, and what a user does there. */
export type AmmChain = Awaited<ReturnType<typeof startAmmChain>>;

/** Starts chain 8453 with the venue on it, and what a user of its pools does there. */
export async function startAmmChain(options: { readonly makers: boolean; readonly clock?: Clock }) {
  const node = await startEvmNode({ chainId: 8453, stateFile: null });
  const chain = await deploy('base', node);
  // Those of a clock of its own are made on that one's time.
  const { clock } = options;
  const blocks = produceBlocks(node, clock ?? createWallClock(), clock === undefined ? 10 : 1);
  const chains: Partial<WorldChains> = { base: chain };
  const open = (more: { readonly dataDir?: string; readonly foundedAtMs?: number } = {}) =>
    startPoolWorld({
      ...options,
      ...more,
      parts: { chains: Promise.resolve(chains as WorldChains) }, // the venue is on no other
    });
  return {
    node,
    chain,
    open,
    ...userOf(node, node.url),
    /** The same for users who reach the chain elsewhere. */
    through: (url: string) => userOf(node, url),
    async close() {
      await blocks.stop();
      await node.close();
    },
  };
}

/** Markets with pools as the venue lists them. */
export async function listedPools(world: PoolWorld): Promise<readonly ListedPool[]> {
  const { body } = await world.call('GET', '/markets/active?tradeType=amm&limit=25');
  return body.data;
}

/** A question with a pool. */
export async function poolQuestion(world: PoolWorld, index = 0): Promise<ListedPool> {
  const questions = (await listedPools(world)).filter(({ slug }) => slug.startsWith('will-'));
  const found = questions[index];
  if (found === undefined) throw new Error('no question with a pool is listed');
  return found;
}

function userOf(node: EvmNode, url: string) {
  const wallet = ({ key }: PoolUser) =>
    createWalletClient({
      account: privateKeyToAccount(key),
      chain: base,
      transport: http(url),
    });
  const mined = async (hash: Hex) => {
    const receipts = node.client as unknown as PublicClient; // the same calls, with fewer types
    return receipts.waitForTransactionReceipt({ hash });
  };
  return {
    async allow(user: PoolUser, pool: Hex) {
      await mined(
        await wallet(user).writeContract({
          address: usdc,
          abi: TOKEN_ABI,
          functionName: 'approve',
          args: [pool, maxUint256],
        }),
      );
      await mined(
        await wallet(user).writeContract({
          address: conditionalTokens,
          abi: CONDITIONAL_TOKENS_ABI,
          functionName: 'setApprovalForAll',
          args: [pool, true],
        }),
      );
    },
    /** What the contract says that a trade of so many dollars gives or takes. */
    quote: (
      pool: Hex,
      functionName: 'calcBuyAmount' | 'calcSellAmount',
      micros: bigint,
      outcome = 0n,
    ) =>
      node.client.readContract({
        address: pool,
        abi: POOL_ABI,
        functionName,
        args: [micros, outcome],
      }),
    /** Trades: dollars, outcome, and the fewest or most shares; a revert is mined. */
    trade: async (
      user: PoolUser,
      pool: Hex,
      functionName: 'buy' | 'sell',
      args: readonly [bigint, bigint, bigint],
    ) =>
      mined(
        await wallet(user).writeContract({
          address: pool,
          abi: POOL_ABI,
          functionName,
          args,
          gas: 1_000_000n,
        }),
      ),
    dollars: (owner: Hex) =>
      node.client.readContract({
        address: usdc,
        abi: TOKEN_ABI,
        functionName: 'balanceOf',
        args: [owner],
      }),
    shares: (owner: Hex, tokenId: string) =>
      node.client.readContract({
        address: conditionalTokens,
        abi: CONDITIONAL_TOKENS_ABI,
        functionName: 'balanceOf',
        args: [owner, BigInt(tokenId)],
      }),
    redeem: async (user: PoolUser, { conditionId }: ListedPool) =>
      mined(
        await wallet(user).writeContract({
          address: conditionalTokens,
          abi: CONDITIONAL_TOKENS_ABI,
          functionName: 'redeemPositions',
          args: [usdc, zeroHash, conditionId, [1n, 2n]],
        }),
      ),
  };
}
