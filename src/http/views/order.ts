import { z } from 'zod';
import { feeWorth, sumOfGas } from '../../domain/fill.ts';
import { AGENT_IDS } from '../../domain/ids.ts';
import type { Market } from '../../domain/market.ts';
import {
  isResting,
  isTerminal,
  keptAmounts,
  lastAttempt,
  type OrderRecord,
} from '../../domain/order.ts';
import { explainOrder } from '../../domain/order-reason.ts';
import { reasonFields } from './reason.ts';
import { timeInForceOf } from '../../domain/time-in-force.ts';
import {
  formatDecimal,
  formatMicros,
  formatPrice,
  MICROS_PER_UNIT,
  mulDiv,
  shareMicros,
  usdcMicros,
} from '../../domain/units.ts';
import type { CoinPrice } from '../../services/orders/estimate.ts';
import { decimalOut, priceOut, sharesOut, usdcOut } from '../routes/fields.ts';
import { marketTimeOut } from '../wall-times.ts';
import { gasPaidOut, NO_COIN_PRICE, viewGasPaid } from './gas-paid.ts';
import { textOut } from './market.ts';

const STATES = [
  'intended',
  'signed',
  'submitting',
  'live',
  'delayed',
  'matched',
  'unknown',
  'filled',
  'cancelled',
  'expired',
  'rejected',
] as const;

const SETTLEMENTS = ['settled', 'provisional', 'reversed', 'partly_reversed'] as const;

/** An order in answers and on sockets. */
export const orderOut = z
  .object({
    id: z.string().meta({ description: 'Our id of the order.' }),
    orderId: z.string().nullable().meta({
      description:
        "The venue's id of the newest attempt; null while it is not known. Both ids work in paths.",
    }),
    clientOrderId: z.string().nullable().meta({
      description: 'The Idempotency-Key the order was placed with; null where it had none.',
    }),
    venue: z.string(),
    marketId: z.string(),
    tokenId: z.string(),
    side: z.enum(['yes', 'no']),
    action: z.enum(['buy', 'sell']),
    orderType: z.enum(['market', 'limit']),
    isRedemption: z.boolean().meta({
      description:
        'Whether it gives shares that won for what they pay, once their market has ended.',
    }),
    timeInForce: z.enum(['FOK', 'FAK', 'GTC', 'GTD']),
    price: decimalOut.meta({
      description: 'Limit price; of a market order the worst one it may pay.',
    }),
    priceCents: z.int().nullable().meta({
      description:
        'The limit in whole cents, as it was sent, at a venue that takes prices so; null elsewhere and of a market order.',
    }),
    requestedAmount: z.string().nullable().meta({
      description:
        "What was asked for: USDC or shares, as orderMode says. `shares` and `amountUsdc` say what the venue's steps, hundredths of a share and cents, made of it.",
    }),
    orderMode: z.enum(['dollars', 'shares']).nullable(),
    leftoverShares: sharesOut.meta({
      description:
        "Of a sale in shares: what was asked for and is less than the venue's step of 0.01. It stays yours until the market pays.",
    }),
    leftoverUsdc: usdcOut.meta({
      description:
        'Of a purchase in dollars that has ended: what of them was spent neither on shares nor on fees, what trades that were taken back had cost included. It is back in your balance.',
    }),
    shares: decimalOut.meta({
      description:
        'Shares ordered; of a market buy those it gets at least: `filledShares` may be more, where prices were better or a fee smaller than set aside for. A venue that takes a sum of money and buys whole contracts for it may add one to a purchase of a number of them.',
    }),
    requestedShares: decimalOut.meta({
      description:
        'Shares of the whole order, of which filledShares are filled: never fewer than these, so that progress is at most one. Of a purchase in dollars, `shares` until more were got for them.',
    }),
    amountUsdc: decimalOut.meta({
      description:
        'USDC of the whole order at its price, without fees: of a sale the least it brings, of a purchase what its limit leaves for shares once the largest fee is set aside. `filledUsdc` may be more: of a sale at better prices, and of a purchase whose fee came out smaller, at a venue that buys shares with the rest.',
    }),
    state: z.enum(STATES).meta({
      description:
        '`filled` says that the venue matched all of it; whether its trades stood is in settlementState.',
    }),
    ...reasonFields,
    filledShares: sharesOut.meta({
      description:
        'Shares the venue matched, without those of trades that were taken back: `reversedShares` says how many these were.',
    }),
    filledUsdc: decimalOut.meta({
      description: 'USDC for filledShares, fees not included; may be more than `amountUsdc`.',
    }),
    averagePrice: priceOut.nullable().meta({ description: 'Of filledShares; null while 0.' }),
    settlementState: z.enum(SETTLEMENTS).nullable().meta({
      description:
        'What became of the trades: on their way (provisional), all final (settled), all taken back because they failed (reversed), or some of each (partly_reversed); null while nothing filled.',
    }),
    settledShares: sharesOut.meta({ description: 'Of filledShares, those that are final.' }),
    reversedShares: sharesOut.meta({
      description:
        'Shares that were taken back because their trade failed, beside filledShares; the money or the shares given for them are back.',
    }),
    feesUsdc: decimalOut.meta({
      description:
        'What filledShares cost beside their price; where `feeShares` were kept their worth at that price, for which no USDC were paid. Where a venue states only what was paid in all, it is worked out of that by the published schedule.',
    }),
    feeShares: sharesOut.meta({
      description:
        'Of filledShares, what the venue kept as its fee, where it takes the fee of a purchase in shares.',
    }),
    gas: gasPaidOut,
    cancelRequested: z.boolean(),
    origin: z.object({
      kind: z.enum(['manual', 'agent']),
      agent: z.enum(AGENT_IDS).nullable(),
      decisionId: z.string().nullable(),
      purpose: z.enum(['entry', 'exit']).nullable(),
      keyId: z.string().nullable().meta({
        description: 'The API key that placed it; null where none did.',
      }),
    }),
    createdAtMs: marketTimeOut,
    updatedAtMs: marketTimeOut,
    expiresAtMs: marketTimeOut.nullable(),
  })
  .meta({ id: 'Order' });

