import { AGENT_PROFILES } from './agent.ts';
import { cashAccountRow } from './cash.ts';
import {
  type FactsOf,
  type NotificationAbout,
  type NotificationRow,
  type NotificationRows,
  quoteMarket,
  quoteOutcome,
  sentenceOf,
} from './notification-row.ts';
import { explainOrder } from './order-reason.ts';
import { formatDecimal, formatMicros, mulDiv, usdcMicros, type UsdcMicros } from './units.ts';

type EndedOrder = FactsOf<'order_expired' | 'order_cancelled' | 'order_rejected'>;
type EndedPosition = FactsOf<'position_redeemed' | 'position_lost' | 'position_removed'>;

/** Notifications of orders, fills and positions. */
export const TRADE_NOTIFICATIONS = {
  trade: {
    level: 'push',
    title: ({ agentId, side }) =>
      `${agentId === null ? 'You' : AGENT_PROFILES[agentId].title} ${side === 'buy' ? 'bought' : 'sold'} shares`,
    body(facts, limits) {
      const price = formatDecimal(mulDiv(facts.usdc, CENT_PARTS, facts.shares, 'floor'), 2);
      const fee =
        facts.feeShares === undefined
          ? dollars(facts.fee)
          : `${formatMicros(facts.feeShares)} of these shares`;
      return `${formatMicros(facts.shares)} × ${quoteOutcome(facts, limits)} at ${price}¢ for ${dollars(facts.usdc)}, fee ${fee}. ${quoteMarket(facts, limits)}`;
    },
    about: (facts) => ({
      agent: facts.agentId,
      purpose: facts.purpose,
      orderId: facts.intentId,
      marketId: facts.marketId,
      action: facts.side,
      outcomeLabel: facts.outcomeLabel,
      question: facts.question,
      shares: formatMicros(facts.shares),
      usdc: formatMicros(facts.usdc),
      fee: formatMicros(facts.fee),
    }),
  },
  order_expired: endedOrder('expired', 'An order of yours has expired'),
  order_cancelled: endedOrder('cancelled', 'The venue cancelled an order of yours'),
  order_rejected: endedOrder('rejected', 'An order of yours was not taken'),
  trade_reversed: {
    level: 'list',
    title: () => 'A trade was taken back',
    body: (facts, limits) =>
      `The venue could not settle ${formatMicros(facts.shares)} × ${quoteOutcome(facts, limits)} for ${dollars(facts.usdc)}. ${quoteMarket(facts, limits)}`,
    about: (facts) => ({
      orderId: facts.intentId,
      tradeId: facts.tradeId,
      marketId: facts.marketId,
      action: facts.side,
      outcomeLabel: facts.outcomeLabel,
      question: facts.question,
      shares: formatMicros(facts.shares),
      usdc: formatMicros(facts.usdc),
    }),
  },
  position_redeemed: endedPosition(
    ({ paidUsdc }) =>
      paidUsdc === undefined
        ? 'A position was paid'
        : `A position was paid: ${formatMicros(paidUsdc)} USDC`,
    ({ realizedPnl }) => `: your result is ${signed(realizedPnl)}`,
  ),
  position_lost: endedPosition(
    ({ realizedPnl }) => `A position was lost: ${signed(realizedPnl)}`,
    () => '',
  ),
  position_removed: endedPosition(
    () => 'Shares are no longer in your wallet',
    () => ' left it by another way than ours',
  ),
  shares_arrived: {
    level: 'push',
    title: () => 'Shares came to your wallet',
    body: (facts, limits) =>
      `${formatMicros(facts.shares)} shares of ${quoteOutcome(facts, limits)} came to your ${cashAccountRow(facts.cashAccount).name} past this service, and are in your position at no cost. ${quoteMarket(facts, limits)}`,
    about: aboutShares,
  },
  shares_departed: {
    level: 'security',
    title: () => 'Shares left your wallet by your own key',
    body: (facts, limits) =>
      `${formatMicros(facts.shares)} shares of ${quoteOutcome(facts, limits)} left your ${cashAccountRow(facts.cashAccount).name} past this service. If it was not you, another person has your private key. ${quoteMarket(facts, limits)}`,
    about: aboutShares,
  },
  payout_taken_back: {
    level: 'push',
    title: () => 'A payout was taken back',
    body: (facts, limits) =>
      `${formatMicros(facts.usdc)} USDC for ${quoteOutcome(facts, limits)} are in your ${cashAccountRow(facts.cashAccount).name} no more: the chain took back the block that paid them, and did not carry it out again. Your shares are there, and are claimed again. ${quoteMarket(facts, limits)}`,
    about: (facts) => ({
      agent: facts.agentId,
      marketId: facts.marketId,
      tokenId: facts.tokenId,
      outcomeLabel: facts.outcomeLabel,
      question: facts.question,
      usdc: formatMicros(facts.usdc),
      wallet: cashAccountRow(facts.cashAccount).id,
      transactionHash: facts.transactionHash,
    }),
  },
} satisfies Partial<NotificationRows>;

