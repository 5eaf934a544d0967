import { modeOf, stopPolicyOf, type StopPolicy } from '../../../src/domain/agent.ts';
import type { DomainEvent, JournalEntry } from '../../../src/domain/events.ts';
import type { FillRecord } from '../../../src/domain/fill.ts';
import { isTerminal, type OrderIntent } from '../../../src/domain/order.ts';

/** What is set beside the journal to judge stops by. */
export interface StopsOutside {
  /** World's time at which each entry of the journal was published, by its number. */
  readonly publishedAtMs: ReadonlyMap<number, number>;
  /** Orders whose cancel was requested, by intent. */
  readonly askedToCancel: ReadonlySet<string>;
  /** When the venue's markets end. */
  readonly marketEndsAtMs: ReadonlyMap<string, number>;
}

/** A stop of the operator (null) or of a user as it is, and which buys it found open. */
interface Stop {
  readonly isSweeping: boolean;
  readonly seq: number;
  readonly found: readonly string[];
}

/** What the journal says up to one of its entries. */
interface Seen {
  readonly open: Map<string, OrderIntent>;
  readonly origins: Map<string, OrderIntent>;
  /** Orders that a stop, or their own agent, may have had cancelled. */
  readonly wantedAway: Set<string>;
  readonly stops: Map<string | null, Stop>;
  /** Stopped agents with something to end, and since which entry. */
  readonly unwinds: Map<string, { readonly policy: StopPolicy; readonly seq: number }>;
  readonly enabled: Set<string>;
  readonly fills: Map<string, FillRecord>;
}

/**
 * A stop that lasts this long has its buys cancelled, whatever fails on the way; a shorter one may
 * be lifted before.
 */
const SWEPT_WITHIN_MS = 120_000;
const DUST_MICROS = 10_000;
/** How the venue words a cancellation that was asked for; its own have reasons. */
const AS_ASKED: readonly (string | null)[] = [null, 'user requested'];
/**
 * How a stop of the operator or of a user says in the journal what it does: its reason begins with
 * its policy.
 */
const SWEEPING = 'cancel_only';

/**
 * L6: what stops did otherwise than their policies say. `cancel_only` leaves no buy open that it
 * found; `close` leaves no shares of the agent in a market that trades; an agent has come to rest
 * only with nothing left, and does so; and no order that may rest ends cancelled that neither its
 * user, nor its agent, nor a stop wanted away, which is what `keep` promises.
 */
export function stopsBroken(
  journal: readonly JournalEntry[],
  outside: StopsOutside,
): readonly string[] {
  const seen: Seen = {
    open: new Map(),
    origins: new Map(),
    wantedAway: new Set(),
    stops: new Map(),
    unwinds: new Map(),
    enabled: new Set(),
    fills: new Map(),
  };
  const found: string[] = [];
  for (const entry of journal) {
    found.push(...findingsAt(entry, seen, outside).map((words) => `${entry.seq}: ${words}`));
    take(entry, seen);
  }
  const left = [...seen.unwinds].map(
    ([agent, { policy, seq }]) =>
      `${seq}: ${agent} was stopped by ${policy} and never came to rest`,
  );
  return [...found, ...left];
}

/** What an entry breaks, as things stand before it. */
function findingsAt(
  { seq, event }: JournalEntry,
  seen: Seen,
  outside: StopsOutside,
): readonly string[] {
  switch (event.type) {
    case 'all_trading.resumed':
      return leftBySweep(seen, { stop: seen.stops.get(null), seq, outside });
    case 'trading.resumed':
      return leftBySweep(seen, { stop: seen.stops.get(event.userId), seq, outside });
    case 'agent.unwound':
      return leftByAgent(seen, { event, outside });
    case 'order.changed': {
      const order = seen.open.get(event.intentId);
      const isKept =
        event.to === 'cancelled' &&
        AS_ASKED.includes(event.reason) &&
        order?.life === 'rests' &&
        !outside.askedToCancel.has(event.intentId) &&
        !seen.wantedAway.has(event.intentId);
      return isKept
        ? [`${event.intentId} was cancelled without a request: ${event.reason ?? 'no reason'}`]
        : [];
    }
    default:
      return [];
  }
}

function leftBySweep(
  seen: Seen,
  {
    stop,
    seq,
    outside: { publishedAtMs },
  }: { readonly stop: Stop | undefined; readonly seq: number; readonly outside: StopsOutside },
): readonly string[] {
  const [from, to] = [publishedAtMs.get(stop?.seq ?? 0), publishedAtMs.get(seq)];
  if (
    stop?.isSweeping !== true ||
    from === undefined ||
    to === undefined ||
    to - from < SWEPT_WITHIN_MS
  )
    return [];
  return stop.found
    .filter((intentId) => seen.open.has(intentId))
    .map(
      (intentId) =>
        `${intentId} is open ${to - from} ms after the stop at ${stop.seq} that was to cancel it`,
    );
}

