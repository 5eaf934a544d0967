import { MCP } from '../../../config/limits/mcp.ts';
import type { JsonValue } from '../../domain/json-value.ts';
import type { Row } from '../tool.ts';
import { positionRow } from './orders.ts';
import { at, entriesOf, membersOf, row, unless, type Members } from './row.ts';

/** Cash, positions, the day and what is under way, of all venues. */
export const accountRow: Row = (account) => {
  const positions = entriesOf(at(account, 'positions'));
  const pending = entriesOf(at(account, 'pending'));
  return {
    ...row(['totalUsdc', 'cashUsdc', 'availableUsdc', 'positionsValueUsdc'])(account),
    ...row(['unrealizedPnl'])(account),
    today: {
      ...row(['realizedPnl', 'feesUsdc', 'trades'])(at(account, 'today')),
      isCut: unless(at(account, 'today.isCut'), false),
    },
    cash: cashOf(entriesOf(at(account, 'venues'))),
    unreconciled: namesOf(at(account, 'venues'), 'venue', 'unreconciled'),
    mismatches: someOf(account, 'mismatches'),
    disputes: someOf(account, 'disputes'),
    unavailable: namesOf(at(account, 'venues'), 'venue', 'unavailable'),
    viewOnly: viewOnlyOf(account),
    positionCount: positions.length,
    unpricedPositions: unless(at(account, 'unpricedPositions'), 0),
    positions: positions.slice(0, MCP.summaryRows).map(heldRow),
    pending: pending.slice(0, MCP.summaryRows),
    pendingCount: pending.length,
    agents: row(['realizedPnl', 'unrealizedPnl', 'feesUsdc', 'wins', 'losses'])(
      at(account, 'agents.total'),
    ),
  };
};

/** Venues may share an account: it is listed once. */
function cashOf(venues: readonly JsonValue[]): JsonValue {
  return Object.fromEntries(
    venues.flatMap((venue) => {
      const name = at(venue, 'account');
      const cash = row(['settled', 'available', 'reserved', 'provisional'])(at(venue, 'cash'));
      return typeof name === 'string'
        ? [[name, Object.fromEntries(Object.entries(cash).filter(([, usdc]) => usdc !== '0'))]]
        : [];
    }),
  );
}

function heldRow(held: JsonValue): JsonValue {
  const position = membersOf(positionRow(at(held, 'position'), null));
  const { entryPrice: _entry, feesUsdc: _fees, ...rest } = position;
  return { ...rest, venue: at(held, 'venue') };
}

/** View-only venues, and of what is held there the newest, in the currency of each position. */
function viewOnlyOf(account: JsonValue): JsonValue {
  const venues = entriesOf(at(account, 'viewed')).filter(
    (viewed) => at(viewed, 'positions') !== 0 || at(viewed, 'state') === 'away',
  );
  if (venues.length === 0) return null;
  return {
    venues: venues.slice(0, MCP.viewedRows).map((viewed) => ({
      ...row(['venue', 'valueUsd', 'profitUsd', 'claimableUsd'])(viewed),
      positionCount: at(viewed, 'positions'),
      state: unless(at(viewed, 'state'), 'ok'),
    })),
    positions: entriesOf(at(account, 'viewedPositions')).slice(0, MCP.viewedRows).map(viewedRow),
  };
}

function viewedRow(viewed: JsonValue): JsonValue {
  const position = at(viewed, 'position');
  return {
    ...row(['question', 'outcome', 'shares', 'value', 'profit'], { outcome: 'outcomeLabel' })(
      position,
    ),
    state: unless(at(position, 'state'), 'open'),
    isClaimable: unless(at(position, 'isClaimable'), false),
    currency:
      at(position, 'currency.isDollar') === true
        ? null
        : (at(position, 'currency.symbol') ?? 'unknown token'),
  };
}

/** The first ones of a list that is seldom more than empty; null where it is. */
function someOf(account: JsonValue, name: string): JsonValue {
  const found = entriesOf(at(account, name));
  return found.length === 0 ? null : found.slice(0, MCP.summaryRows);
}

function namesOf(list: JsonValue, name: string, state: string): JsonValue {
  const found = entriesOf(list).filter((each) => at(each, 'state') === state);
  return found.length === 0 ? null : found.map((each) => at(each, name));
}

/** What happened, in short: of an order, a position or an agent its state now. */
export const eventRow: Row = (entry) => {
  const data = at(entry, 'data');
  return {
    events: [at(data, 'event')],
    ...thingOf(data),
    ...row(['reason', 'by'])(data),
  };
};

function thingOf(data: JsonValue): Members {
  const [order, position] = [at(data, 'order'), at(data, 'position')];
  const [note, decision] = [at(data, 'notification'), at(data, 'decision')];
  if (order !== null)
    return {
      orderId: at(order, 'id'),
      ...row(['venue', 'marketId', 'side', 'action', 'state', 'filledShares'])(order),
      ...row(['averagePrice', 'feesUsdc', 'settlementState'])(order),
      agent: at(order, 'origin.agent'),
    };
  if (position !== null)
    return row(['marketId', 'question', 'side', 'state', 'shares', 'costUsdc', 'realizedPnl'])(
      position,
    );
  if (note !== null) return row(['title', 'body'])(note);
  if (decision !== null) return row(['agent', 'marketId', 'verdict', 'reason'])(decision);
  const deposit = at(data, 'deposit');
  if (deposit !== null) return row(['state', 'chain', 'symbol', 'usdc'])(deposit);
  const agent = at(data, 'agent');
  return typeof agent === 'string'
    ? { agent }
    : row(['agent', 'enabled', 'mode', 'activity'])(agent);
}

/**
 * Tells an order and a position once, at the place of its newest event: each event shows it as it
 * is now.
 */
export function foldedEvents(rows: readonly JsonValue[]): readonly JsonValue[] {
  const found = new Map<string, Members>();
  rows.forEach((entry, index) => {
    const members = membersOf(entry);
    const { events: _these, reason: _why, ...thing } = members;
    const isOfOne = 'orderId' in members || 'marketId' in members;
    const name = isOfOne ? nameOf(members) : String(index);
    const before = entriesOf(found.get(name)?.['events'] ?? []);
    found.delete(name);
    const events = [...new Set([...before, ...entriesOf(members['events'] ?? null)])];
    found.set(name, { ...members, ...thing, events });
  });
  return [...found.values()];
}

function nameOf({ orderId = null, marketId = null, side = null, verdict = null }: Members): string {
  return JSON.stringify(orderId ?? [marketId, side, verdict]);
}

/** Where to go on; at a beginning how much there is now, which the lists show. */
export const placeRow: Row = (answer) => {
  const count = (name: string) => {
    const list = at(answer, `snapshot.${name}`);
    return Array.isArray(list) ? list.length : null;
  };
  return {
    cursor: at(answer, 'cursor'),
    hasMore: unless(at(answer, 'hasMore'), false),
    tooOld: unless(at(answer, 'tooOld'), false),
    openOrders: count('orders'),
    openPositions: count('positions'),
    unread: at(answer, 'snapshot.unread'),
  };
};