/** Hundredths of a cent in a dollar: prices are written in cents with two places. */
const CENT_PARTS = 10_000;

/** Dollars of micro-USDC to the nearest cent, and exact below one. */
function dollars(micros: UsdcMicros): string {
  const cents = Math.round(micros / CENT_PARTS);
  if (cents === 0) return `$${formatMicros(micros)}`;
  return `$${Math.floor(cents / 100)}.${String(cents % 100).padStart(2, '0')}`;
}

function aboutShares(facts: FactsOf<'shares_arrived' | 'shares_departed'>): NotificationAbout {
  return {
    agent: facts.agentId,
    marketId: facts.marketId,
    tokenId: facts.tokenId,
    outcomeLabel: facts.outcomeLabel,
    question: facts.question,
    shares: formatMicros(facts.shares),
    wallet: cashAccountRow(facts.cashAccount).id,
    transactionHash: facts.transactionHash,
  };
}

function endedOrder(
  state: 'expired' | 'cancelled' | 'rejected',
  title: string,
): NotificationRow<EndedOrder> {
  const explain = ({ reason }: EndedOrder) => explainOrder({ state, reason, cancelWanted: false });
  return {
    level: 'push',
    title: () => title,
    body: (facts, limits) =>
      `${formatMicros(facts.filledShares)} of ${formatMicros(facts.shares)} × ${quoteOutcome(facts, limits)} were filled.${sentenceOf(explain(facts))} ${quoteMarket(facts, limits)}`,
    about: (facts) => ({
      orderId: facts.intentId,
      marketId: facts.marketId,
      action: facts.side,
      outcomeLabel: facts.outcomeLabel,
      question: facts.question,
      filledShares: formatMicros(facts.filledShares),
      shares: formatMicros(facts.shares),
      ...explain(facts),
    }),
  };
}

function endedPosition(
  title: (facts: EndedPosition) => string,
  how: (facts: EndedPosition) => string,
): NotificationRow<EndedPosition> {
  return {
    level: 'list',
    title,
    body: (facts, limits) =>
      `${quoteOutcome(facts, limits)}${how(facts)}. ${quoteMarket(facts, limits)}`,
    about: (facts) => ({
      agent: facts.agentId,
      marketId: facts.marketId,
      tokenId: facts.tokenId,
      outcomeLabel: facts.outcomeLabel,
      question: facts.question,
      realizedPnl: formatMicros(facts.realizedPnl),
      ...(facts.paidUsdc === undefined ? {} : { usdc: formatMicros(facts.paidUsdc) }),
    }),
  };
}

function signed(usdc: UsdcMicros): string {
  const sign = usdc > 0 ? '+' : usdc < 0 ? '\u2212' : '';
  return `${sign}${dollars(usdcMicros(Math.abs(usdc)))}`;
}
