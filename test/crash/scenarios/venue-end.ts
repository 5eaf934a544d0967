import type { Store } from '../../../src/ports/store.ts';
import type { NotificationFacts } from '../../../src/domain/notification.ts';
import { NOTIFICATIONS } from '../../../src/services/notifications/tables.ts';
import {
  AGENT_MARKETS,
  AGENTS,
  BALANCES,
  DECISIONS,
  FILLS,
  FUNDS_DISPUTES,
  ORDER_KEYS,
  ORDERS,
  POSITIONS,
  RISK,
  STOPS,
  UNWINDS,
  paperTable,
} from '../../../src/services/books/tables.ts';
import type { createKeptLog } from '../../support/quiet.ts';
import { brokenLaws } from '../../support/worlds/trading-world.ts';
import { findingsOf, type Rested } from '../../scenarios/findings.ts';
import { sorted } from './canonical-order.ts';

/**
 * What two runs that came to the same end have in common. Left out: ids that are drawn, an agent's
 * keys among them (a later life draws others), times (a start takes some), the order in which fills
 * of one order became known, and receipts of decisions that made no order: an agent whose book is
 * not there yet after a start is refused, and says so.
 */
export function venueEnd(store: Store, { model, users }: Rested): unknown {
  return {
    orders: sorted(ordersIn(store)),
    fills: sorted(
      store
        .range(FILLS)
        .map(({ value: { userId, tokenId, side, role, shares, usdc, fee, settlement } }) => ({
          userId,
          tokenId,
          side,
          role,
          shares,
          usdc,
          fee,
          settlement,
        })),
    ),
    positions: store
      .range(POSITIONS)
      .map(({ value: { userId, tokenId, state, shares, costUsdc, realizedPnl, agentId } }) => ({
        userId,
        tokenId,
        state,
        shares,
        costUsdc,
        realizedPnl,
        agentId,
      })),
    balances: store.range(BALANCES).map(({ key, value }) => ({ key, value })),
    risk: store.range(RISK).map(({ key, value: { tokens } }) => ({
      key,
      reserved: Object.entries(tokens).filter(([, { reservedShares }]) => reservedShares !== 0),
    })),
    stops: store
      .range(STOPS)
      .map(({ key, value: { stopped, reason } }) => ({ key, stopped, reason })),
    disputes: store.range(FUNDS_DISPUTES).map(({ key }) => key),
    agents: store.range(AGENTS).map(({ value: { userId, agentId, enabled, settings } }) => ({
      userId,
      agentId,
      enabled,
      settings,
    })),
    agentMarkets: store.range(AGENT_MARKETS).map(({ key }) => key),
    unwinds: store.range(UNWINDS).map(({ key }) => key),
    receipts: sorted(
      store.range(DECISIONS).flatMap(
        ({
          value: {
            userId,
            agentId,
            marketId,
            decision: { verdict, outcome },
            outcome: became,
          },
        }) => (became.kind === 'order' ? [{ userId, agentId, marketId, verdict, outcome }] : []),
      ),
    ),
    // A refusal is notified in the place of the answer that stated it where a crash has taken that.
    notifications: sorted(
      store
        .range(NOTIFICATIONS)
        .filter(({ value: { facts } }) => facts.kind !== 'order_rejected')
        .map(({ value: { userId, facts } }) => ({ userId, facts: undrawn(facts) })),
    ),
    paper: sorted(
      store
        .range(paperTable(ORDERS))
        .map(({ value: { intent, state, filledShares, filledUsdc } }) => ({
          side: intent.side,
          tokenId: intent.tokenId,
          state,
          filledShares,
          filledUsdc,
        })),
    ),
    venue: sorted(
      model.exchange.snapshot().records.flatMap((record) => {
        if (
          record.kind !== 'order' ||
          !users.some(({ address }) => address === record.order.order.maker)
        )
          return [];
        const {
          order: { tokenId, side, timeInForce, price, makerMicros, takerMicros },
          status,
          matchedShares,
        } = record.order;
        return [
          { tokenId, side, timeInForce, price, makerMicros, takerMicros, status, matchedShares },
        ];
      }),
    ),
    money: users.map(({ address }) => model.exchange.balanceOf(address)),
  };
}

/**
 * What breaks a law, as sentences: the books, the venue's records against ours, and what the
 * service cried out.
 */
export function venueBroken(
  store: Store,
  { log, ...rested }: Rested & { readonly log: ReturnType<typeof createKeptLog> },
): readonly string[] {
  const found = Object.entries(findingsOf(rested)).flatMap(([name, lines]) =>
    (lines as readonly string[]).map((line) => `${name}: ${line}`),
  ); // every finding is a list of sentences
  const laws = rested.users.flatMap(({ userId }) => brokenLaws(store, userId));
  const receipts = new Set(store.range(DECISIONS).map(({ value }) => value.decisionId));
  const unreceipted = store.range(ORDERS).flatMap(
    ({
      value: {
        intent: { intentId, origin },
      },
    }) =>
      origin.kind === 'agent' && !receipts.has(origin.decisionId)
        ? [`${intentId} has no receipt`]
        : [],
  );
  const errors = log.lines
    .filter(({ level }) => level === 'error')
    .map(({ event, fields }) => `error ${event} ${JSON.stringify(fields)}`);
  return [...found, ...laws, ...unreceipted, ...errors];
}

/** Ids that are drawn, and when the venue is asked again. */
const DRAWN: ReadonlySet<string> = new Set(['intentId', 'tradeId', 'retryAtMs']);

/**
 * The venue's word on how an order ended depends on whether it was heard on the channel or asked
 * for; orders are compared without it too.
 */
function undrawn({ kind, ...facts }: NotificationFacts): unknown {
  const isEnd = kind === 'order_cancelled' || kind === 'order_expired';
  return {
    kind,
    ...Object.fromEntries(
      Object.entries(facts).filter(([name]) => !DRAWN.has(name) && !(isEnd && name === 'reason')),
    ),
  };
}

function ordersIn(store: Store): readonly unknown[] {
  const keys = new Map(store.range(ORDER_KEYS).map(({ key, value }) => [value.intentId, key[1]]));
  return store
    .range(ORDERS)
    .map(({ value: { intent, state, filledShares, filledUsdc, feesUsdc, reserved } }) => ({
      userId: intent.userId,
      key: intent.origin.kind === 'manual' ? (keys.get(intent.intentId) ?? null) : null,
      origin: intent.origin.kind,
      tokenId: intent.tokenId,
      side: intent.side,
      life: intent.life,
      spendMicros: intent.spendMicros,
      receiveMicros: intent.receiveMicros,
      state,
      filledShares,
      filledUsdc,
      feesUsdc,
      reserved,
    }));
}
