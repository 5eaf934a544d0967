import { z } from 'zod';
import { SOLANA_PROXY } from '../../../config/limits/solana.ts';
import { AppError } from '../../domain/errors.ts';
import type { SolanaAnswer } from '../../ports/solana.ts';
import type { SolanaQuestion } from '../../services/web3/solana-gate.ts';
import { parseJson } from '../json.ts';
import { userRoute, type UserContext } from '../route.ts';
import {
  chainOut,
  heldTokenOut,
  safeOut,
  tokenBalanceOut,
  viewChain,
  viewHeldToken,
  viewSafe,
  viewTokenBalance,
  viewWallets,
  walletsOut,
} from '../views/wallet.ts';
import { checksummed } from './evm-address.ts';
import { timeOut } from './fields.ts';

const chainField = z.enum(['ETHEREUM', 'BASE', 'POLYGON', 'BSC', 'ARBITRUM', 'SOLANA']);
const addressField = checksummed(
  z.string().regex(/^(0x[0-9a-fA-F]{40}|[1-9A-HJ-NP-Za-km-z]{32,44})$/, 'the address of a token'),
).meta({
  description: 'Of the token on its chain.',
  examples: ['0x532f27101965dd16442E59d40670FaF5eBB142E4'],
});
const methodField = z.string().regex(/^[a-zA-Z]{1,64}$/, 'a method of Solana');
const idField = z.union([z.string().max(100), z.number(), z.null()]);

const questionBody = z
  .object({
    jsonrpc: z.literal('2.0'),
    id: idField,
    method: methodField,
    params: z.array(z.unknown()).optional(),
  })
  .meta({ id: 'SolanaQuestion' });
const answerOut = z
  .looseObject({
    jsonrpc: z.literal('2.0'),
    id: idField,
    result: z.unknown().optional(),
    error: z
      .object({ code: z.int(), message: z.string(), data: z.unknown().optional() })
      .optional(),
  })
  .meta({
    id: 'SolanaAnswer',
    description: 'As the node gives it. Whole numbers beyond 2^53 come as near as a float can.',
  });

