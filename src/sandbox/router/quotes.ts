import { createHash } from 'node:crypto';
import { isAddress, type Hex } from 'viem';
import { SWAP_CHAIN } from '../../../config/limits/sandbox-chains.ts';
import { sameAddress } from '../tokens/gecko-terminal.ts';
import { ok, readJson, type Call, type Reply } from '../wire/http-server.ts';
import { PAIR_ABI } from './pair-code.ts';
import { coinAddress, type RouterChain } from './router-chains.ts';
import { findToken, refused, routerChain, tokenView, type RouterToken } from './routed-tokens.ts';
import type { Asked, QuoteParts, Terms } from './quote-parts.ts';
import { bridgeData, bridgedForm, bytes32, listed, pathOf, swapData } from './route-calls.ts';
import { isSolanaAddress } from './solana-side.ts';
import {
  DIAMOND,
  hex,
  pairAddresses,
  unitsOf,
  wholeOf,
  wrappedCoin,
  type SwapChain,
} from './swap-chain.ts';
import type { SwapChainName } from './swap-chains.ts';

/** Answers `GET /v1/quote`: one step with its transaction (web3.md section 2.3). */
export async function quote({ query }: Call, parts: QuoteParts): Promise<Reply> {
  const asked = readQuery(query, parts);
  if ('kind' in asked) return asked;
  return stepFor(asked, parts);
}

/**
 * Answers `POST /v1/advanced/stepTransaction`: the step again with fresh figures and its
 * transaction.
 */
export async function stepTransaction({ body }: Call, parts: QuoteParts): Promise<Reply> {
  // checked by readQuery
  const { id, action } = (readJson(body) ?? {}) as {
    id?: unknown;
    action?: Record<string, unknown>;
  };
  const token = (side: unknown): string => {
    const { address } = (side ?? {}) as { address?: unknown };
    return typeof address === 'string' ? address : '';
  };
  const query = new URLSearchParams({
    fromChain: String(action?.['fromChainId'] ?? ''),
    toChain: String(action?.['toChainId'] ?? ''),
    fromToken: token(action?.['fromToken']),
    toToken: token(action?.['toToken']),
    fromAmount: String(action?.['fromAmount'] ?? ''),
    fromAddress: String(action?.['fromAddress'] ?? ''),
    toAddress: String(action?.['toAddress'] ?? action?.['fromAddress'] ?? ''),
    slippage: String(action?.['slippage'] ?? '0.005'),
  });
  const asked = readQuery(query, parts);
  if ('kind' in asked) return asked;
  const step = await stepFor(asked, parts);
  // whoever executes a route finds its step again by its name
  return step.kind === 'json' && step.status === 200 && typeof id === 'string'
    ? { ...step, body: { ...(step.body as object), id } } // a step, made above
    : step;
}

function readQuery(query: URLSearchParams, parts: QuoteParts): Asked | Reply {
  const fromChain = routerChain(query.get('fromChain') ?? '');
  const toChain = routerChain(query.get('toChain') ?? '');
  if (fromChain === null || toChain === null)
    return refused(400, 1_011, 'fromChain and toChain must be known chains');
  const from = findToken(parts, fromChain, query.get('fromToken') ?? '');
  const to = findToken(parts, toChain, query.get('toToken') ?? '');
  if (from === null || to === null) return refused(404, 1_003, 'No token found');
  const sender = query.get('fromAddress') ?? '';
  const receiver = query.get('toAddress') ?? sender;
  const isHere = (chain: RouterChain, text: string): boolean =>
    chain.chain === 'SOLANA' ? isSolanaAddress(text) : isAddress(text);
  const slippage = Number(query.get('slippage') ?? '0.005');
  const amount = query.get('fromAmount') ?? '';
  if (!isHere(fromChain, sender) || !isHere(toChain, receiver) || !/^[1-9]\d{0,40}$/.test(amount))
    return refused(400, 1_011, 'fromAddress, toAddress and fromAmount are required');
  if (!(slippage >= 0 && slippage <= 1)) return refused(400, 1_011, 'slippage is a part of one');
  const isOnSolana = fromChain.chain === 'SOLANA' || toChain.chain === 'SOLANA';
  if ((isOnSolana && parts.solana === null) || isSame(from, to)) return noRoute();
  return { from, to, amount: BigInt(amount), sender, receiver, slippage };
}

function isSame(from: RouterToken, to: RouterToken): boolean {
  return from.chain === to.chain && from.address === to.address;
}

function noRoute(): Reply {
  return refused(404, 1_002, 'No available quotes for the requested transfer');
}

