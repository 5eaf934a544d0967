import { zeroAddress } from 'viem';
import { z } from 'zod';
import { SWAP_CHAIN } from '../../../config/limits/sandbox-chains.ts';
import type { TokenServerOptions } from '../tokens/gecko-terminal.ts';
import { ok, readJson, type Call, type Reply } from '../wire/http-server.ts';
import { quote } from './quotes.ts';
import type { QuoteParts } from './quote-parts.ts';
import { refused, routedTokens, routerChain, tokenView } from './routed-tokens.ts';
import { ROUTER_CHAINS, type RouterChain } from './router-chains.ts';
import { unitsOf } from './swap-chain.ts';

const chainId = z.union([z.int(), z.string()]).transform(String);
const routesSchema = z.object({
  fromChainId: chainId,
  toChainId: chainId,
  fromTokenAddress: z.string(),
  toTokenAddress: z.string(),
  fromAmount: z.string(),
  fromAddress: z.string().optional(),
  toAddress: z.string().optional(),
  options: z.object({ slippage: z.number().optional() }).optional(),
});

/** What a step of a quote holds, as far as its route repeats it. */
interface Step {
  readonly id: string;
  readonly action: Readonly<Record<string, unknown>>;
  readonly estimate: Readonly<Record<string, unknown>>;
  readonly transactionRequest: unknown;
}

/**
 * Answers `POST /v1/advanced/routes`: the one way this router has, as a route of one step. Its
 * transaction comes with `stepTransaction` (web3.md section 2.3).
 */
export async function routes(call: Call, parts: QuoteParts): Promise<Reply> {
  const read = routesSchema.safeParse(readJson(call.body));
  if (!read.success) return refused(400, 1_011, z.prettifyError(read.error));
  const { fromChainId, toChainId, fromTokenAddress, toTokenAddress, fromAmount } = read.data;
  const { fromAddress, toAddress, options } = read.data;
  const noWalletOn = (id: string): string =>
    routerChain(id)?.chain === 'SOLANA' ? SYSTEM_PROGRAM : zeroAddress;
  const query = new URLSearchParams({
    fromChain: fromChainId,
    toChain: toChainId,
    fromToken: fromTokenAddress,
    toToken: toTokenAddress,
    fromAmount,
    fromAddress: fromAddress ?? noWalletOn(fromChainId),
    toAddress:
      toAddress ?? (fromChainId === toChainId ? fromAddress : undefined) ?? noWalletOn(toChainId),
    slippage: String(options?.slippage ?? 0.005),
  });
  const made = await quote({ ...call, query }, parts);
  const none = { filteredOut: [], failed: [] };
  if (made.kind !== 'json' || made.status !== 200)
    return made.kind === 'json' && made.status === 404
      ? ok({ routes: [], unavailableRoutes: none })
      : made;
  const { transactionRequest: _later, ...step } = made.body as Step; // a quote's own body
  const { action, estimate } = step;
  const route = {
    id: step.id,
    fromChainId: action['fromChainId'],
    fromAmountUSD: estimate['fromAmountUSD'],
    fromAmount,
    fromToken: action['fromToken'],
    fromAddress: action['fromAddress'],
    toChainId: action['toChainId'],
    toAmountUSD: estimate['toAmountUSD'],
    toAmount: estimate['toAmount'],
    toAmountMin: estimate['toAmountMin'],
    toToken: action['toToken'],
    toAddress: action['toAddress'],
    gasCostUSD: '0',
    containsSwitchChain: false,
    steps: [step],
    tags: ['RECOMMENDED', 'CHEAPEST', 'FASTEST'],
  };
  return ok({ routes: [route], unavailableRoutes: none });
}

/** Answers `GET /v1/connections`: between which chains which tokens go. */
export function connections({ query }: Call, options: TokenServerOptions): Reply {
  const sides = (name: 'from' | 'to'): readonly RouterChain[] | null => {
    const text = query.get(`${name}Chain`);
    if (text === null) return ROUTER_CHAINS;
    const chain = routerChain(text);
    return chain === null ? null : [chain];
  };
  const [from, to] = [sides('from'), sides('to')];
  if (from === null || to === null)
    return refused(400, 1_011, 'fromChain and toChain must be known');
  const tokens = (chain: RouterChain, name: 'fromToken' | 'toToken'): readonly unknown[] =>
    routedTokens(options, chain)
      .filter(({ address, symbol }) => {
        const wanted = query.get(name)?.toLowerCase();
        return (
          wanted === undefined || [address, symbol].some((text) => text.toLowerCase() === wanted)
        );
      })
      .map((token) => tokenView(token));
  return ok({
    connections: from.flatMap((one) =>
      to.map((other) => ({
        fromChainId: one.id,
        toChainId: other.id,
        fromTokens: tokens(one, 'fromToken'),
        toTokens: tokens(other, 'toToken'),
      })),
    ),
  });
}

/** Answers `GET /v1/gas/suggestion/:chain`: coin enough for some transactions of a chain. */
export function gasSuggestion({ params }: Call, options: TokenServerOptions): Reply {
  const chain = routerChain(params['chain'] ?? '');
  const [coin] = chain === null ? [] : routedTokens(options, chain);
  if (coin === undefined) return refused(400, 1_011, 'the chain must be a known one');
  const side = (dollars: number) => ({
    token: tokenView(coin),
    amount: unitsOf(dollars / coin.priceUsd, coin).toString(),
    amountUsd: dollars.toFixed(2),
  });
  return ok({
    available: true,
    recommended: side(SWAP_CHAIN.gasSuggestedUsd),
    limit: side(SWAP_CHAIN.gasSuggestedUsd * 5),
  });
}

/** Owns every wallet of Solana; a route without a named wallet is of it. */
const SYSTEM_PROGRAM = '11111111111111111111111111111111';
