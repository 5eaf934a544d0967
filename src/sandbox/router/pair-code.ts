import { readFileSync } from 'node:fs';
import { parseAbi, type Hex } from 'viem';
import { z } from 'zod';
import { builtData } from '../storage/built-data.ts';

const artifactSchema = z.object({
  bytecode: z
    .string()
    .regex(/^[0-9a-f]+$/)
    .transform((text) => `0x${text}` as Hex),
});

/**
 * Creation code of Uniswap V2 as its authors published it: the factory, its router, and the wrapped
 * coin they were made with.
 */
export function pairCode(name: 'factory' | 'router' | 'wrappedCoin'): Hex {
  const paths = {
    factory: 'UniswapV2Factory',
    router: 'UniswapV2Router02',
    wrappedCoin: 'WETH9',
  };
  return artifactSchema.parse(
    JSON.parse(readFileSync(builtData(`contracts/uniswap/${paths[name]}.json`), 'utf8')),
  ).bytecode;
}

/** Of the factory, its pairs, its router and the wrapped coin, what is called here. */
export const PAIR_ABI = parseAbi([
  'function getPair(address one, address other) view returns (address)',
  'function createPair(address one, address other) returns (address)',
  'function token0() view returns (address)',
  'function getReserves() view returns (uint112 reserve0, uint112 reserve1, uint32 at)',
  'function mint(address to) returns (uint256)',
  'function sync()',
  'function deposit() payable',
  'function transfer(address to, uint256 amount) returns (bool)',
  'function balanceOf(address owner) view returns (uint256)',
  'function swapExactTokensForTokens(uint256 amountIn, uint256 minimumOut, address[] path, address to, uint256 deadline) returns (uint256[])',
  'function swapExactTokensForETH(uint256 amountIn, uint256 minimumOut, address[] path, address to, uint256 deadline) returns (uint256[])',
  'function swapExactETHForTokens(uint256 minimumOut, address[] path, address to, uint256 deadline) payable returns (uint256[])',
  'function getAmountsOut(uint256 amountIn, address[] path) view returns (uint256[] amounts)',
]);
