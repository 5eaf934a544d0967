import { z } from 'zod';
import { isResting } from '../../domain/order.ts';
import { timeInForceOf } from '../../domain/time-in-force.ts';
import { formatTokenAmount } from '../../domain/token-amount.ts';
import {
  formatDecimal,
  formatMicros,
  formatPrice,
  MICROS_PER_UNIT,
  mulDiv,
  usdcMicros,
} from '../../domain/units.ts';
import { web3Chain } from '../../domain/web3-chains.ts';
import type { OrderEstimate } from '../../services/orders/estimate.ts';
import { decimalOut, priceOut, sharesOut, usdcOut } from '../routes/fields.ts';
import { marketTimeOut } from '../wall-times.ts';
import { refusalOut, viewRefusal } from './refusal.ts';

const NO_CAP = 'null where no cap binds.';

/** What placing an order would do, in answers. */
export const estimateOut = z
  .object({
    venue: z.string(),
    marketId: z.string(),
    tokenId: z.string(),
    side: z.enum(['yes', 'no']),
    action: z.enum(['buy', 'sell']),
    orderType: z.enum(['market', 'limit']),
    timeInForce: z.enum(['FOK', 'FAK', 'GTC', 'GTD']),
    averagePrice: priceOut.nullable().meta({
      description: 'Of what would trade at once; null where nothing would.',
    }),
    worstPrice: priceOut.meta({
      description: 'The price of a limit order; the worst one a market order may trade at.',
    }),
    shares: sharesOut.meta({
      description: 'Shares that would trade at once, against the book as it is shown.',
    }),
    amountUsdc: usdcOut.meta({ description: 'USDC for these shares, the fee not included.' }),
    restingShares: sharesOut.meta({ description: 'Shares that would rest at the price.' }),
    fee: z.object({
      estimated: usdcOut.meta({ description: 'Of all of it, in USDC.' }),
      worst: usdcOut.meta({
        description: 'The largest that may be charged, whatever the book has become.',
      }),
    }),
    feeShares: sharesOut.meta({
      description:
        'What the venue keeps of the shares of a purchase as its fee, where it takes none in USDC: `fee` is their worth then, and no USDC are paid for it.',
    }),
    networkCost: usdcOut.nullable().meta({
      description:
        'USDC that the network takes, about; 0 where an order costs no gas, null where its chain does not tell now, or its coin has no price.',
    }),
    gas: z
      .object({
        symbol: z
          .string()
          .meta({ description: "Of the chain's own coin, which your wallet pays." }),
        amount: decimalOut.meta({
          description:
            'About, at the fee of the moment; at most where `rent` is no null, beside `firstBuyCost` of the market.',
        }),
        rent: decimalOut
          .meta({
            description:
              'Of `amount`, the rent of a token account that is not there yet: a deposit that stays in it, for nothing here closes the account. Null on chains without rents.',
          })
          .nullable(),
        needed: decimalOut.meta({
          description: 'What the wallet must hold, at the highest fee that may be signed for.',
        }),
        held: decimalOut.meta({ description: 'What it holds.' }),
      })
      .nullable()
      .meta({
        description:
          'In whole coins, of an order that is a transaction of your own wallet, or whose first one gives the venue’s contract a right; null of every other, and where the chain does not tell now.',
      }),
    setsAside: z
      .object({ usdc: usdcOut, shares: sharesOut })
      .meta({ description: 'What placing it sets aside: money and the worst fee, or shares.' }),
    left: z
      .object({
        usdc: usdcOut.meta({ description: 'Of the cash account the order is paid from.' }),
        shares: sharesOut.meta({ description: 'Of the outcome, for sale.' }),
        orderSize: usdcOut.nullable().meta({ description: `The largest order; ${NO_CAP}` }),
        totalExposure: usdcOut.nullable().meta({ description: `Of the exposure; ${NO_CAP}` }),
        openPositions: z
          .int()
          .nullable()
          .meta({ description: `More positions; ${NO_CAP}` }),
        dailyLoss: usdcOut.nullable().meta({ description: `Of the day's losses; ${NO_CAP}` }),
        keyDay: usdcOut.nullable().meta({
          description: `Of what the API key that asks may spend in a day; ${NO_CAP}`,
        }),
      })
      .meta({ description: 'What balances and caps leave, before this order.' }),
    refusal: refusalOut
      .nullable()
      .meta({ description: 'What placing it would be refused for now; null where it would not.' }),
    book: z
      .object({
        ageMs: z.int(),
        trusted: z.boolean(),
        bestBid: priceOut.nullable(),
        bestAsk: priceOut.nullable(),
      })
      .nullable()
      .meta({
        description: 'The book it was made from, or one not trusted; null where none is kept.',
      }),
    expiresAtMs: marketTimeOut.nullable(),
  })
  .meta({ id: 'OrderEstimate' });

function viewGas(gas: OrderEstimate['gas']): z.input<typeof estimateOut>['gas'] {
  if (gas === null) return null;
  const { symbol, decimals } = web3Chain(gas.chain).native;
  const coins = (amount: bigint) => formatTokenAmount(amount, decimals);
  return {
    symbol,
    amount: coins(gas.amount),
    rent: gas.rent === undefined ? null : coins(gas.rent),
    needed: coins(gas.needed),
    held: coins(gas.held),
  };
}

/** Writes an estimate as callers see it. */
export function viewEstimate(estimate: OrderEstimate): z.input<typeof estimateOut> {
  const { intent, shares, usdc, setsAside, room, refusal, book } = estimate;
  const money = (micros: number | null) =>
    micros === null ? null : formatMicros(usdcMicros(micros));
  return {
    venue: intent.venue,
    marketId: intent.marketId,
    tokenId: intent.tokenId,
    side: intent.outcome === 0 ? 'yes' : 'no',
    action: intent.side,
    orderType: isResting(intent) ? 'limit' : 'market',
    timeInForce: timeInForceOf(intent),
    // To the nearest: the money of its parts was rounded down.
    averagePrice:
      shares === 0
        ? null
        : formatDecimal(
            Math.floor((mulDiv(usdc, 2 * MICROS_PER_UNIT, shares, 'floor') + 1) / 2),
            6,
          ),
    worstPrice: formatPrice(intent.price),
    shares: formatMicros(shares),
    amountUsdc: formatMicros(usdc),
    restingShares: formatMicros(estimate.restingShares),
    fee: { estimated: formatMicros(estimate.fee), worst: formatMicros(estimate.worstFee) },
    feeShares: formatMicros(estimate.feeShares),
    networkCost: money(estimate.networkCost),
    gas: viewGas(estimate.gas),
    setsAside: { usdc: formatMicros(setsAside.usdc), shares: formatMicros(setsAside.shares) },
    left: {
      usdc: formatMicros(room.usdc),
      shares: formatMicros(room.shares),
      orderSize: money(room.orderUsdc),
      totalExposure: money(room.exposureUsdc),
      openPositions: room.openPositions,
      dailyLoss: money(room.dailyLossUsdc),
      keyDay: money(estimate.keyDayUsdc),
    },
    refusal: viewRefusal(refusal),
    book: book && {
      ageMs: book.ageMs,
      trusted: book.isTrusted,
      bestBid: book.bid && formatPrice(book.bid.price),
      bestAsk: book.ask && formatPrice(book.ask.price),
    },
    expiresAtMs: intent.expiresAtMs,
  };
}
