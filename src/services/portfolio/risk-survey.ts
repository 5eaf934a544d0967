import { RISK_SURVEY } from '../../../config/limits/figures.ts';
import { AGENT_MODES, AGENT_PROFILES, isTrading, type AgentMode } from '../../domain/agent.ts';
import { CASH_ACCOUNTS } from '../../domain/cash.ts';
import { AGENT_IDS, asId, type UserId } from '../../domain/ids.ts';
import type { PositionRecord } from '../../domain/position.ts';
import { tightestCaps, type RiskCaps } from '../../domain/reservation.ts';
import { exposureUsdc, lostUsdc, openPositionCount, type RiskState } from '../../domain/risk.ts';
import { MICROS_PER_UNIT } from '../../domain/units.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Metrics } from '../../ports/metrics.ts';
import type { Key, StoreReader } from '../../ports/store.ts';
import { agentRiskOf } from '../books/record-changes.ts';
import { AGENTS, POSITIONS, RISK, USER_CAPS } from '../books/tables.ts';

const KINDS = ['reserved', 'outgoing', 'positions'] as const;
const CAPS = ['exposure', 'daily_loss', 'open_positions'] as const;
type Cap = (typeof CAPS)[number];

/** Takes up each position of an agent that is held. */
type TakeUp = (mode: AgentMode, position: PositionRecord) => void;

/** A round over all users. */
interface Round {
  mode: AgentMode;
  last: Key | null;
  /** Micros by account and kind. */
  readonly money: Map<string, number>;
  /** The largest share by agent and cap. */
  readonly used: Map<string, number>;
  /** Micros that positions of agents have cost, by agent and mode. */
  readonly open: Map<string, number>;
}

/**
 * Makes the periodic task that adds up, every RISK_SURVEY.intervalMs and a page of users a call,
 * what users have at risk and how near the nearest of them is to each cap. It reads what is kept
 * for each user who ever traded, no order and no fill.
 */
export function createRiskSurvey(deps: {
  readonly store: StoreReader;
  /** Where accounts of paper money are. */
  readonly paperStore: StoreReader;
  readonly found: TakeUp;
  /** The markets' time: a day's loss is of its day. */
  readonly clock: Clock;
  /** Wall time. */
  readonly wallClock: Clock;
  readonly metrics: Metrics;
  /** What the operator lets any one user have at risk. */
  readonly caps: RiskCaps;
}): () => void {
  const { found, clock, wallClock, metrics, caps } = deps;
  let round: Round | null = null;
  let dueAtMs = wallClock.nowMs();
  return () => {
    if (round === null && wallClock.nowMs() < dueAtMs) return;
    round ??= { mode: 'live', last: null, money: new Map(), used: new Map(), open: new Map() };
    const store = round.mode === 'live' ? deps.store : deps.paperStore;
    const limit = RISK_SURVEY.usersPerRead;
    const users = store.range(RISK, round.last === null ? { limit } : { after: round.last, limit });
    for (const { key, value } of users) {
      const userId = asId<UserId>(String(key[0]));
      addPositions(found, { round, store, userId, risk: value });
      if (round.mode === 'live')
        addUser(round, store, { userId, risk: value, caps, nowMs: clock.nowMs() });
    }
    round.last = users.at(-1)?.key ?? round.last;
    if (users.length === limit) return;
    if (round.mode === 'live') {
      round.mode = 'paper';
      round.last = null;
      return;
    }
    tell(metrics, round);
    metrics.gauge('money_summed_timestamp_seconds', wallClock.nowMs() / 1_000);
    round = null;
    dueAtMs = wallClock.nowMs() + RISK_SURVEY.intervalMs;
  };
}

