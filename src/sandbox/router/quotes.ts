import { createHash } from 'node:crypto';
import { encodeFunctionData, isAddress, padHex, zeroAddress, type Abi, type Hex } from 'viem';
import { SWAP_CHAIN } from '../../../config/limits/sandbox.ts';
import type { FaultBoard } from '../faults.ts';
import type { SandboxToken } from '../tokens/token-table.ts';
import { sameAddress, type TokenServerOptions } from '../tokens/gecko-terminal.ts';
import type { Call, Reply } from '../wire/http-server.ts';
import { ok, readJson } from '../wire/http-server.ts';
import diamond from './contracts/RouterDiamond.json' with { type: 'json' };
import { PAIR_ABI } from './pair-code.ts';
import { coinAddress } from './router-chains.ts';
import { findToken, refused, routerChain, tokenView, type RouterToken } from './routed-tokens.ts';
import {
  DIAMOND,
  hex,
  pairAddresses,
  unitsOf,
  wholeOf,
  wrappedCoin,
  type SwapChain,
} from './swap-chain.ts';
import type { SwapChainName, SwapChains } from './swap-chains.ts';

/** ABI of the router's contract. */
export const DIAMOND_ABI = diamond.abi as Abi;

/** What quoting works with. */
export interface QuoteParts extends TokenServerOptions {
  readonly chains: SwapChains;
  readonly faults: FaultBoard;
}

/** What somebody asks for, checked. */
interface Asked {
  readonly from: RouterToken;
  readonly to: RouterToken;
  readonly amount: bigint;
  readonly sender: string;
  readonly receiver: string;
  readonly slippage: number;
}

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
  const { action } = (readJson(body) ?? {}) as { action?: Record<string, unknown> };
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
  return stepFor(asked, parts);
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
  const slippage = Number(query.get('slippage') ?? '0.005');
  const amount = query.get('fromAmount') ?? '';
  if (!isAddress(sender) || !isAddress(receiver) || !/^[1-9]\d{0,40}$/.test(amount))
    return refused(400, 1_011, 'fromAddress, toAddress and fromAmount are required');
  if (!(slippage >= 0 && slippage <= 1)) return refused(400, 1_011, 'slippage is a part of one');
  // neither end of a route may be Solana here: no bridge of this router goes there
  if (fromChain.chain === 'SOLANA' || toChain.chain === 'SOLANA' || isSame(from, to))
    return noRoute();
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
  // Solana was turned away
  const chain = await parts.chains.open(from.chain.chain as SwapChainName);
  const out = isSwap ? await swapOut(chain, asked, parts) : bridgedOut(asked);
  if (out === null || out <= 0n) return noRoute();
  const minimum = (out * BigInt(Math.round((1 - slippage) * 1e6))) / 1_000_000n;
  const id = idOf(asked, parts);
  const deadline = BigInt(Math.floor(parts.wallClock.nowMs() / 1000) + SWAP_CHAIN.quoteLifeSeconds);
  const data = isSwap
    ? swapData(chain, asked, { id, minimum, deadline, parts })
    : bridgeData(asked, { id, minimum, deadline, parts });
  const tool = isSwap ? 'sushiswap' : 'across';
  const isCoin = from.address === coinAddress(from.chain);
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
      approvalAddress: DIAMOND,
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
    transactionRequest: {
      from: asked.sender,
      to: DIAMOND,
      chainId: from.chain.id,
      data,
      value: `0x${(isCoin ? amount : 0n).toString(16)}`,
      gasLimit: '0x7a120',
      gasPrice: '0x77359400',
    },
  });
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

