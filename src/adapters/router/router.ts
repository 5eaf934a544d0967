import type { z } from 'zod';
import { ROUTER } from '../../../config/limits/tokens.ts';
import { plainDecimal } from '../../domain/decimal-text.ts';
import { AppError } from '../../domain/errors.ts';
import type { Web3ChainId } from '../../domain/web3-chains.ts';
import type { Runtime } from '../../ports/runtime.ts';
import type {
  RoutedToken,
  RouteOffer,
  Router,
  RouteRequest,
  RouterTokens,
  RouteStatus,
} from '../../ports/router.ts';
import { createHttpCalls } from '../wire/http-calls.ts';
import { createRateLimit } from '../wire/rate-limit.ts';
import { readAnswer } from '../wire/read-answer.ts';
import { spelledAddress } from '../wire/token-address.ts';
import { READ_BRIDGES, readRouteCall } from './call-data.ts';
import { chainOfRouter, ROUTER_CHAIN_IDS } from './chain-ids.ts';
import { readSolanaOffer } from './solana-call-data.ts';
import { statusSchema, stepSchema, tokenSchema, tokensSchema } from './schema.ts';

/** What represents a chain's own coin there. */
const COINS: ReadonlySet<string> = new Set([
  '0x0000000000000000000000000000000000000000',
  '11111111111111111111111111111111',
]);

/** Speaks to the router (LI.FI's interface, web3.md section 2). Nothing it says is authority. */
export function createRouter({
  baseUrl,
  key,
  clock,
  metrics,
}: Pick<Runtime, 'clock' | 'metrics'> & {
  /** With its version. */
  readonly baseUrl: string;
  readonly key: string | null;
}): RouterTokens & Router & { close(): Promise<void> } {
  const { connectionsMaximum, keepAliveMs, connectTimeoutMs, answerMaximumBytes, callTimeoutMs } =
    ROUTER;
  const calls = createHttpCalls({
    baseUrl,
    connectionsMaximum,
    keepAliveMs,
    connectTimeoutMs,
    answerMaximumBytes,
    headers: {
      'x-lifi-integrator': 'predictd',
      ...(key === null ? {} : { 'x-lifi-api-key': key }),
    },
  });
  const rate = createRateLimit({
    name: 'router',
    clock,
    perSecond: ROUTER.perSecond,
    burst: ROUTER.burst,
    waitingMaximum: ROUTER.waitingMaximum,
  });

  /** Null on 404. */
  async function get<Schema extends z.ZodType>(
    call: string,
    path: string,
    schema: Schema,
    timeoutMs: number = callTimeoutMs,
  ): Promise<z.output<Schema> | null> {
    await rate.take();
    const stopTimer = metrics.startTimer('router_call_duration_seconds', { call });
    const outcome = await calls.send({ method: 'GET', path, timeoutMs });
    stopTimer();
    const read = readAnswer(outcome, schema);
    metrics.count('router_calls_total', {
      call,
      outcome: read.kind === 'unread' ? 'failed' : 'answered',
    });
    if (read.kind === 'absent') return null;
    if (read.kind === 'read') return read.value;
    throw new AppError('router_unavailable', `the router ${read.why}`, { retryable: true });
  }

  return {
    close: () => calls.close(),
    async offer(request) {
      const answer = await get(
        'quote',
        `/quote?${queryOf(request)}`,
        stepSchema,
        ROUTER.quoteTimeoutMs,
      );
      if (answer === null)
        throw new AppError('no_route', 'the router has no route for this', { retryable: true });
      return offerOf(answer);
    },
    async status({ transactionHash, fromChain, toChain, tool }) {
      const query = new URLSearchParams({
        txHash: transactionHash,
        fromChain: String(ROUTER_CHAIN_IDS[fromChain]),
        toChain: String(ROUTER_CHAIN_IDS[toChain]),
        bridge: tool,
      });
      const answer = await get(
        'status',
        `/status?${query.toString()}`,
        statusSchema,
        ROUTER.quoteTimeoutMs,
      );
      return statusOf(answer);
    },
    async tokens({ chains, search, limit }) {
      const ids = chains.map((chain) => ROUTER_CHAIN_IDS[chain]).join(',');
      const words = search === '' ? '' : `&search=${encodeURIComponent(search)}`;
      const answer = await get(
        'tokens',
        `/tokens?chains=${ids}&limit=${limit}&orderBy=volumeUSD24H&extended=true${words}`,
        tokensSchema,
      );
      const rows = chains.flatMap((chain) =>
        (answer?.tokens[String(ROUTER_CHAIN_IDS[chain])] ?? []).map((token) =>
          routed(chain, token),
        ),
      );
      return rows.sort(
        (one, other) => Number(other.volume24hUsd ?? 0) - Number(one.volume24hUsd ?? 0),
      );
    },
    async token(chain, token) {
      const answer = await get(
        'token',
        `/token?chain=${ROUTER_CHAIN_IDS[chain]}&token=${encodeURIComponent(token)}`,
        tokenSchema,
      );
      if (answer !== null && answer.chainId !== ROUTER_CHAIN_IDS[chain])
        throw new AppError(
          'router_unavailable',
          'the router answered with a token of another chain',
          {
            retryable: true,
          },
        );
      return answer === null ? null : routed(chain, answer);
    },
  };
}

