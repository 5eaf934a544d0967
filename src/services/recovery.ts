import {
  AGENT_IDS,
  asId,
  type AgentId,
  type MarketId,
  type UserId,
  type VenueId,
} from '../domain/ids.ts';
import { isAtRest, type OrderRecord } from '../domain/order.ts';
import type { PositionRecord } from '../domain/position.ts';
import { deriveRisk, type RiskState } from '../domain/risk.ts';
import type { Runtime } from '../ports/runtime.ts';
import { wallMsSince } from '../ports/clock.ts';
import type { Key, Store, StoreReader, Table } from '../ports/store.ts';
import type { OrderDriver } from './orders/order-driver.ts';
import type { OrderFigures } from './orders/order-figures.ts';
import type { RestingOrders } from './orders/resting-orders.ts';
import type { TradingFigures } from './orders/trading-figures.ts';
import { reportDisputes } from './books/funds-disputes.ts';
import { foldUnknown, foldInterrupted } from './books/order-fold.ts';
import type { RecoveryReport } from './orders/orders.ts';
import type { PositionWatch } from './portfolio/position-watch.ts';
import { agentRiskOf, putOrder, riskOf } from './books/record-changes.ts';
import {
  AGENT_MARKETS,
  AGENT_RISK,
  FILLS,
  OPEN_FILLS,
  OPEN_HOLDS,
  OPEN_ORDERS,
  OPEN_POSITIONS,
  ORDERS,
  POSITIONS,
  RISK,
} from './books/tables.ts';
import type { UserSync } from './sync/user-sync.ts';
import { openHolds } from './books/holds.ts';

/**
 * The one start path (L9): it assumes a crash. Whatever may have left is unknown and is asked about
 * before anything is sent; resting orders, fills and positions are watched again; what users have
 * at risk is derived anew from their records. Reads the indexes of what was in motion, never the
 * whole past.
 */
export async function recoverTrading(
  deps: Pick<Runtime, 'store' | 'commit' | 'clock' | 'log' | 'metrics'> & {
    readonly driver: OrderDriver;
    readonly resting: Pick<RestingOrders, 'keep'>;
    readonly sync: UserSync;
    readonly positions: PositionWatch;
    readonly figures: Pick<TradingFigures, 'recover'>;
    readonly orderFigures: Pick<OrderFigures, 'found'>;
  },
): Promise<RecoveryReport> {
  const { store, clock, log } = deps;
  const startedAtMs = clock.nowMs();
  const found = recordsOf(store, OPEN_ORDERS, ORDERS);
  const fills = recordsOf(store, OPEN_FILLS, FILLS);
  const holdings = recordsOf(store, OPEN_POSITIONS, POSITIONS, ([, userId, tokenId]) => [
    userId ?? '',
    tokenId ?? '',
  ]);
  const holds = store.range(OPEN_HOLDS).map(({ value }) => value);
  const atRisk = [...found.map(({ intent }) => intent), ...fills, ...holdings, ...holds];
  await deriveAnew(deps, new Set(atRisk.map(({ userId }) => userId)), holdings);
  const resumed = await markUnknown(deps, found);
  const watched = new Map<string, Watched>(
    [...resumed.map(({ intent }) => intent), ...openFillsOf(store)].map(({ userId, venue }) => [
      `${userId} ${venue}`,
      { userId, venue },
    ]),
  );
  reportDisputes(deps);
  deps.figures.recover();
  for (const record of resumed) deps.orderFigures.found(record);
  for (const record of resumed)
    if (isAtRest(record)) deps.resting.keep(record);
    else deps.driver.resume(record);
  for (const { userId, venue } of watched.values()) deps.sync.activate(userId, venue);
  for (const marketId of new Set(holdings.map((position) => position.marketId)))
    deps.positions.watch(marketId, 'found');
  const report: RecoveryReport = {
    openOrders: resumed.length,
    undecidedOrders: resumed.filter(({ state }) => state === 'unknown').length,
    openFills: fills.length,
    openPositions: holdings.length,
    activeUsers: new Set([...watched.values()].map(({ userId }) => userId)).size,
    tookMs: wallMsSince(clock, startedAtMs),
  };
  log.info({ ...report }, 'trading.recovered');
  return report;
}

/** A user's channel at a venue. */
interface Watched {
  readonly userId: UserId;
  readonly venue: VenueId;
}

function openFillsOf(store: Store): readonly Watched[] {
  return store
    .range(OPEN_FILLS)
    .map(({ key, value: { venue } }) => ({ userId: asId<UserId>(String(key[0])), venue }));
}

/**
 * Marks every order as unknown whose answer may have been lost with the process, in one
 * transaction, and gives what is still open.
 */
