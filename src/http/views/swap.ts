import { z } from 'zod';
import { explainTransaction } from '../../domain/transaction-reason.ts';
import { reasonFields } from './reason.ts';
import type { GasPaid } from '../../domain/fill.ts';
import { receivedSide, type SwapRecord, type SwapSide } from '../../domain/swap.ts';
import { formatTokenAmount } from '../../domain/token-amount.ts';
import { web3Chain, type Web3ChainId } from '../../domain/web3-chains.ts';
import type { CoinPrice } from '../../services/orders/estimate.ts';
import type { SwapGas } from '../../services/swaps/swap-gas.ts';
import type { SwapEstimate } from '../../services/swaps/swap-estimate.ts';
import type { SwapQuote } from '../../services/swaps/swap-quotes.ts';
import { decimalOut, timeOut, usdcOut } from '../routes/fields.ts';
import { gasPaidOut, viewGasPaid } from './gas-paid.ts';
import { refusalOut, viewRefusal } from './refusal.ts';
import { chainField } from './token.ts';

const sideOut = z
  .object({
    chain: chainField,
    token: z.string().nullable().meta({ description: "Null for the chain's own coin." }),
    symbol: z.string(),
    decimals: z.int(),
  })
  .meta({ id: 'SwapSide' });
const tokensOut = decimalOut.meta({ description: 'In whole tokens, as decimal text, exact.' });

const lossOut = decimalOut.nullable().meta({
  description:
    'At our own prices: what goes in less the least that comes out; null where a token has no price.',
});
const gasOut = z
  .object({
    symbol: z.string().meta({ description: "Of the chain's own coin, which pays for it." }),
    amount: tokensOut.meta({
      description: 'At the fee of the moment, in whole coins; approvals are in it.',
    }),
    amountUsd: decimalOut.nullable(),
    maximum: tokensOut.meta({ description: 'At the highest fee that would be signed for now.' }),
    source: z.enum(['trial', 'router']).meta({
      description: 'Asked of the chain, or stated by the router where the wallet holds too little.',
    }),
  })
  .nullable()
  .meta({
    description:
      'What the network takes beside what is sold; null where its chain did not tell in time.',
  });
const feesOut = z.array(z.object({ name: z.string(), amountUsd: decimalOut }));

/** A quote. */
export const quoteOut = z
  .object({
    quoteId: z.string(),
    expiresAtMs: timeOut,
    sell: sideOut,
    buy: sideOut,
    amount: tokensOut,
    expectedOut: tokensOut,
    minimumOut: tokensOut.meta({ description: 'The least that comes out, in whole tokens.' }),
    slippagePercent: decimalOut,
    worstLossUsd: lossOut,
    priceImpactPercent: decimalOut.nullable().meta({
      description:
        'At our own prices: how much less the expected amount is worth than what goes in; below zero where it is worth more, null where a token has no price.',
    }),
    fees: feesOut,
    gas: gasOut,
    seconds: z.int().meta({ description: 'How long it takes, by the router.' }),
    route: z.string().meta({ description: 'The way in plain words.' }),
    walletAddress: z.string().meta({ description: 'Your own: it sells, and it is paid.' }),
    spender: z.string().nullable().meta({
      description: 'The contract that gets the exact right to what is sold; null for a coin.',
    }),
  })
  .meta({ id: 'SwapQuote' });

/** What executing a quote would do. */
export const swapEstimateOut = z
  .object({
    quoteId: z.string(),
    expiresAtMs: timeOut,
    sell: sideOut,
    buy: sideOut,
    amount: tokensOut,
    minimumOut: tokensOut.meta({ description: 'The least that comes out, in whole tokens.' }),
    worstLossUsd: lossOut,
    fees: feesOut,
    gas: gasOut,
    countsUsd: decimalOut.nullable().meta({
      description: 'What of it counts as leaving in the day; null where unknown.',
    }),
    needsFreshSignIn: z.boolean().meta({
      description: 'Whether you would have to sign in anew first; no API key can.',
    }),
    left: z
      .object({
        dailyOutUsd: decimalOut.nullable().meta({
          description: 'Of what may leave without a fresh sign-in; null where unknown.',
        }),
        keyOrder: usdcOut.nullable().meta({
          description: 'The most the API key may sell in one call; null where no cap binds.',
        }),
        keyDay: usdcOut.nullable().meta({
          description: 'Of what the API key may spend in a day; null where no cap binds.',
        }),
      })
      .meta({ description: 'What the caps leave after it, in USD.' }),
    refusal: refusalOut.nullable().meta({
      description: 'What executing it would be refused for now; null where it would not.',
    }),
  })
  .meta({ id: 'SwapEstimate' });

/** A swap or bridge. */
export const swapOut = z
  .object({
    swapId: z.string(),
    state: z
      .enum(['queued', 'following', 'completed', 'refunded', 'partial', 'failed', 'unproven'])
      .meta({
        description:
          'Waiting or on its way to the chain, sent and watched on the other side, or ended: all but the first two are final, and completed, refunded and partial are proven on the chains.',
      }),
    sell: sideOut,
    buy: sideOut,
    amount: tokensOut,
    expectedOut: tokensOut,
    minimumOut: tokensOut,
    received: tokensOut
      .meta({
        description:
          'What arrived, in whole tokens of `receivedSide`. A swap that is completed without it says why in `reason`.',
      })
      .nullable(),
    receivedSide: sideOut.nullable().meta({
      description:
        'Of which token and chain it is: what was bought, what was sold where that was refunded, or what the bridge paid instead. Null while nothing arrived, and where the decimals of what was paid instead are not known: `received` is then null too.',
    }),
    receivedToken: z.string().nullable().meta({
      description:
        'What arrived in the place of the token bought: its address, or the ticker of the chain’s coin.',
    }),
    ...reasonFields,
    gas: gasPaidOut,
    sentHash: z.string().nullable(),
    sentUrl: z.string().nullable(),
    receivedHash: z.string().nullable(),
    receivedUrl: z.string().nullable(),
    createdAtMs: timeOut,
    updatedAtMs: timeOut,
  })
  .meta({ id: 'Swap' });