function leftByAgent(
  seen: Seen,
  {
    event: { userId, agentId, policy, atMs },
    outside: { marketEndsAtMs },
  }: {
    readonly event: Extract<DomainEvent, { readonly type: 'agent.unwound' }>;
    readonly outside: StopsOutside;
  },
): readonly string[] {
  const agent = `${userId} ${agentId}`;
  const orders = [...seen.open.values()]
    .filter((intent) => agentOf(intent) === agent)
    .map(({ intentId }) => `${agent} rests, and its ${intentId} is open`);
  if (policy !== 'close') return orders;
  const held = new Map<string, { own: number; all: number; readonly marketId: string }>();
  for (const { intentId, tokenId, marketId, side, shares } of [...seen.fills.values()].filter(
    (fill) => fill.userId === userId,
  )) {
    const signed = side === 'buy' ? shares : -shares;
    const token = held.get(tokenId) ?? { own: 0, all: 0, marketId };
    token.all += signed;
    const intent = seen.origins.get(intentId);
    if (intent !== undefined && agentOf(intent) === agent) token.own += signed;
    held.set(tokenId, token);
  }
  const shares = [...held].filter(
    ([, { own, all, marketId }]) =>
      Math.min(own, all) >= DUST_MICROS && (marketEndsAtMs.get(marketId) ?? 0) > atMs,
  );
  return [
    ...orders,
    ...shares.map(([tokenId, { own }]) => `${agent} rests, and holds ${own} of ${tokenId}`),
  ];
}

function take({ seq, event }: JournalEntry, seen: Seen): void {
  switch (event.type) {
    case 'order.intended':
      seen.open.set(event.intent.intentId, event.intent);
      seen.origins.set(event.intent.intentId, event.intent);
      // An enabled agent takes back its own bids when it changes its mind.
      if (seen.enabled.has(agentOf(event.intent) ?? '')) seen.wantedAway.add(event.intent.intentId);
      return;
    case 'order.changed':
      if (isTerminal(event.to)) seen.open.delete(event.intentId);
      return;
    case 'fill.recorded':
      seen.fills.set(`${event.fill.tradeId} ${event.fill.orderId}`, event.fill);
      return;
    case 'fill.reversed':
      seen.fills.delete(`${event.tradeId} ${event.orderId}`);
      return;
    case 'all_trading.stopped':
      return takeStop(seen, null, { seq, reason: event.reason });
    case 'trading.stopped':
      return takeStop(seen, event.userId, { seq, reason: event.reason });
    case 'all_trading.resumed':
      seen.stops.delete(null);
      return;
    case 'trading.resumed':
      seen.stops.delete(event.userId);
      return;
    case 'agent.unwound':
      seen.unwinds.delete(`${event.userId} ${event.agentId}`);
      return;
    case 'agent.changed':
      return takeAgent(event.agent, seen, seq);
  }
}

function takeStop(
  seen: Seen,
  userId: string | null,
  { seq, reason }: { readonly seq: number; readonly reason: string },
): void {
  const found = [...seen.open.values()]
    .filter((intent) => intent.side === 'buy' && (userId === null || intent.userId === userId))
    .map(({ intentId }) => intentId);
  const isSweeping = reason.startsWith(SWEEPING);
  if (isSweeping) found.forEach((intentId) => seen.wantedAway.add(intentId));
  seen.stops.set(userId, { isSweeping, seq, found });
}

function takeAgent(
  record: Extract<DomainEvent, { readonly type: 'agent.changed' }>['agent'],
  seen: Seen,
  seq: number,
): void {
  const agent = `${record.userId} ${record.agentId}`;
  const wasEnabled = seen.enabled.has(agent);
  seen.enabled.delete(agent);
  if (record.enabled && modeOf(record) === 'live') seen.enabled.add(agent);
  if (record.enabled) seen.unwinds.delete(agent);
  const policy = stopPolicyOf(record);
  const own = [...seen.open.values()].filter((intent) => agentOf(intent) === agent);
  if (!wasEnabled || record.enabled) return;
  // What rests of a stopped agent stays, unless its policy says otherwise.
  for (const { intentId } of own) seen.wantedAway.delete(intentId);
  if (policy === 'keep') return;
  for (const { intentId } of own) seen.wantedAway.add(intentId);
  if (own.length > 0) seen.unwinds.set(agent, { policy, seq });
}

function agentOf({ userId, origin }: OrderIntent): string | null {
  return origin.kind === 'agent' ? `${userId} ${origin.agentId}` : null;
}
