import type { SignalReceipt } from '../../domain/agent.ts';
import { timeInForceOf } from '../../domain/time-in-force.ts';
import type { DomainEvent } from '../../domain/events.ts';
import type { MarketId } from '../../domain/ids.ts';
import { formatMicros, formatPrice, shareMicros, usdcMicros } from '../../domain/units.ts';
import type { Bus } from '../../ports/bus.ts';
import type { ExchangeMarket } from '../../sandbox/engine/exchange-types.ts';

/** The lines of a replay. */
export interface RunLines {
  /** Tells a decision of the shared signal. */
  signal(receipt: SignalReceipt): void;
  stop(): void;
}

/** Tells decisions, orders, trades and results of a replay, one line each. */
export function printRun({
  bus,
  print,
  marketOf,
}: {
  readonly bus: Bus;
  readonly print: (line: string) => void;
  readonly marketOf: (marketId: MarketId) => Pick<ExchangeMarket, 'slug' | 'labels'> | null;
}): RunLines {
  const orders = new Map<string, string>();
  const at = (atMs: number, text: string): void =>
    print(`${new Date(atMs).toISOString().slice(0, 23)}  ${text}`);
  return {
    signal: ({ atMs, marketId, decision: { verdict, reason } }) =>
      at(atMs, `signal    ${marketOf(marketId)?.slug ?? marketId}  ${verdict}: ${reason}`),
    stop: bus.subscribe(({ event }) => {
      const text = lineOf(event, orders, marketOf);
      if (text !== null) at(event.atMs, text);
    }),
  };
}

/** USDC with a sign where it is a loss. */
export function dollars(micros: number): string {
  return `${micros < 0 ? '-' : ''}${formatMicros(usdcMicros(Math.abs(micros)))}`;
}

/** Orders remembered for their lines; forgotten beyond this. */
const REMEMBERED_ORDERS = 1_000;

function lineOf(
  event: DomainEvent,
  orders: Map<string, string>,
  marketOf: (marketId: MarketId) => Pick<ExchangeMarket, 'slug' | 'labels'> | null,
): string | null {
  const slug = (marketId: MarketId) => marketOf(marketId)?.slug ?? marketId;
  const label = (marketId: MarketId, outcome: 0 | 1) =>
    marketOf(marketId)?.labels[outcome] ?? String(outcome);
  switch (event.type) {
    case 'decision.made': {
      const { decision, marketId, amountUsdc, outcome } = event.decision;
      const side = decision.outcome === null ? '' : ` ${label(marketId, decision.outcome)}`;
      const amount = amountUsdc === null ? '' : ` for ${dollars(amountUsdc)} USDC`;
      const refused =
        outcome.kind === 'refused' ? ` Refused: ${outcome.message} (${outcome.code}).` : '';
      return `decision  ${slug(marketId)}  ${decision.verdict}${side}${amount}: ${decision.reason}${refused}`;
    }
    case 'order.intended': {
      const { intentId, marketId, outcome, side, spendMicros, price } = event.intent;
      const amount =
        side === 'buy'
          ? `${dollars(spendMicros)} USDC of`
          : `${formatMicros(shareMicros(spendMicros))}`;
      const what = `${side} ${amount} ${label(marketId, outcome)} at ${formatPrice(price)} or better, ${timeInForceOf(event.intent)}`;
      if (orders.size >= REMEMBERED_ORDERS) orders.clear();
      orders.set(intentId, `${slug(marketId)}  ${what}`);
      return null;
    }
    case 'order.changed':
      return `order     ${orders.get(event.intentId) ?? event.intentId}: ${event.to}${event.reason === null ? '' : ` (${event.reason})`}`;
    case 'fill.recorded': {
      const { marketId, outcome, side, shares, usdc, fee } = event.fill;
      return `trade     ${slug(marketId)}  ${side === 'buy' ? 'bought' : 'sold'} ${formatMicros(shares)} ${label(marketId, outcome)} for ${dollars(usdc)} USDC, fee ${dollars(fee)}`;
    }
    case 'fill.reversed':
      return `reversed  trade ${event.tradeId} failed at the venue`;
    case 'position.changed': {
      const { marketId, state, realizedPnl } = event.position;
      return state === 'redeemed' || state === 'lost' || state === 'closed' || state === 'removed'
        ? `result    ${slug(marketId)}  ${state}, profit ${dollars(realizedPnl)} USDC`
        : null;
    }
    case 'funds.disputed':
      return `paused    the venue does not find funds the ledger has (${event.dispute.reason})`;
    case 'funds.agreed':
      return 'resumed   the venue finds the funds again';
    case 'order.signed':
    case 'fill.settled':
    case 'ledger.posted':
    case 'deposit.noticed':
    case 'market.resolved':
    case 'agent.changed':
    case 'agent.traded':
    case 'signal.judged':
    case 'paper.recorded':
    case 'deposit.changed':
    case 'swap.changed':
    case 'launch.changed':
    case 'registry.changed':
    case 'token.arrived':
    case 'settlement.broke':
    case 'settlement.healed':
    case 'agents.stopped':
    case 'agent.unwound':
    case 'trading.stopped':
    case 'trading.resumed':
    case 'all_trading.stopped':
    case 'all_trading.resumed':
    case 'venue.restricted':
    case 'venue.admitted':
    case 'user.created':
    case 'audit.recorded':
    case 'tool.called':
    case 'transaction.changed':
    case 'notification.made':
    case 'notifications.read':
      return null;
  }
}
