import { HEALTH } from '../../../config/limits/risk.ts';
import { AGENT_PROFILES } from '../../domain/agent.ts';
import {
  DEGRADED_CODES,
  DEGRADED_SENTENCES,
  missingOfRounds,
  type DegradedCode,
  type DegradedReason,
} from '../../domain/degraded.ts';
import { AGENT_IDS, type AgentId, type UserId, type VenueId } from '../../domain/ids.ts';
import { withoutStale } from '../../domain/strategy/inputs.ts';
import type { Runtime } from '../../ports/runtime.ts';
import { inWallTime, slowSinceMs, type Timer } from '../../ports/clock.ts';
import type { StoreReader } from '../../ports/store.ts';
import {
  BREAKER_SENTENCES,
  brokenSinceMs,
  shutFor,
  type Settling,
} from '../books/settlement-health.ts';
import { stopKey } from '../orders/stop-check.ts';
import { accessProblem } from '../orders/access-gate.ts';
import type { UserStreams } from '../orders/place-order.ts';
import { STOPS } from '../books/tables.ts';
import type { SignalSource } from './signal-source.ts';
import { viewLimits } from './advise.ts';

/** Whose health has changed: an agent of everybody, or all agents of one user. */
export type HealthChange =
  | { readonly kind: 'agent'; readonly agentId: AgentId }
  | { readonly kind: 'user'; readonly userId: UserId };

/**
 * Says why agents do not decide (L8). What is absent is decided elsewhere: this names it, and tells
 * when it begins and ends.
 */
export interface AgentHealth {
  /** Every reason why an enabled agent of this user does not decide just now; none when it does. */
  reasons(userId: UserId, agentId: AgentId): readonly DegradedReason[];
  /**
   * Those of them that hold entries of the user's agent back whatever the market looks like, stops
   * apart.
   */
  userReasons(userId: UserId, agentId: AgentId): readonly DegradedReason[];
  /** Tells of changes. Gives what ends it. */
  listen(listener: (change: HealthChange) => void): () => void;
  /** Begins to check, or goes on, while any agent is enabled. */
  wake(): void;
  stop(): void;
}

export interface AgentHealthDeps extends Pick<Runtime, 'clock' | 'bus' | 'log' | 'metrics'> {
  readonly store: StoreReader;
  readonly signals: Pick<SignalSource, 'openViews'>;
  readonly userStreams: Pick<UserStreams, 'problem' | 'listen'>;
  /** How many of an agent are enabled. */
  readonly enrolled: (agentId: AgentId) => number;
  /** Called when our clock, which had run slow, keeps pace again: it blocked all agents. */
  readonly onPaceRegained: () => void;
}

/**
 * Makes the health. Inputs of rounds are looked at once for all agents of a kind, so the cost does
 * not follow their number.
 */