/** An order in lists, with what it is of. */
export const listedOrderOut = orderOut
  .extend({
    question: textOut
      .nullable()
      .meta({ description: "What the market asks, in the venue's words; null where not known." }),
    eventTitle: textOut
      .nullable()
      .meta({ description: 'Of the event that the market is a part of; as above.' }),
    outcome: textOut
      .nullable()
      .meta({ description: "What the outcome is called, in the venue's words; as above." }),
    marketEndsAtMs: marketTimeOut.nullable().meta({
      description: 'When the market ends, as first traded: markets may share a question.',
    }),
  })
  .meta({ id: 'ListedOrder' });

/** Writes an order of a list, and of its market as it was first traded. */
export function viewListedOrder(
  record: OrderRecord,
  market: Market | null,
  coinPrice: CoinPrice,
): z.input<typeof listedOrderOut> {
  return {
    ...viewOrder(record, coinPrice),
    question: market?.question ?? null,
    eventTitle: market?.eventTitle ?? null,
    outcome: market?.outcomes[record.intent.outcome].label ?? null,
    marketEndsAtMs: market?.endsAtMs ?? null,
  };
}

/** Writes an order as callers see it. */
export function viewOrder(
  record: OrderRecord,
  coinPrice: CoinPrice = NO_COIN_PRICE,
): z.input<typeof orderOut> {
  const { intent } = record;
  const isBuy = intent.side === 'buy';
  const shares = shareMicros(isBuy ? intent.receiveMicros : intent.spendMicros);
  const usdc = usdcMicros(isBuy ? intent.spendMicros : intent.receiveMicros);
  const { origin, requested = null } = intent;
  const kept = keptAmounts(record);
  return {
    id: intent.intentId,
    orderId: lastAttempt(record)?.orderId ?? null,
    clientOrderId: intent.clientOrderId ?? null,
    venue: intent.venue,
    marketId: intent.marketId,
    tokenId: intent.tokenId,
    side: intent.outcome === 0 ? 'yes' : 'no',
    action: intent.side,
    orderType: isResting(intent) ? 'limit' : 'market',
    isRedemption: intent.isRedemption === true,
    timeInForce: timeInForceOf(intent),
    price: intent.isRedemption === true ? '1' : formatPrice(intent.price),
    priceCents: intent.requestedCents ?? null,
    requestedAmount: requested === null ? null : formatDecimal(requested.micros, 6),
    orderMode: requested === null ? null : requested.unit === 'usdc' ? 'dollars' : 'shares',
    leftoverShares: formatDecimal(
      requested?.unit === 'shares' && !isBuy
        ? Math.max(0, requested.micros - intent.spendMicros)
        : 0,
      6,
    ),
    leftoverUsdc: formatDecimal(
      requested?.unit === 'usdc' && isBuy && isTerminal(record.state)
        ? Math.max(0, requested.micros - kept.usdc - kept.fees)
        : 0,
      6,
    ),
    shares: formatMicros(shares),
    requestedShares: formatMicros(
      shareMicros(
        record.state === 'filled' && kept.shares === record.filledShares
          ? kept.shares
          : Math.max(shares, kept.shares),
      ),
    ),
    amountUsdc: formatMicros(usdc),
    state: record.state,
    ...explainOrder(record),
    filledShares: formatMicros(kept.shares),
    filledUsdc: formatMicros(kept.usdc),
    averagePrice:
      kept.shares === 0
        ? null
        : formatDecimal(mulDiv(kept.usdc, MICROS_PER_UNIT, kept.shares, 'floor'), 6),
    settlementState: settlementOf(record),
    settledShares: formatMicros(record.settledShares ?? shareMicros(0)),
    reversedShares: formatMicros(record.reversedShares ?? shareMicros(0)),
    feesUsdc: formatMicros(feeWorth({ ...kept, fee: kept.fees })),
    feeShares: formatMicros(kept.feeShares),
    gas: viewGasPaid(sumOfGas(record.attempts.flatMap(({ ended }) => ended?.gas ?? [])), coinPrice),
    cancelRequested: record.cancelWanted,
    origin:
      origin.kind === 'manual'
        ? {
            kind: 'manual',
            agent: null,
            decisionId: null,
            purpose: null,
            keyId: origin.keyId ?? null,
          }
        : {
            kind: 'agent',
            agent: origin.agentId,
            decisionId: origin.decisionId,
            purpose: origin.purpose,
            keyId: null,
          },
    createdAtMs: intent.createdAtMs,
    updatedAtMs: record.updatedAtMs,
    expiresAtMs: intent.expiresAtMs,
  };
}

function settlementOf({
  filledShares,
  settledShares = shareMicros(0),
  reversedShares = shareMicros(0),
}: OrderRecord): (typeof SETTLEMENTS)[number] | null {
  if (filledShares === 0) return null;
  if (settledShares + reversedShares < filledShares) return 'provisional';
  if (reversedShares === 0) return 'settled';
  return settledShares === 0 ? 'reversed' : 'partly_reversed';
}
