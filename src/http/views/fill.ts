import { z } from 'zod';
import { feeWorth } from '../../domain/fill.ts';
import { AGENT_IDS } from '../../domain/ids.ts';
import {
  formatDecimal,
  formatMicros,
  MICROS_PER_UNIT,
  mulDiv,
  shareMicros,
  usdcMicros,
} from '../../domain/units.ts';
import type { CoinPrice } from '../../services/orders/estimate.ts';
import type { FillView } from '../../services/history/trade-history.ts';
import { priceOut, sharesOut, usdcOut } from '../routes/fields.ts';
import { marketTimeOut } from '../wall-times.ts';
import { gasPaidOut, viewGasPaid } from './gas-paid.ts';
import { textOut } from './market.ts';

/** A fill in answers. */
export const fillOut = z
  .object({
    tradeId: z.string().meta({ description: "The venue's id of the trade." }),
    order: z.object({
      id: z.string().meta({ description: 'Our id of the order.' }),
      orderId: z.string().meta({ description: "The venue's id of it." }),
    }),
    agent: z
      .enum(AGENT_IDS)
      .nullable()
      .meta({ description: 'Agent whose order it is of; null for one placed manually.' }),
    keyId: z.string().nullable().meta({
      description: 'API key that placed its order; null where none did.',
    }),
    marketId: z.string(),
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
    tokenId: z.string(),
    side: z.enum(['yes', 'no']),
    action: z.enum(['buy', 'sell']),
    isRedemption: z.boolean().meta({
      description:
        'True of a payout of an ended market where the venue pays by an order; other payouts are in closed positions alone.',
    }),
    role: z
      .enum(['maker', 'taker'])
      .meta({ description: 'Whether the order rested or met one that did.' }),
    price: priceOut.meta({
      description: 'Average USDC a share, fee not included, rounded down to six decimals.',
    }),
    shares: sharesOut,
    usdc: usdcOut.meta({ description: 'Paid or received for the shares, fee not included.' }),
    fee: usdcOut.meta({
      description:
        'Paid beside `usdc`; where `feeShares` were kept their worth at its price, for which no USDC were paid.',
    }),
    feeShares: sharesOut.meta({
      description:
        'Of `shares` bought, what the venue kept as its fee, where it takes fees in shares: the position grew by the rest.',
    }),
    realizedPnl: usdcOut.nullable().meta({
      description:
        'Of a sale what it brought, the fee taken off, less what the shares had cost; gas is not in it; null of a purchase, and of a trade that was taken back.',
    }),
    matchState: z
      .enum(['matched', 'mined', 'retrying', 'confirmed', 'failed'])
      .meta({ description: "The venue's last word on the trade." }),
    settlementState: z.enum(['provisional', 'settled', 'reversed']).meta({
      description: 'What our books say of it: on its way, final, or taken back because it failed.',
    }),
    transactionHash: z.string().nullable(),
    gas: gasPaidOut,
    matchedAtMs: marketTimeOut.meta({
      description:
        "When the venue matched it, by the venue's clock in whole seconds, in epoch milliseconds; never before its order's createdAtMs.",
    }),
    recordedAtMs: marketTimeOut.meta({
      description: 'When our books had it, by our clock, in epoch milliseconds.',
    }),
  })
  .meta({ id: 'Fill' });

/** Writes a fill as callers see it. */
export function viewFill(
  { fill, order, market }: FillView,
  coinPrice: CoinPrice,
): z.input<typeof fillOut> {
  const {
    intentId,
    orderId,
    tradeId,
    marketId,
    tokenId,
    outcome,
    side,
    role,
    shares,
    usdc,
    fee,
    feeShares,
    releasedUsdc,
    word,
    settlement,
    transactionHash,
    gas,
    matchedAtMs,
    recordedAtMs,
  } = fill;
  const origin = order?.intent.origin;
  return {
    tradeId,
    order: { id: intentId, orderId },
    agent: origin?.kind === 'agent' ? origin.agentId : null,
    keyId: origin?.kind === 'manual' ? (origin.keyId ?? null) : null,
    marketId,
    question: market?.question ?? null,
    eventTitle: market?.eventTitle ?? null,
    outcome: market?.outcomes[outcome].label ?? null,
    marketEndsAtMs: market?.endsAtMs ?? null,
    tokenId,
    side: outcome === 0 ? 'yes' : 'no',
    action: side,
    isRedemption: order?.intent.isRedemption === true,
    role,
    price: formatDecimal(mulDiv(usdc, MICROS_PER_UNIT, shares, 'floor'), 6),
    shares: formatMicros(shares),
    usdc: formatMicros(usdc),
    fee: formatMicros(feeWorth(fill)),
    feeShares: formatMicros(feeShares ?? shareMicros(0)),
    realizedPnl:
      releasedUsdc === undefined || settlement === 'reversed'
        ? null
        : formatMicros(usdcMicros(usdc - fee - releasedUsdc)),
    matchState: word,
    settlementState: settlement,
    transactionHash,
    gas: viewGasPaid(gas, coinPrice),
    matchedAtMs,
    recordedAtMs,
  };
}