export function createAgentHealth(deps: AgentHealthDeps): AgentHealth {
  const { store, clock, log, metrics, userStreams } = deps;
  /** Since when each input of an agent's rounds is missing. */
  const missing = new Map<AgentId, ReadonlyMap<DegradedCode, number>>();
  const reported = new Map<AgentId, string>();
  const listeners = new Set<(change: HealthChange) => void>();
  let timer: Timer | null = null;
  let wasSlow = false;
  const tell = (change: HealthChange) => listeners.forEach((listener) => listener(change));
  const unsubscribe = deps.bus.subscribe(({ event }) => {
    if (
      event.type === 'settlement.broke' ||
      event.type === 'settlement.healed' ||
      event.type === 'trading.stopped' ||
      event.type === 'trading.resumed'
    )
      tell({ kind: 'user', userId: event.userId });
    else if (event.type === 'venue.restricted' || event.type === 'venue.admitted')
      for (const agentId of AGENT_IDS)
        if (AGENT_PROFILES[agentId].venue === event.venue) tell({ kind: 'agent', agentId });
  });
  const unlisten = userStreams.listen((userId) => tell({ kind: 'user', userId }));

  function check(): void {
    timer = null;
    for (const agentId of AGENT_IDS) checkAgent(agentId, deps.enrolled(agentId));
    checkClock();
    wake();
  }

  function checkAgent(agentId: AgentId, enrolled: number): void {
    if (AGENT_PROFILES[agentId].kind !== 'round') return;
    if (enrolled === 0 && !missing.has(agentId)) return;
    const nowMs = clock.nowMs();
    const before = missing.get(agentId);
    const codes =
      enrolled === 0
        ? []
        : missingOfRounds(
            deps.signals
              .openViews(agentId)
              .map((view) => withoutStale(view, nowMs, viewLimits(clock))),
          );
    missing.set(agentId, new Map(codes.map((code) => [code, before?.get(code) ?? nowMs])));
    const lasting = roundReasons(agentId).map(({ code }) => code);
    gauge(agentId, lasting, enrolled);
    const words = lasting.join(' ');
    if ((reported.get(agentId) ?? '') === words) return;
    reported.set(agentId, words);
    log.warn(
      { agentId, enrolled, codes: lasting },
      words === '' ? 'agents.recovered_inputs' : 'agents.degraded',
    );
    tell({ kind: 'agent', agentId });
  }

  function checkClock(): void {
    const isSlow = slowSinceMs(clock) !== null;
    if (isSlow === wasSlow) return;
    wasSlow = isSlow;
    log.warn({ isSlow }, 'agents.clock_set_back');
    for (const agentId of AGENT_IDS)
      if (deps.enrolled(agentId) > 0) tell({ kind: 'agent', agentId });
    if (!isSlow) deps.onPaceRegained();
  }

  function gauge(agentId: AgentId, lasting: readonly DegradedCode[], enrolled: number): void {
    for (const code of ROUND_CODES)
      metrics.gauge('agent_enrolments_degraded', lasting.includes(code) ? enrolled : 0, {
        agent: agentId,
        reason: code,
      });
  }

  function roundReasons(agentId: AgentId): readonly DegradedReason[] {
    const nowMs = clock.nowMs();
    const hiccupMs = inWallTime(clock, HEALTH.reportedAfterMs);
    return [...(missing.get(agentId) ?? [])]
      .filter(([, sinceMs]) => nowMs - sinceMs >= hiccupMs)
      .map(([code, sinceMs]) => reason(code, sinceMs));
  }

  function userReasons(userId: UserId, agentId: AgentId): readonly DegradedReason[] {
    const { venue } = AGENT_PROFILES[agentId];
    const problem = userStreams.problem(userId, venue);
    const sinceMs = slowSinceMs(clock);
    return [
      ...shutAccess(store, venue, clock.nowMs()),
      ...(sinceMs === null ? [] : [reason('clock_set_back', sinceMs)]),
      ...(problem === null ? [] : [reason(problem.code, problem.sinceMs)]),
      ...failingSettlements(store, { userId, venue }, clock.nowMs()),
    ];
  }

  function wake(): void {
    if (timer === null && AGENT_IDS.some((agentId) => deps.enrolled(agentId) > 0))
      timer = clock.after(HEALTH.checkMs, check);
  }

  return {
    reasons: (userId, agentId) => [
      ...stops(store, userId),
      ...userReasons(userId, agentId),
      ...roundReasons(agentId),
    ],
    userReasons,
    listen(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    wake,
    stop() {
      timer?.cancel();
      timer = null;
      unsubscribe();
      unlisten();
      listeners.clear();
    },
  };
}

/** Codes that come from rounds alone. */
const ROUND_CODES: readonly DegradedCode[] = DEGRADED_CODES.slice(
  DEGRADED_CODES.indexOf('market_unknown'),
);

function reason(
  code: DegradedCode,
  sinceMs: number,
  message = DEGRADED_SENTENCES[code],
): DegradedReason {
  return { code, message, sinceMs };
}

function stops(store: StoreReader, userId: UserId): readonly DegradedReason[] {
  const operator = store.get(STOPS, stopKey({ kind: 'all' }))?.value;
  const user = store.get(STOPS, stopKey({ kind: 'user', userId }))?.value;
  const self = store.get(STOPS, stopKey({ kind: 'self', userId }))?.value;
  return [
    ...(operator?.stopped === true ? [reason('all_trading_stopped', operator.atMs)] : []),
    ...(user?.stopped === true ? [reason('user_stopped', user.atMs)] : []),
    ...(self?.stopped === true
      ? [reason('user_stopped', self.atMs, 'You stopped your trading.')]
      : []),
  ];
}

/** An access gate whose pause is over lets a probe through, so it is no reason then. */
function shutAccess(store: StoreReader, venue: VenueId, nowMs: number): readonly DegradedReason[] {
  const problem = accessProblem(store, venue, nowMs);
  return problem === null || problem.shutForMs === 0
    ? []
    : [reason('venue_restricted', problem.sinceMs)];
}

/** An open breaker whose pause is over lets a probe through, so it is no reason then. */
function failingSettlements(
  store: StoreReader,
  whose: Settling,
  nowMs: number,
): readonly DegradedReason[] {
  return (['operator', 'user'] as const)
    .filter((scope) => shutFor(store, scope, whose, nowMs) > 0)
    .map((scope) =>
      reason(
        'settlement_failing',
        brokenSinceMs(store, scope, whose) ?? nowMs,
        BREAKER_SENTENCES[scope],
      ),
    );
}
