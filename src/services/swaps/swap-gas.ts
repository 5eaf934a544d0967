import { EVM_RAIL } from '../../../config/limits/chain.ts';
import { SWAP } from '../../../config/limits/tokens.ts';
import { asId, type Address } from '../../domain/ids.ts';
import type { SwapSide } from '../../domain/swap.ts';
import { worthMicros } from '../../domain/token-amount.ts';
import { web3Chain, type Web3ChainId } from '../../domain/web3-chains.ts';
import type { Runtime } from '../../ports/runtime.ts';
import type { TokenPrices } from '../tokens/token-prices.ts';
import { within } from '../tokens/within.ts';
import { approvalsFor, callOf } from './swap-calls.ts';
import type { EvmSwapNodes, SwapNodes, SwapNodesOf } from './swap-proof.ts';
import type { SwapQuote } from './swap-quotes.ts';

/**
 * What the network takes for a swap's transactions, approvals among them, in the chain's own coin;
 * it comes beside what is sold.
 */
export interface SwapGas {
  readonly coin: SwapSide;
  /** At the fee of the moment, in the coin's smallest unit. */
  readonly amount: bigint;
  /** At the highest fee that is signed for now; equal where the network has one fee. */
  readonly maximum: bigint;
  /** Of `amount`, in millionths of a dollar; null where the coin has no price. */
  readonly micros: number | null;
  /** Tried out on the chain, or the router's word where that cannot be, for want of money. */
  readonly source: 'trial' | 'router';
}

/** The coin that a chain's fees are paid in. */
export function coinOn(chain: Web3ChainId): SwapSide {
  const { native } = web3Chain(chain);
  return { chain, address: null, symbol: native.symbol, decimals: native.decimals };
}

/**
 * Returns what the network would take for a quote now; null where that is not known soon, which
 * keeps nothing from being quoted or executed.
 */
export async function gasOf(
  {
    nodesOf,
    prices,
    clock,
    log,
  }: Pick<Runtime, 'clock' | 'log'> & {
    readonly nodesOf: SwapNodesOf;
    readonly prices: TokenPrices;
  },
  quote: Pick<SwapQuote, 'userId' | 'asked' | 'sell' | 'offer'>,
): Promise<SwapGas | null> {
  const { userId, sell } = quote;
  const nodes = nodesOf(sell.chain);
  if (nodes === null) return null;
  try {
    const taken = await within(takenBy(nodes, quote), clock, SWAP.gasWaitMs);
    if (taken === null) return null;
    const coin = coinOn(sell.chain);
    const price = prices.newest(sell.chain, null);
    const micros =
      price === null ? null : Number(worthMicros(taken.amount, coin.decimals, price.priceE18));
    return { coin, micros, ...taken };
  } catch (cause) {
    log.warn({ userId, chain: sell.chain, cause }, 'swap.gas_unknown');
    return null;
  }
}

type Taken = Pick<SwapGas, 'amount' | 'maximum' | 'source'>;

async function takenBy(
  nodes: SwapNodes,
  quote: Pick<SwapQuote, 'asked' | 'sell' | 'offer'>,
): Promise<Taken | null> {
  const { transaction } = quote.offer;
  if (nodes.kind === 'evm') return takenOnEvm(nodes, quote);
  if (transaction.kind !== 'solana') return null;
  const lamports = await nodes.offered.fee(transaction.base64);
  return lamports === null ? null : { amount: lamports, maximum: lamports, source: 'trial' };
}

async function takenOnEvm(
  nodes: EvmSwapNodes,
  quote: Pick<SwapQuote, 'asked' | 'sell' | 'offer'>,
): Promise<Taken | null> {
  const { asked, offer } = quote;
  if (offer.transaction.kind !== 'evm') return null;
  const [{ maxFeePerGas, maxPriorityFeePerGas }, approvals] = await Promise.all([
    nodes.accounts.fees(),
    approvalsFor(nodes, quote),
  ]);
  const calls = [...approvals, callOf(offer.transaction)];
  const seen = await nodes.accounts.simulate(asId<Address>(asked.sender), calls);
  const stated = offer.gas === null || offer.gas > BigInt(SWAP.gasMaximum) ? null : offer.gas;
  if (seen.kind === 'reverted' && stated === null) return null;
  const gas =
    seen.kind === 'done'
      ? seen.gas
      : (stated ?? 0n) + BigInt(approvals.length) * BigInt(SWAP.approvalGas);
  return {
    // what is signed allows for twice the base fee, and a fifth more gas (`src/adapters/evm`)
    amount: (gas * (maxFeePerGas + maxPriorityFeePerGas)) / 2n,
    maximum: ((gas * EVM_RAIL.gasPercent) / 100n) * maxFeePerGas,
    source: seen.kind === 'done' ? 'trial' : 'router',
  };
}