function addPositions(
  found: TakeUp,
  {
    round: { mode, money, open },
    store,
    userId,
    risk,
  }: {
    readonly round: Round;
    readonly store: StoreReader;
    readonly userId: UserId;
    readonly risk: RiskState;
  },
): void {
  for (const [tokenId, { heldShares, costUsdc }] of Object.entries(risk.tokens)) {
    const position = heldShares === 0 ? null : store.get(POSITIONS, [userId, tokenId])?.value;
    if (!position) continue;
    if (mode === 'live') addTo(money, `${position.cashAccount} positions`, costUsdc);
    if (position.agentId === null) continue;
    addTo(open, `${position.agentId} ${mode}`, costUsdc);
    found(mode, position);
  }
}

function addUser(
  round: Round,
  store: StoreReader,
  {
    userId,
    risk,
    caps: offered,
    nowMs,
  }: {
    readonly userId: UserId;
    readonly risk: RiskState;
    /** What the operator lets any one user have at risk. */
    readonly caps: RiskCaps;
    readonly nowMs: number;
  },
): void {
  for (const account of CASH_ACCOUNTS) {
    addTo(round.money, `${account} reserved`, risk.cash[account]?.reservedUsdc ?? 0);
    addTo(round.money, `${account} outgoing`, risk.cash[account]?.outgoingUsdc ?? 0);
  }
  const caps = tightestCaps(offered, store.get(USER_CAPS, [userId])?.value ?? {});
  use(round, nowMs, { agent: 'all', risk, caps });
  for (const agent of AGENT_IDS) {
    const record = store.get(AGENTS, [userId, agent])?.value;
    const farming = record !== undefined && isTrading(record) ? record.settings.farming : undefined;
    if (farming === undefined) continue;
    const { maxOpenPositions, maxTotalExposure, maxDailyLoss } = farming;
    use(round, nowMs, {
      agent,
      risk: agentRiskOf(store, userId, agent),
      caps: {
        openPositions: maxOpenPositions,
        ...(maxTotalExposure === undefined ? {} : { exposureUsdc: maxTotalExposure }),
        ...(maxDailyLoss === undefined ? {} : { dailyLossUsdc: maxDailyLoss }),
      },
    });
  }
}

function addTo(sums: Map<string, number>, name: string, micros: number): void {
  sums.set(name, (sums.get(name) ?? 0) + micros);
}

function use(
  { used }: Round,
  nowMs: number,
  {
    agent,
    risk,
    caps,
  }: { readonly agent: string; readonly risk: RiskState; readonly caps: RiskCaps },
): void {
  const exposure = exposureUsdc(risk);
  const shares: Readonly<Record<Cap, number>> = {
    exposure: shareOf(exposure, caps.exposureUsdc),
    daily_loss: shareOf(lostUsdc(risk, nowMs) + exposure, caps.dailyLossUsdc),
    open_positions: shareOf(openPositionCount(risk), caps.openPositions),
  };
  for (const cap of CAPS) {
    const name = `${agent} ${cap}`;
    used.set(name, Math.max(used.get(name) ?? 0, shares[cap]));
  }
}

/** A cap of nothing is used up by anything. */
function shareOf(amount: number, cap: number | undefined): number {
  if (cap === undefined || amount === 0) return 0;
  return cap === 0 ? 1 : amount / cap;
}

function tell(metrics: Metrics, { money, used, open }: Round): void {
  for (const account of CASH_ACCOUNTS)
    for (const kind of KINDS)
      metrics.gauge('money_usdc', (money.get(`${account} ${kind}`) ?? 0) / MICROS_PER_UNIT, {
        account: account.replace('usdc:', ''),
        kind,
      });
  for (const agent of ['all', ...AGENT_IDS.filter((id) => AGENT_PROFILES[id].kind === 'farming')])
    for (const cap of CAPS)
      metrics.gauge('cap_used_ratio', used.get(`${agent} ${cap}`) ?? 0, { agent, cap });
  for (const agent of AGENT_IDS)
    for (const mode of AGENT_MODES)
      metrics.gauge('agent_open_usdc', (open.get(`${agent} ${mode}`) ?? 0) / MICROS_PER_UNIT, {
        agent,
        mode,
      });
}