/** Wallets and chains. */
export const web3Routes = [
  userRoute({
    family: 'web3',
    method: 'GET',
    path: '/api/web3/view',
    budget: 'reads',
    operationId: 'getWallets',
    summary: 'Your wallets on every chain, valued',
    description:
      'Coins, tokens of our list, and tokens you traded, launched or added, in your wallets on every ' +
      'chain, with their worth in dollars where a price is known.',
    output: walletsOut,
    run: async ({ services, userId }) => {
      services.walletRounds.soon(userId);
      return viewWallets(await services.wallets.view(userId));
    },
  }),
  userRoute({
    family: 'web3',
    method: 'POST',
    path: '/api/web3/view/tokens',
    scope: 'session',
    budget: 'writes',
    operationId: 'addViewToken',
    summary: 'Show a token in the view of your wallets',
    description:
      'Shows a token by its address, also while you hold none. Its decimals and ticker are read from ' +
      'the token itself, on Solana its ticker from the router where it lists it; it is marked as added ' +
      'by you, and warned of where it goes by the ticker of another. The same one again is read anew.',
    body: z.strictObject({ chain: chainField, address: addressField }).meta({
      id: 'ViewToken',
      description: 'A token by its address.',
      examples: [{ chain: 'BASE', address: '0x532f27101965dd16442E59d40670FaF5eBB142E4' }],
    }),
    output: heldTokenOut,
    errors: ['chain_unavailable', 'not_found', 'limit_reached'],
    run: async ({ services, userId }, { body }) =>
      viewHeldToken(await services.wallets.addToken(userId, body)),
  }),
  userRoute({
    family: 'web3',
    method: 'DELETE',
    path: '/api/web3/view/tokens/:chain/:address',
    scope: 'session',
    budget: 'writes',
    status: 204,
    operationId: 'removeViewToken',
    summary: 'Show an added token no more',
    description: 'Takes away what you added; what you hold for another reason is still shown.',
    params: z.object({
      chain: chainField.meta({ description: 'The chain it is on.' }),
      address: addressField,
    }),
    output: null,
    run: ({ services, userId }, { params }) => services.wallets.removeToken(userId, params),
  }),
  userRoute({
    family: 'web3',
    method: 'GET',
    path: '/api/web3/safe-balance',
    budget: 'reads',
    operationId: 'getSafeBalance',
    summary: 'Dollars in your Safe on Polygon, as the chain has them',
    description:
      'What the chain says your Safe holds; the cash you can trade with is listed with your positions.',
    output: safeOut,
    errors: ['chain_unavailable'],
    run: async ({ services, userId }) => viewSafe(await services.wallets.safe(userId)),
  }),
  userRoute({
    family: 'web3',
    method: 'GET',
    path: '/api/web3/token/balance/',
    budget: 'reads',
    operationId: 'getTokenBalance',
    summary: 'How much of one token your wallet holds',
    description: 'Balance of one token on one chain, read now.',
    query: z.strictObject({
      chain: chainField.meta({ description: 'The chain to read.' }),
      token: checksummed(z.string().regex(/^[0-9A-Za-z.]{1,64}$/, 'a symbol or an address')).meta({
        description: "A symbol of our list, the chain's own coin, or an address.",
      }),
    }),
    output: tokenBalanceOut.extend({
      chain: chainField,
      walletAddress: z.string(),
      readAtMs: timeOut,
    }),
    errors: ['chain_unavailable', 'not_found'],
    run: async ({ services, userId }, { query }) => {
      const { walletAddress, balance, asOfMs } = await services.wallets.token(userId, query);
      return { ...viewTokenBalance(balance), chain: query.chain, walletAddress, readAtMs: asOfMs };
    },
  }),
  userRoute({
    family: 'web3',
    method: 'GET',
    path: '/api/web3/chains/',
    budget: 'reads',
    operationId: 'listChains',
    summary: 'List the chains wallets live on',
    description: 'The chains that wallets and balances are on.',
    output: z.object({ data: z.array(chainOut), nextCursor: z.null() }),
    run: ({ services }) => ({ data: services.wallets.chains().map(viewChain), nextCursor: null }),
  }),
  userRoute({
    family: 'web3',
    method: 'GET',
    path: '/api/web3/solana-rpc/',
    budget: 'reads',
    operationId: 'querySolana',
    summary: 'Ask Solana one question, by method and params as JSON',
    description:
      'Passes one read to a Solana node. Only methods that read and cost the node little are allowed.',
    query: z.strictObject({
      method: methodField.meta({
        description: 'A method of the JSON-RPC interface of Solana.',
        examples: ['getSlot'],
      }),
      params: z.string().max(8_000).optional().meta({ description: 'A JSON array.' }),
    }),
    output: answerOut,
    errors: ['chain_unavailable'],
    run: async (context, { query }) => {
      if (query.method === 'sendTransaction')
        throw new AppError('invalid_request', 'a GET changes nothing: send transactions by POST', {
          fields: [{ path: '/method', message: 'only by POST' }],
        });
      const [answer] = await ask(context, [
        { method: query.method, params: paramsOf(query.params) },
      ]);
      return view(1, answer);
    },
  }),
  userRoute({
    family: 'web3',
    method: 'POST',
    path: '/api/web3/solana-rpc/',
    budget: 'reads',
    operationId: 'callSolana',
    summary: 'Speak JSON-RPC with Solana: one call or up to ten',
    description:
      'Passes one JSON-RPC question to a Solana node, sendTransaction of your own transactions included.',
    body: z.union([questionBody, z.array(questionBody).min(1).max(SOLANA_PROXY.batchMaximum)], {
      error: `a call of JSON-RPC 2.0 (jsonrpc, id, method, params), or 1 to ${SOLANA_PROXY.batchMaximum} of them`,
    }),
    output: z.union([answerOut, z.array(answerOut)]),
    errors: ['chain_unavailable'],
    run: async (context, { body }) => {
      const questions = Array.isArray(body) ? body : [body];
      const answers = await ask(
        context,
        questions.map(({ method, params }) => ({ method, params: params ?? [] })),
      );
      const views = questions.map(({ id }, index) => view(id, answers[index]));
      return Array.isArray(body) ? views : (views[0] ?? view(null, undefined));
    },
  }),
];

function ask(
  { services, userId }: UserContext,
  questions: readonly SolanaQuestion[],
): Promise<readonly SolanaAnswer[]> {
  return services.solana.ask(userId, questions);
}

function paramsOf(text: string | undefined): readonly unknown[] {
  const params = text === undefined ? [] : readParams(text);
  if (Array.isArray(params)) return params;
  throw wrongParams('a JSON array');
}

function readParams(text: string): unknown {
  try {
    return parseJson(text);
  } catch (cause) {
    throw cause instanceof AppError ? wrongParams(cause.message, cause) : cause;
  }
}

function wrongParams(message: string, cause?: unknown): AppError {
  return new AppError('invalid_request', `params: ${message}`, {
    cause,
    fields: [{ path: '/params', message }],
  });
}

function view(
  id: z.output<typeof idField>,
  answer: SolanaAnswer | undefined,
): z.input<typeof answerOut> {
  if (answer === undefined) throw new Error('invariant broken: every question has its answer');
  if (answer.kind === 'result') return { jsonrpc: '2.0', id, result: answer.result };
  const { code, message, data } = answer;
  return {
    jsonrpc: '2.0',
    id,
    error: data === undefined ? { code, message } : { code, message, data },
  };
}
