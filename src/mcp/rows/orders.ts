import { z } from 'zod';
import type { JsonValue } from '../../domain/json-value.ts';
import type { Row } from '../tool.ts';
import { at, membersOf, row, shapedRow, unless, type Members } from './row.ts';

const text = z.string();
const says = (description: string) => z.string().meta({ description });
const time = z.int();

/** An order as tools tell it. */
export const orderShape = z.object({
  venue: text,
  orderId: text,
  marketId: text,
  side: text,
  action: text,
  orderType: text,
  state: says(
    'live: rests; filled, cancelled, expired, rejected: ended; unknown: not decided yet, never place it again',
  ),
  reason: text,
  price: says('Limit, or worst of a market order, in USDC a share'),
  requestedShares: says('Of the whole order'),
  filledShares: text,
  averagePrice: says('USDC a share, fees not in it'),
  filledUsdc: says('USDC for these, fees not in it'),
  feesUsdc: says('USDC, or worth of feeShares'),
  feeShares: text,
  settlementState: says('provisional until final; then settled or reversed'),
  createdAtMs: time,
});

/** An order; `agent` is given for orders of agents only. */
export const orderRow: Row = (order) => ({
  ...madeOrder(order),
  agent: at(order, 'origin.agent'),
});

/** The order that was made. */
export const madeOrderRow: Row = (order) => madeOrder(order);

function madeOrder(order: JsonValue): Members {
  return {
    ...row(Object.keys(orderShape.shape), { orderId: 'id' })(order),
    feeShares: unless(at(order, 'feeShares'), '0'),
  };
}

/** What placing an order would do, as tools tell it. */
export const estimateShape = z.object({
  shares: says('Shares that would trade at once'),
  averagePrice: says('USDC a share, fees not in it'),
  worstPrice: says('USDC a share'),
  amountUsdc: says('USDC for these shares, fees not in it'),
  restingShares: text,
  fee: z.object({ estimated: says('USDC'), worst: says('USDC') }),
  networkCost: says('USDC'),
  setsAside: z.object({ usdc: says('Worst fee in it'), shares: text }),
  left: z
    .object({
      usdc: text,
      shares: text,
      orderSize: text,
      totalExposure: text,
      dailyLoss: text,
      keyDay: says('Of what this key may spend in a day'),
    })
    .meta({ description: 'USDC and shares that balances and limits leave now, before this' }),
  needsConfirmation: z.boolean().meta({
    description: 'True: the call will be put to the user, who confirms or refuses it',
  }),
  refusal: z
    .object({ code: text, detail: text })
    .meta({ description: 'What it would be refused for now' }),
});

/** What an order would do: one that its person must confirm first is not refused. */
export const estimateRow: Row = (estimate) => {
  const refusal = at(estimate, 'refusal');
  const isAsked = at(refusal, 'code') === 'confirmation_required';
  return {
    ...row(['shares', 'averagePrice', 'worstPrice', 'amountUsdc'])(estimate),
    restingShares: unless(at(estimate, 'restingShares'), '0'),
    ...row(['fee', 'networkCost', 'setsAside'])(estimate),
    left: row(Object.keys(estimateShape.shape.left.shape))(at(estimate, 'left')),
    needsConfirmation: isAsked ? true : null,
    refusal: isAsked || refusal === null ? null : row(['code', 'detail'])(refusal),
  };
};

/** What the user is asked, as tools tell it. */
export const confirmationShape = z.object({
  confirmationId: text,
  state: text,
  worstPrice: says('USDC a share'),
  setsAside: z.object({ usdc: text, shares: text }),
  expiresAtMs: time,
  orderId: text,
  failure: says('An error code'),
});

/** The state of what the user is asked. */
export const confirmationRow: Row = shapedRow(confirmationShape);

/** A position with what it cost and is worth. */
export const positionRow: Row = (position, venue) => ({
  venue,
  ...row(['marketId', 'question', 'side'])(position),
  outcome: unless(at(position, 'outcomeLabel'), 'Yes', 'No'),
  state: unless(at(position, 'state'), 'open'),
  ...row(['shares', 'costUsdc', 'entryPrice', 'currentPrice'])(position),
  ...row(['currentValueUsdc', 'unrealizedPnl'])(position),
  realizedPnl: unless(at(position, 'realizedPnl'), '0'),
  ...row(['feesUsdc', 'endsAtMs', 'agent', 'payoutPerShare'])(position),
});

/** A trade of the user's, or a position that holds no shares any more. */
export const tradeRow: Row = (trade) => {
  const venue = at(trade, 'venue');
  if (at(trade, 'kind') === 'closed') {
    const { shares: _none, ...position } = membersOf(positionRow(at(trade, 'position'), null));
    return { ...position, venue };
  }
  const fill = at(trade, 'fill');
  return {
    venue,
    orderId: at(fill, 'order.id'),
    ...row(['marketId', 'question', 'side', 'action', 'price', 'shares', 'usdc', 'fee'])(fill),
    feeShares: unless(at(fill, 'feeShares'), '0'),
    ...row(['realizedPnl', 'settlementState', 'matchedAtMs', 'agent'])(fill),
  };
};

/** An agent: whether it trades, how, and what keeps it from it. */
export const agentRow: Row = (agent) => {
  const { enabled: _same, ...settings } = membersOf(at(agent, 'settings'));
  return {
    ...row(['agent', 'enabled', 'mode', 'activity', 'onStop'])(agent),
    settings,
    degraded: texts(at(agent, 'degraded')),
    missing: texts(at(agent, 'missing')),
    stopping: at(agent, 'stopping.policy'),
  };
};

/** Why an agent traded or did not. */
export const decisionRow: Row = (decision) => ({
  ...row(['decisionId', 'marketId', 'strategy', 'decidedAtMs', 'verdict', 'side'])(decision),
  ...row(['reason', 'amountUsdc', 'mode', 'criteria', 'inputs'])(decision),
  orderId: at(decision, 'outcome.kind') === 'order' ? at(decision, 'outcome.id') : null,
  refusal: at(decision, 'outcome.code'),
});

/** The messages of a list of them; null where it is empty. */
function texts(list: JsonValue): JsonValue {
  const found = Array.isArray(list) ? list.map((each: JsonValue) => at(each, 'message')) : [];
  return found.length === 0 ? null : found;
}