/** Puts a quote into words. */
export function viewQuote(quote: SwapQuote): z.input<typeof quoteOut> {
  const { quoteId, expiresAtMs, asked, sell, buy, offer, worstLossMicros, impactBps } = quote;
  const isBridge = sell.chain !== buy.chain;
  const [from, to] = [web3Chain(sell.chain).name, web3Chain(buy.chain).name];
  const expectedOut = formatTokenAmount(offer.out, buy.decimals);
  const amount = formatTokenAmount(asked.amount, sell.decimals);
  return {
    quoteId,
    expiresAtMs,
    sell: viewSide(sell),
    buy: viewSide(buy),
    amount,
    expectedOut,
    minimumOut: formatTokenAmount(offer.minimumOut, buy.decimals),
    slippagePercent: formatTokenAmount(BigInt(asked.slippageBps), 2),
    worstLossUsd: usd(worstLossMicros),
    priceImpactPercent: impactBps === null ? null : signed(impactBps),
    fees: viewFees(quote),
    gas: viewGas(quote.gas),
    seconds: offer.seconds,
    route: isBridge
      ? `${amount} ${sell.symbol} leave your wallet on ${from} by ${offer.tool}, and about ${expectedOut} ${buy.symbol} arrive in your wallet on ${to}`
      : `${amount} ${sell.symbol} become about ${expectedOut} ${buy.symbol} in your wallet on ${from}, by ${offer.tool}`,
    walletAddress: asked.sender,
    spender: sell.address === null ? null : offer.spender,
  };
}

/** Puts what executing a quote would do into words. */
export function viewSwapEstimate(estimate: SwapEstimate): z.input<typeof swapEstimateOut> {
  const { quote, counted, needsFreshSignIn, refusal } = estimate;
  const { quoteId, expiresAtMs, asked, sell, buy, offer, worstLossMicros } = quote;
  return {
    quoteId,
    expiresAtMs,
    sell: viewSide(sell),
    buy: viewSide(buy),
    amount: formatTokenAmount(asked.amount, sell.decimals),
    minimumOut: formatTokenAmount(offer.minimumOut, buy.decimals),
    worstLossUsd: usd(worstLossMicros),
    fees: viewFees(quote),
    gas: viewGas(estimate.gas),
    countsUsd: usd(counted.outMicros),
    needsFreshSignIn,
    left: {
      dailyOutUsd: usd(estimate.dayLeftMicros),
      keyOrder: usd(estimate.keyOrderMicros),
      keyDay: usd(estimate.keyDayLeftMicros),
    },
    refusal: viewRefusal(refusal),
  };
}

/** What a swap is shown with. */
interface SwapFacts {
  explorerOf(chain: Web3ChainId): string;
  /** That its transactions took, as far as it is known. */
  readonly gas: GasPaid | undefined;
  readonly coinPrice: CoinPrice;
}

/** Puts a swap into words. */
export function viewSwap(
  swap: SwapRecord,
  { explorerOf, gas, coinPrice }: SwapFacts,
): z.input<typeof swapOut> {
  const { sell, buy, state, received, receivedToken, sentHash, receivedHash } = swap;
  const side = receivedSide(swap);
  const arrivedOn = state === 'refunded' ? sell : buy;
  return {
    swapId: swap.swapId,
    state,
    sell: viewSide(sell),
    buy: viewSide(buy),
    amount: formatTokenAmount(BigInt(swap.amount), sell.decimals),
    expectedOut: formatTokenAmount(BigInt(swap.expectedOut), buy.decimals),
    minimumOut: formatTokenAmount(BigInt(swap.minimumOut), buy.decimals),
    received:
      received === null || side === null
        ? null
        : formatTokenAmount(BigInt(received), side.decimals),
    receivedSide: side === null ? null : viewSide(side),
    receivedToken,
    ...explainTransaction(swap.reason),
    gas: viewGasPaid(gas, coinPrice),
    sentHash,
    sentUrl: sentHash === null ? null : `${explorerOf(sell.chain)}${sentHash}`,
    receivedHash,
    receivedUrl: receivedHash === null ? null : `${explorerOf(arrivedOn.chain)}${receivedHash}`,
    createdAtMs: swap.createdAtMs,
    updatedAtMs: swap.updatedAtMs,
  };
}

function viewSide({ chain, address, symbol, decimals }: SwapSide): z.input<typeof sideOut> {
  return { chain, token: address, symbol, decimals };
}

function viewFees({ offer }: SwapQuote): z.input<typeof feesOut> {
  return offer.fees.map(({ name, usd: amountUsd }) => ({ name, amountUsd }));
}

function viewGas(gas: SwapGas | null): z.input<typeof gasOut> {
  if (gas === null) return null;
  const { coin, amount, maximum, micros, source } = gas;
  return {
    symbol: coin.symbol,
    amount: formatTokenAmount(amount, coin.decimals),
    amountUsd: usd(micros),
    maximum: formatTokenAmount(maximum, coin.decimals),
    source,
  };
}

/** Percent with two decimals. */
function signed(bps: number): string {
  const text = formatTokenAmount(BigInt(Math.abs(bps)), 2);
  return bps < 0 ? `-${text}` : text;
}

function usd(micros: number | null): string | null {
  return micros === null ? null : formatTokenAmount(BigInt(micros), 6);
}