function queryOf(request: RouteRequest): string {
  const { fromChain, toChain, sellToken, buyToken, amount, sender, receiver, slippageBps } =
    request;
  return new URLSearchParams({
    fromChain: String(ROUTER_CHAIN_IDS[fromChain]),
    toChain: String(ROUTER_CHAIN_IDS[toChain]),
    fromToken: sellToken ?? coinOf(fromChain),
    toToken: buyToken ?? coinOf(toChain),
    fromAmount: amount.toString(),
    fromAddress: sender,
    toAddress: receiver,
    slippage: String(slippageBps / 10_000),
    integrator: 'predictd',
    // nothing else could be read, and what cannot be read is refused
    allowBridges: READ_BRIDGES.join(','),
    allowDestinationCall: 'false',
  }).toString();
}

function coinOf(chain: Web3ChainId): string {
  const [evm = '', solana = ''] = COINS;
  return chain === 'SOLANA' ? solana : evm;
}

function offerOf({
  tool,
  action,
  estimate,
  transactionRequest,
}: z.output<typeof stepSchema>): RouteOffer {
  const { fromChainId, toChainId, fromToken, toToken, fromAmount, fromAddress, toAddress } = action;
  return {
    tool,
    fromChain: chainOfRouter(fromChainId),
    toChain: chainOfRouter(toChainId),
    sellToken: COINS.has(fromToken.address) ? null : fromToken.address,
    buyToken: COINS.has(toToken.address) ? null : toToken.address,
    buyDecimals: toToken.decimals,
    amount: fromAmount,
    sender: fromAddress,
    receiver: toAddress,
    out: estimate.toAmount,
    minimumOut: estimate.toAmountMin,
    spender: estimate.approvalAddress,
    seconds: Math.ceil(estimate.executionDuration),
    fees: (estimate.feeCosts ?? []).map(({ name, amountUSD }) => ({
      name: name.replace(/\p{C}/gu, '').slice(0, 60),
      usd: figure(amountUSD, 6) ?? '0',
    })),
    gas: 'chainId' in transactionRequest ? (transactionRequest.gasLimit ?? null) : null,
    ...signedPart(transactionRequest),
  };
}

function signedPart(
  request: z.output<typeof stepSchema>['transactionRequest'],
): Pick<RouteOffer, 'transaction' | 'call'> {
  if (!('chainId' in request)) return readSolanaOffer(request.data);
  const { chainId, from, to, data, value } = request;
  const chain = chainOfRouter(chainId);
  return {
    transaction: { kind: 'evm', chain, from, to, data, valueWei: value ?? 0n },
    call: chain === null ? null : readRouteCall(chain, data),
  };
}

/** An unknown detail keeps the meaning of the status (web3.md section 2.5). */
function statusOf(answer: z.output<typeof statusSchema> | null): RouteStatus {
  const { status = 'NOT_FOUND', substatus, receiving } = answer ?? {};
  const token = receiving?.token?.address ?? null;
  const receivingChain =
    receiving?.chainId === undefined || receiving.chainId === null
      ? null
      : (chainOfRouter(receiving.chainId) ?? 'other');
  return {
    state:
      status === 'DONE'
        ? substatus === 'REFUNDED'
          ? 'refunded'
          : substatus === 'PARTIAL'
            ? 'partial'
            : 'done'
        : status === 'FAILED'
          ? 'failed'
          : status === 'PENDING'
            ? 'pending'
            : 'unknown',
    receivingChain,
    receivingHash: receiving?.txHash ?? null,
    receivedToken:
      token === null || COINS.has(token)
        ? null
        : receivingChain === null || receivingChain === 'other'
          ? token
          : spelledAddress(receivingChain, token),
  };
}

function routed(chain: Web3ChainId, token: z.output<typeof tokenSchema>): RoutedToken {
  const { address, symbol, name, decimals, priceUSD, marketCapUSD, volumeUSD24H } = token;
  return {
    chain,
    address: COINS.has(address) ? null : spelledAddress(chain, address),
    symbol,
    name,
    decimals,
    priceUsd: figure(priceUSD, 30),
    marketCapUsd: figure(marketCapUSD, 2),
    volume24hUsd: figure(volumeUSD24H, 2),
  };
}

function figure(value: string | number | null | undefined, decimals: number): string | null {
  const plain = value === null || value === undefined ? null : plainDecimal(value, decimals);
  return plain === null || plain.startsWith('-') ? null : plain;
}
