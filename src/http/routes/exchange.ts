import { z } from 'zod';
import { TOKENS } from '../../../config/limits/identity.ts';
import { SWAP } from '../../../config/limits/tokens.ts';
import { AppError } from '../../domain/errors.ts';
import { asId, type SwapId } from '../../domain/ids.ts';
import { parseDecimal } from '../../domain/units.ts';
import { web3Chain, type Web3ChainId } from '../../domain/web3-chains.ts';
import type { SwapExecution } from '../../services/swaps/swap-execution.ts';
import type { SwapRecord } from '../../domain/swap.ts';
import { userRoute, type UserContext } from '../route.ts';
import type { ApiServices } from '../services.ts';
import {
  quoteOut,
  swapEstimateOut,
  swapOut,
  viewQuote,
  viewSwap,
  viewSwapEstimate,
} from '../views/swap.ts';
import { chainField } from '../views/token.ts';
import { checksummed } from './evm-address.ts';
import { decimalField, pageFields, pageOf, pageOut } from './fields.ts';

const tickerField = checksummed(
  z.string().regex(/^[0-9A-Za-z.$_-]{1,64}$/, 'a ticker or an address'),
);
const addressField = checksummed(z.string().regex(/^[0-9A-Za-z]{1,64}$/, 'an address'));

/** Percent with two decimals, as hundredths of a percent. */
const slippageField = decimalField.transform((text, context) => {
  const bps = parseDecimal(text, 2);
  if (bps !== null && bps >= 1 && bps <= SWAP.slippageMaximumBps) return bps;
  context.addIssue({
    code: 'custom',
    message: `0.01 to ${SWAP.slippageMaximumBps / 100}, at most two decimals`,
  });
  return z.NEVER;
});

const quoteBody = z
  .strictObject({
    fromChain: chainField.meta({
      description: 'The chain of what is sold.',
      examples: ['POLYGON'],
    }),
    toChain: chainField.meta({
      description: 'The chain of what is bought; another one makes it a bridge.',
      examples: ['BASE'],
    }),
    sellTokenTicker: tickerField.meta({
      description: "A ticker of our own list, the chain's coin, or an address.",
      examples: ['USDC'],
    }),
    buyTokenTicker: tickerField.meta({ description: 'In the same way.', examples: ['ETH'] }),
    amount: decimalField.meta({
      description: 'Of what is sold, in whole tokens, as a decimal number.',
      examples: ['25'],
    }),
    walletType: z.enum(['EVM', 'SVM']).optional().meta({
      description: 'Of the wallet that sells; it follows from fromChain and must fit it.',
    }),
    sellToken: addressField.optional().meta({
      description: 'Says by address which token is sold, where the ticker is not in our list.',
    }),
    buyToken: addressField.optional().meta({ description: 'In the same way, of what is bought.' }),
    slippagePercent: slippageField.optional().meta({
      description: 'What may be lost against the expected amount; 0.5 unless stated, at most 5.',
    }),
    acceptUnpriced: z.boolean().optional().meta({
      description: 'Says that you know that a token has no price, so that no loss can be bounded.',
    }),
  })
  .meta({ id: 'QuoteRequest' });

const executeBody = z.strictObject({
  quoteId: z
    .string()
    .regex(/^quo_[0-9A-Z]{26}$/, 'the quoteId of a quote')
    .meta({
      description: 'Of a quote of yours that is still good.',
      examples: ['quo_01J9ZQ4T8XG6Q2W5E7R9T1Y3U5'],
    }),
});

const swapIdField = z
  .string()
  .regex(/^swp_[0-9A-Z]{26}$/, 'the swapId of a swap')
  .transform((text) => asId<SwapId>(text))
  .meta({
    description: 'The swapId of a swap of yours.',
    examples: ['swp_01J9ZQ4T8XG6Q2W5E7R9T1Y3U5'],
  });

