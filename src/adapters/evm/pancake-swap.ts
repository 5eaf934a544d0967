import { getAddress, parseAbi, zeroAddress, type Abi } from 'viem';
import { asId, type Address } from '../../domain/ids.ts';
import type { EvmChain, Hex } from '../../ports/evm.ts';
import type { PairExchange, PairPool, PoolPath } from '../../ports/pair-exchange.ts';
import { readContract, readTokenFacts } from './token-facts.ts';

/** PancakeSwap on chain 56 (web3.md section 9). */
const V2_FACTORY = '0xcA143Ce32Fe78f1f7019d7d551a6402fC5350c73';
const V2_ROUTER = '0x10ED43C718714eb63d5aA57B78B54704E256024E';
const V3_FACTORY = '0x0BFbCF9fa4f9C56B0F40a671Ad40E0805A091865';
const V3_QUOTER = '0xB048Bbc1Ee6b733FFfCFb9e9CeF7375518e25997';
const V3_FEES_PIPS = [100, 500, 2_500, 10_000] as const;
/** Tokens that most pools are against: the wrapped coin and the two dollars. */
const BETWEEN = [
  '0xbb4CdB9CBd36B01bD1cBaEBF2De08d9173bc095c',
  '0x55d398326f99059fF775485246999027B3197955',
  '0x8AC76a51cc950d9822D68b83fE1Ad97B32Cd580d',
].map((text) => asId<Address>(text));

const abi = parseAbi([
  'function getAmountsOut(uint256 amountIn, address[] path) view returns (uint256[] amounts)',
  'function getPair(address one, address other) view returns (address)',
  'function getReserves() view returns (uint112 reserve0, uint112 reserve1, uint32 at)',
  'function token0() view returns (address)',
  'function getPool(address one, address other, uint24 fee) view returns (address)',
  'struct Single { address tokenIn; address tokenOut; uint256 amountIn; uint24 fee; uint160 sqrtPriceLimitX96; }',
  'function quoteExactInputSingle(Single params) returns (uint256 amountOut, uint160 price, uint32 ticks, uint256 gas)',
]);

/**
 * Reads PancakeSwap's pools through a node of chain 56; what has no code, or reverts, is no pool.
 */
export function createPancakeSwap(chain: Pick<EvmChain, 'call'>): PairExchange {
  const read = <T>(
    to: string,
    of: Abi,
    functionName: string,
    args: readonly unknown[] = [],
  ): Promise<T | null> => readContract<T>(chain, { to, abi: of, functionName, args });

  async function throughPairs(
    path: readonly Address[],
    amount: bigint,
  ): Promise<readonly PoolPath[]> {
    const amounts = await read<readonly bigint[]>(V2_ROUTER, abi, 'getAmountsOut', [amount, path]);
    const out = amounts?.at(-1) ?? 0n;
    return out > 0n ? [{ kind: 'v2', path, feePips: null, out }] : [];
  }

  async function throughPool(
    path: readonly [Address, Address],
    amount: bigint,
    feePips: number,
  ): Promise<readonly PoolPath[]> {
    const [tokenIn, tokenOut] = path;
    const answer = await read<readonly bigint[]>(V3_QUOTER, abi, 'quoteExactInputSingle', [
      { tokenIn, tokenOut, amountIn: amount, fee: feePips, sqrtPriceLimitX96: 0n },
    ]);
    const [out = 0n] = answer ?? [];
    return out > 0n ? [{ kind: 'v3', path, feePips, out }] : [];
  }

  async function pair(one: Address, other: Address): Promise<readonly PairPool[]> {
    const address = await read<Hex>(V2_FACTORY, abi, 'getPair', [one, other]);
    if (address === null || address === zeroAddress) return [];
    const [first, reserves] = await Promise.all([
      read<Hex>(address, abi, 'token0'),
      read<readonly bigint[]>(address, abi, 'getReserves'),
    ]);
    const [reserve0, reserve1] = reserves ?? [];
    const isFirst = first?.toLowerCase() === one.toLowerCase();
    return [
      {
        kind: 'v2',
        address: asId<Address>(getAddress(address)),
        feePips: null,
        reserves:
          reserve0 === undefined || reserve1 === undefined
            ? null
            : isFirst
              ? [reserve0, reserve1]
              : [reserve1, reserve0],
      },
    ];
  }

  async function pool(one: Address, other: Address, feePips: number): Promise<readonly PairPool[]> {
    const address = await read<Hex>(V3_FACTORY, abi, 'getPool', [one, other, feePips]);
    return address === null || address === zeroAddress
      ? []
      : [{ kind: 'v3', address: asId<Address>(getAddress(address)), feePips, reserves: null }];
  }

  return {
    async quotes(sell, buy, amount) {
      const between = BETWEEN.filter((token) => !same(token, sell) && !same(token, buy));
      const found = await Promise.all([
        throughPairs([sell, buy], amount),
        ...between.map((token) => throughPairs([sell, token, buy], amount)),
        ...V3_FEES_PIPS.map((fee) => throughPool([sell, buy], amount, fee)),
      ]);
      return found.flat().sort((a, b) => (a.out === b.out ? 0 : a.out < b.out ? 1 : -1));
    },
    async pools(one, other) {
      const found = await Promise.all([
        pair(one, other),
        ...V3_FEES_PIPS.map((fee) => pool(one, other, fee)),
      ]);
      return found.flat();
    },
    token: (address) => readTokenFacts(chain, address),
  };
}

function same(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase();
}