async function stepFor(asked: Asked, parts: QuoteParts): Promise<Reply> {
  if (parts.faults.take('router-no-route') !== null) return noRoute();
  const { from, to, amount, slippage } = asked;
  const isSwap = from.chain === to.chain;
  // a wrapped coin would be paid out as the coin
  if (!isSwap && sameAddress(to.address, wrappedCoin(parts.market, to.chain.chain).address))
    return noRoute();
  const made = await (from.chain.chain === 'SOLANA' ? madeOnSolana : madeOnEvm)(asked, parts);
  if (made === null) return noRoute();
  const { id, out, minimum, approvalAddress, transactionRequest } = made;
  const tool = isSwap ? (from.chain.chain === 'SOLANA' ? 'jupiter' : 'sushiswap') : 'across';
  const feeUsd = isSwap
    ? 0
    : (wholeOf(amount, from) * from.priceUsd * SWAP_CHAIN.bridgeFeeMillionths) / 1e6;
  return ok({
    id,
    type: 'lifi',
    tool,
    toolDetails: { key: tool, name: tool, logoURI: '' },
    action: {
      fromChainId: from.chain.id,
      toChainId: to.chain.id,
      fromToken: tokenView(from),
      toToken: tokenView(to),
      fromAmount: amount.toString(),
      slippage,
      fromAddress: asked.sender,
      toAddress: asked.receiver,
    },
    estimate: {
      tool,
      fromAmount: amount.toString(),
      toAmount: out.toString(),
      toAmountMin: minimum.toString(),
      approvalAddress,
      executionDuration: isSwap ? 5 : 30,
      fromAmountUSD: (wholeOf(amount, from) * from.priceUsd).toFixed(4),
      toAmountUSD: (wholeOf(out, to) * to.priceUsd).toFixed(4),
      feeCosts: isSwap
        ? []
        : [
            {
              name: 'Bridge fee',
              description: 'Kept by the bridge',
              percentage: String(SWAP_CHAIN.bridgeFeeMillionths / 1e6),
              token: tokenView(from),
              amount: ((amount * BigInt(SWAP_CHAIN.bridgeFeeMillionths)) / 1_000_000n).toString(),
              amountUSD: feeUsd.toFixed(4),
              included: true,
            },
          ],
      gasCosts: [],
    },
    includedSteps: [],
    transactionRequest,
  });
}

/** What the answer to a quote hangs on: figures and the transaction. */
interface Made {
  readonly id: Hex;
  readonly out: bigint;
  readonly minimum: bigint;
  readonly approvalAddress: string;
  readonly transactionRequest: unknown;
}

async function madeOnEvm(asked: Asked, parts: QuoteParts): Promise<Made | null> {
  const { from, to, amount } = asked;
  const isSwap = from.chain === to.chain;
  const chain = await parts.chains.open(from.chain.chain as SwapChainName); // not Solana
  const out = isSwap ? await swapOut(chain, asked, parts) : bridgedOut(asked);
  if (out === null || out <= 0n) return null;
  const terms = { ...termsOf(asked, out, parts), parts };
  const isCoin = from.address === coinAddress(from.chain);
  return {
    ...terms,
    out,
    approvalAddress: DIAMOND,
    transactionRequest: {
      from: asked.sender,
      to: DIAMOND,
      chainId: from.chain.id,
      data: isSwap ? swapData(chain, asked, terms) : bridgeData(asked, terms),
      value: `0x${(isCoin ? amount : 0n).toString(16)}`,
      gasLimit: '0x7a120',
      gasPrice: '0x77359400',
    },
  };
}

/** Of Solana there is nothing but the transaction (web3.md section 2.3). */
async function madeOnSolana(asked: Asked, parts: QuoteParts): Promise<Made | null> {
  const { from, to, amount, sender, receiver, slippage } = asked;
  const { solana } = parts;
  if (solana === null) return null;
  const order = { sender, token: from.address, amount };
  const [sold, bought] = [listed(from, parts), listed(to, parts)];
  const isSwap = from.chain === to.chain;
  if (isSwap && (sold === null || bought === null || sold === bought)) return null;
  const out =
    isSwap && sold !== null && bought !== null
      ? solana.swapOut(sold, bought, amount)
      : bridgedOut(asked);
  if (out === null || out <= 0n) return null;
  const terms = termsOf(asked, out, parts);
  const data =
    isSwap && sold !== null && bought !== null
      ? solana.swap(order, {
          from: sold,
          to: bought,
          token: to.address,
          quoted: out,
          slippageBps: Math.round(slippage * 10_000),
        })
      : solana.bridge(order, {
          chainId: to.chain.id,
          recipient: bytes32(receiver),
          token: bytes32(bridgedForm(to, parts)),
          minimum: terms.minimum,
        });
  return { ...terms, out, approvalAddress: '', transactionRequest: { data } };
}

function termsOf(asked: Asked, out: bigint, parts: QuoteParts): Terms {
  return {
    id: idOf(asked, parts),
    minimum: (out * BigInt(Math.round((1 - asked.slippage) * 1e6))) / 1_000_000n,
    deadline: BigInt(Math.floor(parts.wallClock.nowMs() / 1000) + SWAP_CHAIN.quoteLifeSeconds),
  };
}

/** What is bridged arrives by the prices of the moment, less the bridge's fee. */
function bridgedOut({ from, to, amount }: Asked): bigint {
  const dollars = wholeOf(amount, from) * from.priceUsd;
  return unitsOf((dollars * (1 - SWAP_CHAIN.bridgeFeeMillionths / 1e6)) / to.priceUsd, to);
}

/** What the pools give, moved back to their prices before. */
async function swapOut(
  chain: SwapChain,
  { from, to, amount }: Asked,
  parts: QuoteParts,
): Promise<bigint | null> {
  const path = pathOf(chain, from, to, parts);
  if (path === null) return null;
  await chain.repeg(path);
  try {
    const amounts = await chain.local.node.client.readContract({
      address: pairAddresses(chain.chain).router,
      abi: PAIR_ABI,
      functionName: 'getAmountsOut',
      args: [amount, path.map(hex)],
    });
    return amounts.at(-1) ?? null;
  } catch {
    return null; // a coin for its wrapped form, and amounts no pool can give
  }
}

function idOf(asked: Asked, { wallClock }: QuoteParts): Hex {
  const text = [
    asked.from.address,
    asked.to.address,
    asked.amount,
    asked.sender,
    asked.receiver,
    wallClock.nowMs(),
    (counter += 1),
  ].join();
  return `0x${createHash('sha256').update(text).digest('hex')}`;
}

let counter = 0;