async function markUnknown(
  { commit, clock }: Pick<Runtime, 'commit' | 'clock'>,
  found: readonly OrderRecord[],
): Promise<readonly OrderRecord[]> {
  const isUnsure = ({ state }: OrderRecord) =>
    state === 'intended' || state === 'signed' || state === 'submitting';
  if (found.some(isUnsure)) {
    await commit((tx) => {
      for (const record of found.filter(isUnsure))
        putOrder(tx, record, asUnknown(record, clock.nowMs()));
    });
  }
  return found
    .map((record) => (isUnsure(record) ? asUnknown(record, record.updatedAtMs) : record))
    .filter(({ state }) => state !== 'cancelled');
}

/** An order that was never signed cannot have left; a signed one may have. */
function asUnknown(record: OrderRecord, nowMs: number): OrderRecord {
  return record.attempts.length === 0
    ? foldInterrupted(record, nowMs)
    : foldUnknown(record, 'the process ended before the answer was stored', nowMs);
}

/**
 * Checks what users and their agents have at risk against their records; a difference is an error,
 * and the records are right.
 */
async function deriveAnew(
  { store, commit, log }: Pick<Runtime, 'store' | 'commit' | 'log'>,
  users: ReadonlySet<UserId>,
  holdings: readonly PositionRecord[],
): Promise<void> {
  const held = new Map<UserId, PositionRecord[]>();
  for (const position of holdings) {
    const others = held.get(position.userId);
    if (others === undefined) held.set(position.userId, [position]);
    else others.push(position);
  }
  const heldBy = (userId: UserId) => held.get(userId) ?? [];
  const wrong = [...users].filter((userId) => !isRiskSound(store, userId, heldBy(userId)));
  if (wrong.length === 0) return;
  log.error({ users: wrong }, 'risk.differed_from_records');
  await commit((tx) => {
    for (const userId of wrong) {
      const { all, agents } = derivedRisks(tx, userId, heldBy(userId));
      tx.put(RISK, [userId], all);
      for (const { agentId, risk } of agents) tx.put(AGENT_RISK, [userId, agentId], risk);
    }
  });
}

/**
 * True when what is kept of the risk of a user and of each agent follows from the records; `held`
 * are the positions with shares where they are known, else all there were are read.
 */
export function isRiskSound(
  reader: StoreReader,
  userId: UserId,
  held: readonly PositionRecord[] = allHeld(reader, userId),
): boolean {
  const { all, agents } = derivedRisks(reader, userId, held);
  return (
    isSameRisk(riskOf(reader, userId), all) &&
    agents.every(({ agentId, risk }) => isSameRisk(agentRiskOf(reader, userId, agentId), risk))
  );
}

function allHeld(reader: StoreReader, userId: UserId): readonly PositionRecord[] {
  return reader
    .range(POSITIONS, { prefix: [userId] })
    .map(({ value }) => value)
    .filter(({ shares }) => shares !== 0);
}

interface DerivedRisks {
  readonly all: RiskState;
  readonly agents: readonly { readonly agentId: AgentId; readonly risk: RiskState }[];
}

/**
 * What a user, and of that each agent, has at risk, from the records alone. Holds are the user's,
 * and no agent's.
 */
function derivedRisks(
  reader: StoreReader,
  userId: UserId,
  positions: readonly PositionRecord[],
): DerivedRisks {
  const orders = recordsOf(reader, OPEN_ORDERS, ORDERS, undefined, [userId]);
  const fills = recordsOf(reader, OPEN_FILLS, FILLS, undefined, [userId]);
  const hasEntered = (agentId: AgentId, marketId: MarketId) =>
    reader.get(AGENT_MARKETS, [userId, agentId, marketId]) !== null;
  return {
    all: deriveRisk({
      orders,
      fills,
      positions,
      holds: openHolds(reader, userId),
      today: riskOf(reader, userId),
    }),
    agents: AGENT_IDS.map((agentId) => ({
      agentId,
      risk: deriveRisk({
        orders: orders.filter(
          ({ intent: { origin } }) => origin.kind === 'agent' && origin.agentId === agentId,
        ),
        fills: fills.filter(({ marketId }) => hasEntered(agentId, marketId)),
        positions: positions.filter(({ marketId }) => hasEntered(agentId, marketId)),
        holds: [],
        today: agentRiskOf(reader, userId, agentId),
      }),
    })),
  };
}

/**
 * True when two states say the same, whatever the order in which their tokens and accounts were
 * met.
 */
function isSameRisk(one: RiskState, other: RiskState): boolean {
  const sorted = (part: Readonly<Record<string, object>>) =>
    Object.entries(part)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, risk]) => [name, Object.entries(risk).sort()]);
  const flat = ({ tokens, cash, day, realisedUsdc }: RiskState) =>
    JSON.stringify([day, realisedUsdc, sorted(cash), sorted(tokens)]);
  return flat(one) === flat(other);
}

/** Records that an index points at. */
function recordsOf<T>(
  reader: StoreReader,
  index: Table<unknown>,
  table: Table<T>,
  keyOf: (key: Key) => Key = (key) => key,
  prefix: Key = [],
): readonly T[] {
  return reader.range(index, { prefix }).flatMap(({ key }) => {
    const found = reader.get(table, keyOf(key));
    return found === null ? [] : [found.value];
  });
}
