import { z } from 'zod';
import { formatTokenAmount } from '../../domain/token-amount.ts';
import type { PairPool, PoolPath } from '../../ports/pair-exchange.ts';
import type { BscToken } from '../../services/web3/bsc.ts';
import { userRoute } from '../route.ts';
import { checksummed } from './evm-address.ts';
import { decimalOut, decimalField, timeOut } from './fields.ts';

const tokenField = checksummed(
  z.string().regex(/^[0-9A-Za-z.]{1,64}$/, 'a listed ticker or an address'),
);
const tokenQuery = tokenField.meta({
  description: 'A ticker of our own list, BNB, or an address.',
  examples: ['CAKE', '0x0E09FaBB73Bd3Ade0a17ECC321fD13a19e81cE82'],
});

const tokenOut = z
  .object({
    address: z.string(),
    symbol: z.string(),
    name: z.string().meta({ description: 'Its own word, cleaned and cut; never authority.' }),
    decimals: z.int(),
    totalSupply: decimalOut.meta({ description: 'In whole tokens, as decimal text, exact.' }),
    priceUsd: decimalOut.nullable().meta({
      description: 'The newest there was, however old: priceAtMs says of when.',
    }),
    priceAtMs: timeOut.nullable(),
    known: z.boolean(),
    warnings: z.array(z.enum(['look_alike', 'low_liquidity', 'fresh', 'odd_name'])),
  })
  .meta({ id: 'BscToken' });
const tokensOut = decimalOut.meta({ description: 'In whole tokens, as decimal text, exact.' });
const pathOut = z.object({
  kind: z.enum(['v2', 'v3']),
  path: z.array(z.string()),
  feePercent: decimalOut.nullable(),
  amountOut: tokensOut,
});
const weiOut = z.string().meta({ description: 'Wei for one unit of gas.' });
const errors = ['not_found', 'chain_unavailable', 'token_data_unavailable'] as const;

const PARTS = [
  { path: '/api/web3/bsc/quote', summary: 'What PancakeSwap would give for an amount now' },
  { path: '/api/web3/bsc/pools', summary: 'Pools of two tokens' },
  { path: '/api/web3/bsc/token/:address', summary: 'One token by its address' },
  { path: '/api/web3/bsc/gas', summary: 'What a transaction costs now' },
];