/** Swaps and bridges between one's own wallets. */
export const exchangeRoutes = [
  userRoute({
    family: 'web3',
    method: 'POST',
    path: '/api/web3/exchange/get-quote/',
    budget: 'writes',
    scope: 'swap',
    operationId: 'getSwapQuote',
    summary: 'Get swap or bridge quote',
    description:
      'Asks the router for a way, and shows what would come of it. Nothing moves; the quote is good for a minute, and for your own wallets alone.',
    body: quoteBody,
    output: quoteOut,
    errors: [
      'amount_too_small',
      'ambiguous_token',
      'not_found',
      'no_route',
      'quote_refused',
      'price_late',
      'router_unavailable',
      'token_data_unavailable',
      'chain_unavailable',
      'rate_limited',
      'overloaded',
    ],
    run: async ({ services, userId }, { body }) =>
      viewQuote(
        await services.swaps.quote(userId, {
          fromChain: body.fromChain,
          toChain: body.toChain,
          sellTokenTicker: body.sellTokenTicker,
          buyTokenTicker: body.buyTokenTicker,
          sellToken: body.sellToken ?? null,
          buyToken: body.buyToken ?? null,
          amount: body.amount,
          walletType: body.walletType ?? null,
          slippageBps: body.slippagePercent ?? SWAP.slippageDefaultBps,
          acceptUnpriced: body.acceptUnpriced ?? false,
        }),
      ),
  }),
  userRoute({
    family: 'web3',
    method: 'POST',
    path: '/api/web3/exchange/estimate/',
    budget: 'writes',
    scope: 'swap',
    operationId: 'estimateSwap',
    summary: 'Say what executing a quote would do',
    description:
      'Takes what an execution takes, tries it out on the chain and makes nothing: what the caps leave, and what it would be refused for. The quote stays good.',
    body: executeBody,
    output: swapEstimateOut,
    errors: ['not_found', 'quote_expired'],
    run: async ({ services, userId, ...call }, { body }) =>
      viewSwapEstimate(
        await services.swaps.estimate(userId, { quoteId: body.quoteId, ...callerOf(call) }),
      ),
  }),
  userRoute({
    family: 'web3',
    method: 'POST',
    path: '/api/web3/exchange/execute/',
    budget: 'writes',
    status: 201,
    movesMoney: true,
    scope: 'swap',
    operationId: 'executeSwap',
    summary: 'Execute swap or bridge',
    description:
      'Executes a quote once. The answer waits a few seconds for its end; what takes longer is followed until both sides are proven, and notified.',
    body: executeBody,
    output: swapOut,
    errors: [
      'not_found',
      'quote_expired',
      'quote_refused',
      'price_late',
      'insufficient_funds',
      'trading_stopped',
      'cap_exceeded',
      'confirmation_required',
      'fresh_sign_in_required',
      'no_route',
      'limit_reached',
      'chain_unavailable',
      'store_unavailable',
    ],
    run: async ({ services, userId, idempotencyKey, ...call }, { body }) =>
      shown(
        services,
        await services.swaps.execute(userId, {
          quoteId: body.quoteId,
          ...callerOf(call),
          ...(idempotencyKey === null ? {} : { key: idempotencyKey }),
        }),
      ),
  }),
  userRoute({
    family: 'web3',
    method: 'GET',
    path: '/api/web3/exchange/',
    budget: 'reads',
    operationId: 'listSwaps',
    summary: 'List your swaps and bridges, newest first',
    description: 'All of them, those under way and those that ended.',
    query: z.strictObject(pageFields),
    output: pageOut(swapOut),
    run({ services, userId }, { query }) {
      const { data, nextCursor } = services.swaps.list(userId, pageOf(query));
      return { data: data.map((swap) => shown(services, swap)), nextCursor };
    },
  }),
  userRoute({
    family: 'web3',
    method: 'GET',
    path: '/api/web3/exchange/:id/',
    budget: 'reads',
    operationId: 'getSwap',
    summary: 'Get a swap or bridge and its state',
    description: 'Answers how far it has come, with what is proven of both sides.',
    params: z.object({ id: swapIdField }),
    output: swapOut,
    errors: ['not_found'],
    run({ services, userId }, { params }) {
      const found = services.swaps.get(userId, params.id);
      if (found === null) throw new AppError('not_found', 'you have no such swap');
      return shown(services, found);
    },
  }),
];

/** Who asks: a key never steps up, however young its token is. */
function callerOf({
  keyId,
  authenticatedAtMs,
  wallNowMs,
}: Pick<UserContext, 'keyId' | 'authenticatedAtMs' | 'wallNowMs'>): Pick<
  SwapExecution,
  'isFresh' | 'keyId'
> {
  return {
    isFresh: keyId === null && authenticatedAtMs + TOKENS.freshSignInMs > wallNowMs,
    ...(keyId === null ? {} : { keyId }),
  };
}

function shown(
  { gasPaid, coinPrice }: Pick<ApiServices, 'gasPaid' | 'coinPrice'>,
  swap: SwapRecord,
): z.input<typeof swapOut> {
  const { userId, approvalId, transactionId } = swap;
  const ids = approvalId === null ? [transactionId] : [approvalId, transactionId];
  return viewSwap(swap, { explorerOf, gas: gasPaid(userId, ids), coinPrice });
}

function explorerOf(chain: Web3ChainId): string {
  return web3Chain(chain).explorerUrl;
}
