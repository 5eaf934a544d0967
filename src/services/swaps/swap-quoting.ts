import { SWAP } from '../../../config/limits/tokens.ts';
import { AppError } from '../../domain/errors.ts';
import type { UserId } from '../../domain/ids.ts';
import type { SwapSide } from '../../domain/swap.ts';
import {
  faultsOfOffer,
  impactBps,
  worstLossMicros,
  type AskedSwap,
  type SwapRules,
} from '../../domain/swap-checks.ts';
import { scaledDecimal } from '../../domain/decimal-text.ts';
import { web3Chain, type Web3ChainId } from '../../domain/web3-chains.ts';
import { newIdBody } from '../new-id.ts';
import { assertNotLate } from '../tokens/price-late.ts';
import type { SwapDeps } from './swap-deps.ts';
import { coinOn, gasOf } from './swap-gas.ts';
import type { SwapQuote } from './swap-quotes.ts';
import { assertOtherToken } from '../tokens/same-token.ts';
import { resolveSide, walletOn } from './swap-sides.ts';

/** A quote a user asks for. */
export interface QuoteRequest {
  readonly fromChain: Web3ChainId;
  readonly toChain: Web3ChainId;
  readonly sellTokenTicker: string;
  readonly buyTokenTicker: string;
  readonly sellToken: string | null;
  readonly buyToken: string | null;
  /** Decimal text, in whole tokens. */
  readonly amount: string;
  readonly walletType: 'EVM' | 'SVM' | null;
  readonly slippageBps: number;
  readonly acceptUnpriced: boolean;
}

/** Asks the router on a user's behalf and checks what it offers. Errors: those of `Swaps.quote`. */
export async function makeQuote(
  deps: SwapDeps,
  userId: UserId,
  request: QuoteRequest,
): Promise<SwapQuote> {
  const { clock, random, quotes, router } = deps;
  assertChains(deps, request);
  const [sell, buy] = await Promise.all([
    resolveSide(deps, userId, {
      chain: request.fromChain,
      ticker: request.sellTokenTicker,
      address: request.sellToken,
      tickerField: 'sellTokenTicker',
      addressField: 'sellToken',
    }),
    resolveSide(deps, userId, {
      chain: request.toChain,
      ticker: request.buyTokenTicker,
      address: request.buyToken,
      tickerField: 'buyTokenTicker',
      addressField: 'buyToken',
    }),
  ]);
  const asked = askedSwap(deps, userId, { request, sell, buy });
  await deps.prices.warm([sell, buy, coinOn(sell.chain)], SWAP.priceWaitMs);
  const offer = await router.offer({
    fromChain: sell.chain,
    toChain: buy.chain,
    sellToken: sell.address,
    buyToken: buy.address,
    amount: asked.amount,
    sender: asked.sender,
    receiver: asked.receiver,
    slippageBps: asked.slippageBps,
  });
  const rules = rulesFor(deps, sell, buy);
  holdOffer(deps, { userId, asked, offer, sell, buy }, 'quote');
  const loss = worstLossMicros(asked, offer.minimumOut, rules);
  const gas = await gasOf(deps, { userId, asked, sell, offer });
  const quote = {
    quoteId: `quo_${newIdBody({ clock, random })}`,
    userId,
    asked,
    sell,
    buy,
    offer,
    worstLossMicros: loss === null ? null : Number(loss),
    impactBps: impactBps(asked, offer.out, rules),
    gas,
    expiresAtMs: clock.nowMs() + SWAP.quoteLifeMs,
  };
  quotes.put(quote);
  return quote;
}

/**
 * Holds an offer to what was asked for. A price that is late says nothing against it: what else is
 * wrong is reported first. Errors: `quote_refused`, `price_late`.
 */
export function holdOffer(
  deps: Pick<SwapDeps, 'prices' | 'targets' | 'programs' | 'log' | 'metrics'>,
  {
    userId,
    asked,
    offer,
    sell,
    buy,
  }: Pick<SwapQuote, 'userId' | 'asked' | 'offer' | 'sell' | 'buy'>,
  stage: 'quote' | 'execution',
): void {
  const { prices } = deps;
  const isLate = [sell, buy].some(({ chain, address }) => prices.isLate(chain, address));
  const held = isLate ? { ...asked, acceptUnpriced: true } : asked;
  const faults = faultsOfOffer(held, offer, rulesFor(deps, sell, buy));
  refuseFaults(deps, userId, { stage, faults });
  if (!asked.acceptUnpriced) assertNotLate(prices, [sell, buy]);
}

/** What an offer is held to, at the prices of the moment. */
export function rulesFor(
  { prices, targets, programs }: Pick<SwapDeps, 'prices' | 'targets' | 'programs'>,
  sell: SwapSide,
  buy: SwapSide,
): SwapRules {
  return {
    targets,
    programs,
    lossMaximumBps: SWAP.lossMaximumBps,
    sellPrice: prices.newest(sell.chain, sell.address),
    buyPrice: prices.newest(buy.chain, buy.address),
  };
}

/**
 * Refuses what may not be signed, with everything that is wrong with it, where the user sees it.
 * Errors: `quote_refused`.
 */
export function refuseFaults(
  { log, metrics }: Pick<SwapDeps, 'log' | 'metrics'>,
  userId: UserId,
  { stage, faults }: { readonly stage: 'quote' | 'execution'; readonly faults: readonly string[] },
): void {
  if (faults.length === 0) return;
  log.warn({ userId, stage, faults }, 'swap.offer_refused');
  metrics.count('swap_offers_refused_total', { stage });
  throw new AppError('quote_refused', `the router's offer is refused: ${faults.join('; ')}`);
}

function assertChains(
  { nodesOf }: Pick<SwapDeps, 'nodesOf'>,
  { fromChain, toChain, walletType }: QuoteRequest,
): void {
  const own = web3Chain(fromChain).walletType;
  if (walletType !== null && walletType !== own)
    throw new AppError('invalid_request', `walletType: ${fromChain} is of your ${own} wallet`, {
      fields: [{ path: '/walletType', message: `must be ${own}, or left out` }],
    });
  for (const chain of [fromChain, toChain])
    if (nodesOf(chain) === null)
      throw new AppError('no_route', `swaps from and to ${chain} are not routed here`);
}

function askedSwap(
  { walletsOf }: Pick<SwapDeps, 'walletsOf'>,
  userId: UserId,
  {
    request,
    sell,
    buy,
  }: { readonly request: QuoteRequest; readonly sell: SwapSide; readonly buy: SwapSide },
): AskedSwap {
  const { amount, slippageBps, acceptUnpriced } = request;
  if ((amount.split('.')[1] ?? '').length > sell.decimals)
    throw new AppError('invalid_request', `amount: ${sell.symbol} has ${sell.decimals} decimals`, {
      fields: [{ path: '/amount', message: `must have at most ${sell.decimals} decimals` }],
    });
  const units = scaledDecimal(amount, sell.decimals) ?? 0n;
  if (units <= 0n)
    throw new AppError('amount_too_small', 'the amount must be more than zero', {
      fields: [{ path: '/amount', message: 'must be more than zero' }],
    });
  assertOtherToken(sell, buy, '/buyTokenTicker');
  const wallets = walletsOf(userId);
  return {
    fromChain: sell.chain,
    toChain: buy.chain,
    sellToken: sell.address,
    buyToken: buy.address,
    sellDecimals: sell.decimals,
    buyDecimals: buy.decimals,
    amount: units,
    sender: walletOn(wallets, sell.chain),
    receiver: walletOn(wallets, buy.chain),
    slippageBps,
    acceptUnpriced,
  };
}