/** Reads of BNB Smart Chain; swaps go through the exchange, so that there is one way to execute. */
export const bscRoutes = [
  userRoute({
    family: 'web3',
    method: 'GET',
    path: '/api/web3/bsc/',
    budget: 'reads',
    operationId: 'listBscEndpoints',
    summary: 'BSC DeFi endpoints',
    description: 'Lists what can be asked of BNB Smart Chain.',
    output: z.object({
      data: z.array(z.object({ path: z.string(), summary: z.string() })),
      nextCursor: z.null(),
    }),
    run: () => ({ data: PARTS, nextCursor: null }),
  }),
  userRoute({
    family: 'web3',
    method: 'GET',
    path: '/api/web3/bsc/quote',
    budget: 'reads',
    operationId: 'getBscQuote',
    summary: 'What PancakeSwap would give for an amount now',
    description:
      'The best way through its pools, and the others; nothing is executed here: swaps go through the exchange.',
    query: z.strictObject({
      tokenIn: tokenQuery,
      tokenOut: tokenQuery,
      amount: decimalField.meta({ description: 'Of tokenIn, in whole tokens.', examples: ['10'] }),
    }),
    output: z.object({
      tokenIn: tokenOut,
      tokenOut,
      amountIn: tokensOut,
      ...pathOut.shape,
      impactPercent: decimalOut.nullable(),
      others: z.array(pathOut),
      blockNumber: z.int(),
    }),
    errors: ['no_route', ...errors],
    run: async ({ services }, { query }) => {
      const { sell, buy, amount, best, others, impactBps, blockNumber } = await services.bsc.quote(
        query.tokenIn,
        query.tokenOut,
        query.amount,
      );
      return {
        tokenIn: viewToken(sell),
        tokenOut: viewToken(buy),
        amountIn: formatTokenAmount(amount, sell.decimals),
        ...viewPath(best, buy),
        impactPercent: impactBps === null ? null : formatTokenAmount(BigInt(impactBps), 2),
        others: others.map((path) => viewPath(path, buy)),
        blockNumber,
      };
    },
  }),
  userRoute({
    family: 'web3',
    method: 'GET',
    path: '/api/web3/bsc/pools',
    budget: 'reads',
    operationId: 'listBscPools',
    summary: 'Pools of two tokens',
    description: 'Pools of two tokens on PancakeSwap, with what lies in those that say so.',
    query: z.strictObject({ tokenA: tokenQuery, tokenB: tokenQuery }),
    output: z.object({
      tokenA: tokenOut,
      tokenB: tokenOut,
      data: z.array(
        z.object({
          kind: z.enum(['v2', 'v3']),
          address: z.string(),
          feePercent: decimalOut.nullable(),
          reserveA: tokensOut.nullable(),
          reserveB: tokensOut.nullable(),
        }),
      ),
      nextCursor: z.null(),
    }),
    errors,
    run: async ({ services }, { query }) => {
      const { tokens, pools } = await services.bsc.pools(query.tokenA, query.tokenB);
      const [tokenA, tokenB] = tokens;
      return {
        tokenA: viewToken(tokenA),
        tokenB: viewToken(tokenB),
        data: pools.map(({ kind, address, feePips, reserves }: PairPool) => ({
          kind,
          address,
          feePercent: percentOf(feePips),
          reserveA: reserves === null ? null : formatTokenAmount(reserves[0], tokenA.decimals),
          reserveB: reserves === null ? null : formatTokenAmount(reserves[1], tokenB.decimals),
        })),
        nextCursor: null,
      };
    },
  }),
  userRoute({
    family: 'web3',
    method: 'GET',
    path: '/api/web3/bsc/token/:address',
    budget: 'reads',
    operationId: 'getBscToken',
    summary: 'One token by its address',
    description: 'What a token of BNB Smart Chain says of itself, with its price.',
    params: z.object({ address: tokenQuery }),
    output: tokenOut,
    errors,
    run: async ({ services }, { params }) => viewToken(await services.bsc.token(params.address)),
  }),
  userRoute({
    family: 'web3',
    method: 'GET',
    path: '/api/web3/bsc/gas',
    budget: 'reads',
    operationId: 'getBscGas',
    summary: 'What a transaction costs now',
    description: 'Fees, the newest block, and the price of the coin that pays them.',
    output: z.object({
      maxFeePerGasWei: weiOut,
      maxPriorityFeePerGasWei: weiOut,
      blockNumber: z.int(),
      bnbPriceUsd: decimalOut.nullable(),
      readAtMs: timeOut,
    }),
    errors,
    run: async ({ services }) => {
      const { fees, blockNumber, coinPrice, readAtMs } = await services.bsc.gas();
      return {
        maxFeePerGasWei: fees.maxFeePerGas.toString(),
        maxPriorityFeePerGasWei: fees.maxPriorityFeePerGas.toString(),
        blockNumber,
        bnbPriceUsd: coinPrice === null ? null : formatTokenAmount(coinPrice.priceE18, 18),
        readAtMs,
      };
    },
  }),
];

function viewToken(token: BscToken): z.input<typeof tokenOut> {
  const { address, symbol, name, decimals, totalSupply, price, isKnown, warnings } = token;
  return {
    address,
    symbol,
    name,
    decimals,
    totalSupply: formatTokenAmount(totalSupply, decimals),
    priceUsd: price === null ? null : formatTokenAmount(price.priceE18, 18),
    priceAtMs: price?.atMs ?? null,
    known: isKnown,
    warnings: [...warnings],
  };
}

function viewPath(
  { kind, path, feePips, out }: PoolPath,
  buy: Pick<BscToken, 'decimals'>,
): z.input<typeof pathOut> {
  return {
    kind,
    path: [...path],
    feePercent: percentOf(feePips),
    amountOut: formatTokenAmount(out, buy.decimals),
  };
}

/** Hundredths of a basis point are ten-thousandths of a percent. */
function percentOf(pips: number | null): string | null {
  return pips === null ? null : formatTokenAmount(BigInt(pips), 4);
}