/** Every pool is against the chain's dollar. */
function pathOf(
  chain: SwapChain,
  from: RouterToken,
  to: RouterToken,
  { market }: QuoteParts,
): readonly SandboxToken[] | null {
  const listed = (token: RouterToken): SandboxToken | undefined =>
    token.address === coinAddress(token.chain)
      ? chain.wrapped
      : market.tokens.find(
          (row) => row.chain === chain.chain && sameAddress(row.address, token.address),
        );
  const [first, last] = [listed(from), listed(to)];
  if (first === undefined || last === undefined || first === last) return null;
  return first === chain.dollar || last === chain.dollar
    ? [first, last]
    : [first, chain.dollar, last];
}

interface Terms {
  readonly id: Hex;
  readonly minimum: bigint;
  readonly deadline: bigint;
}

/** One swap through the pairs, whose tokens come to the contract and go on from there. */
function swapData(
  chain: SwapChain,
  { from, to, amount, receiver }: Asked,
  { id, minimum, deadline, parts }: Terms & { readonly parts: QuoteParts },
): Hex {
  const [sold, bought] = [zeroed(from), zeroed(to)];
  const { router } = pairAddresses(chain.chain);
  const path = (pathOf(chain, from, to, parts) ?? []).map(hex);
  const callData =
    sold === zeroAddress
      ? encodeFunctionData({
          abi: PAIR_ABI,
          functionName: 'swapExactETHForTokens',
          args: [minimum, path, DIAMOND, deadline],
        })
      : encodeFunctionData({
          abi: PAIR_ABI,
          functionName:
            bought === zeroAddress ? 'swapExactTokensForETH' : 'swapExactTokensForTokens',
          args: [amount, minimum, path, DIAMOND, deadline],
        });
  const functionName =
    sold === zeroAddress
      ? 'swapTokensSingleV3NativeToERC20'
      : bought === zeroAddress
        ? 'swapTokensSingleV3ERC20ToNative'
        : 'swapTokensSingleV3ERC20ToERC20';
  return encodeFunctionData({
    abi: DIAMOND_ABI,
    functionName,
    args: [
      id,
      'predictd',
      zeroAddress,
      receiver,
      minimum,
      {
        callTo: router,
        approveTo: router,
        sendingAssetId: sold,
        receivingAssetId: bought,
        fromAmount: amount,
        callData,
        requiresDeposit: true,
      },
    ],
  });
}

function bridgeData(
  { from, to, amount, sender, receiver }: Asked,
  { id, minimum, deadline, parts }: Terms & { readonly parts: QuoteParts },
): Hex {
  return encodeFunctionData({
    abi: DIAMOND_ABI,
    functionName: 'startBridgeTokensViaAcrossV4',
    args: [
      {
        transactionId: id,
        bridge: 'across',
        integrator: 'predictd',
        referrer: zeroAddress,
        sendingAssetId: zeroed(from),
        receiver,
        minAmount: amount,
        destinationChainId: BigInt(to.chain.id),
        hasSourceSwaps: false,
        hasDestinationCall: false,
      },
      {
        receiverAddress: wordOf(receiver),
        refundAddress: wordOf(sender),
        sendingAssetId: wordOf(from.address),
        receivingAssetId: wordOf(bridgedForm(to, parts)),
        outputAmount: minimum,
        outputAmountMultiplier: 10n ** 18n,
        exclusiveRelayer: padHex('0x', { size: 32 }),
        quoteTimestamp: Number(deadline) - SWAP_CHAIN.quoteLifeSeconds,
        fillDeadline: Number(deadline),
        exclusivityParameter: 0,
        message: '0x',
      },
    ],
  });
}

/** A coin crosses in its wrapped form, and is paid out to a wallet as itself. */
function bridgedForm({ chain, address }: RouterToken, { market }: QuoteParts): string {
  return address === coinAddress(chain) ? wrappedCoin(market, chain.chain).address : address;
}

function wordOf(address: string): Hex {
  return padHex(address as Hex, { size: 32 }); // EVM addresses are hex
}

/** The zero address stands for the coin in the contract. */
function zeroed({ chain, address }: RouterToken): Hex {
  return address === coinAddress(chain) ? zeroAddress : (address as Hex); // EVM addresses are hex
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
