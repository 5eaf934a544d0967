import {
  AGENT_MODES,
  AGENT_PROFILES,
  modeOf,
  stopPolicyOf,
  type AgentMode,
  type AgentRecord,
  type AgentActivity,
} from '../../domain/agent.ts';
import { AppError, assert, type FieldError } from '../../domain/errors.ts';
import {
  AGENT_IDS,
  type AgentId,
  type IntentId,
  type UserId,
  type VenueId,
} from '../../domain/ids.ts';
import { isTerminal } from '../../domain/order.ts';
import { choicesOf, rulesOf, viewSettings } from '../../domain/settings.ts';
import type { StrategyTable } from '../../domain/strategy/strategy-row.ts';
import { STRATEGIES } from '../../domain/strategy/table.ts';
import type { PositionRecord } from '../../domain/position.ts';
import { FARM_VENUES, type FarmVenue } from '../../domain/farming/venues.ts';
import type { PriceTicks } from '../../domain/units.ts';
import type { Runtime } from '../../ports/runtime.ts';
import { wallMsSince } from '../../ports/clock.ts';
import type { AgentView, PaperPerformance } from './agent-views.ts';
import { followEnrolments } from './enrolment-figures.ts';
import { isHeld, openAgentBids } from './bids.ts';
import { createAgentHealth, type AgentHealthDeps } from './health.ts';
import { createAgentsLife } from './life.ts';
import { createExecutions, type Execution } from './execution.ts';
import { createAgentRecords, type AgentRecordsDeps, type EnableChoice } from './records.ts';
import { createComparisons } from '../paper/comparisons.ts';
import { paperExecution, uncounted } from './paper-execution.ts';
import type { PaperTrading } from '../paper/paper-trading.ts';
import { createShadowRuns } from '../paper/shadow-runs.ts';
import { allAgents, openAgentPositions } from './recovery.ts';
import type { SignalSource } from './signal-source.ts';
import { createTrading, freshView, loggingFailures } from './trading.ts';
import type { Agents } from './agents-types.ts';
import { createFarmLife, type FarmLife } from '../farming/farm-life.ts';
import { createFarmWatch } from '../farming/farm-watch.ts';
import type { FarmSource } from '../farming/farm-source.ts';
import { freshTop } from '../farming/slots.ts';
import type { Orders } from '../orders/orders.ts';
import { readAgentsPerformance, readPerformance, type PerformanceDeps } from './performance.ts';
import type { Portfolio } from '../portfolio/portfolio.ts';
import { createReceipts } from '../execution/receipts.ts';
import { calibrationOf } from '../execution/calibration.ts';
import { createUnwinds } from './unwinds.ts';
import { TRADED_MARKETS, UNWINDS, tableOf } from '../books/tables.ts';

export interface AgentsDeps
  extends Pick<Runtime, 'store' | 'commit' | 'clock' | 'random' | 'bus' | 'log' | 'metrics'> {
  readonly orders: Pick<
    Orders,
    'place' | 'cancel' | 'get' | 'listOpen' | 'hasTraded' | 'mostSetAside'
  >;
  readonly portfolio: Pick<Portfolio, 'cashAt' | 'holdings'>;
  readonly signals: SignalSource;
  readonly farming: (venue: VenueId) => FarmSource;
  /** What is farmed, and by which thresholds; the product's when absent. */
  readonly farmVenues?: readonly FarmVenue[];
  /**
   * What a user lacks to buy at a venue, beside the money itself; null, or absent, where that is
   * never anything. Errors: those of whom it asks.
   */
  readonly lacking?: (userId: UserId, venue: VenueId) => Promise<readonly FieldError[]> | null;
  /** Whether what becomes of users' orders can be seen. */
  readonly userStreams: AgentHealthDeps['userStreams'];
  /** The product's when absent. */
  readonly strategies?: StrategyTable;
  /** Where agents trade on paper, and the shadow runs of live ones; absent or null: nowhere. */
  readonly paper?: PaperTrading | null;
  /** See AgentRecordsDeps. */
  readonly walletMissing?: AgentRecordsDeps['walletMissing'];
  /** See AgentRecordsDeps. */
  readonly isServed?: AgentRecordsDeps['isServed'];
}

/** Makes the agents service. Nothing moves before `recover`. */
export function createAgents({
  strategies = STRATEGIES,
  farmVenues = FARM_VENUES,
  lacking = () => null,
  paper = null,
  ...given
}: AgentsDeps): Agents {
  const deps = { ...given, strategies };
  const { store, clock, signals, log } = deps;
  const records = createAgentRecords(deps);
  const userReasons = (userId: UserId, agentId: AgentId) => health.userReasons(userId, agentId);
  const receipts = createReceipts(deps);
  const performanceDeps: PerformanceDeps = { store, bidOf };
  const effects = loggingFailures(
    createTrading({ ...deps, receipts, degradedReasons: userReasons }),
    log,
  );
  const executions = createExecutions(
    { ...deps, mode: 'live', receipts, effects },
    paper === null ? null : paperExecution(deps, paper),
  );
  const comparisons = paper === null ? null : createComparisons({ ...deps, paper });
  const modes: readonly AgentMode[] = paper === null ? ['live'] : AGENT_MODES;
  const shadows =
    paper === null
      ? null
      : createShadowRuns({
          paper,
          strategies,
          log,
          apply: (record) => lifeOf(record.agentId, 'paper').apply(record),
        });
  const life = createAgentsLife({ ...deps, executions, modes, shadows });
  const health = createAgentHealth({
    ...deps,
    enrolled: (agentId) => life.count(agentId),
    onPaceRegained: () => life.wakeAll(),
  });
  health.listen((change) => {
    if (
      change.kind === 'user' &&
      AGENT_IDS.some((agentId) => userReasons(change.userId, agentId).length === 0)
    )
      life.wake(change.userId);
  });
  const farmed = farmVenues.map((venue) => {
    const source = deps.farming(venue.venue);
    return { venue, source, watch: createFarmWatch({ ...deps, receipts, venue, source }) };
  });
  const farms = new Map(
    farmed.flatMap((each) =>
      modes.map((mode) => [`${each.venue.agentId} ${mode}`, farmOf(each, mode)] as const),
    ),
  );

  function farmOf({ venue, source, watch }: (typeof farmed)[number], mode: AgentMode): FarmLife {
    const farm = {
      ...deps,
      receipts,
      shadows,
      venue,
      watch,
      quotes: source.quotes,
      degradedReasons: userReasons,
      lacking: async (userId: UserId) => (await lacking(userId, venue.venue)) ?? [],
    };
    return createFarmLife(
      mode === 'live' || paper === null
        ? farm
        : {
            ...farm,
            ...paper,
            shadows: null,
            degradedReasons: () => [],
            lacking: async () => [],
            metrics: uncounted(deps.metrics),
            receipts: executions('paper').receipts,
          },
    );
  }

  /** What looks after an agent. */
  function lifeOf(
    agentId: AgentId,
    mode: AgentMode,
  ): Pick<FarmLife, 'apply' | 'enrol' | 'activity'> {
    if (AGENT_PROFILES[agentId].kind === 'round') return life;
    const farm = farms.get(`${agentId} ${mode}`);
    assert(farm !== undefined, `${agentId} trades ${mode}`);
    return farm;
  }
  const unwinds = modes.map((mode) => {
    const { receipts: own } = executions(mode);
    const withExecution = mode === 'live' || paper === null ? deps : { ...deps, ...paper };
    return createUnwinds({ ...withExecution, receipts: own });
  });

  /**
   * Usually the actor that ordered still waits; after a restart a late fill is what brings the
   * agent back to its position.
   */
  const enrolments = followEnrolments(deps);
  const unsubscribes = [
    enrolments.stop,
    ...modes.map((mode) => followExecution(executions(mode))),
    deps.bus.subscribe(({ event }) => void (event.type === 'venue.admitted' && life.wakeAll())),
  ];

  function followExecution(execution: Execution): () => void {
    return execution.bus.subscribe(({ event }) => {
      if (event.type === 'order.changed' && isTerminal(event.to))
        endEntry(execution, event.userId, event.intentId);
      if (event.type !== 'fill.recorded') return;
      const intent = execution.orders.get(event.userId, event.fill.intentId)?.intent;
      const endsAtMs = execution.store.get(TRADED_MARKETS, [event.fill.marketId])?.value.endsAtMs;
      if (
        endsAtMs === undefined ||
        intent?.origin.kind !== 'agent' ||
        intent.origin.purpose !== 'entry'
      )
        return;
      life.hold(execution.mode, {
        userId: intent.userId,
        agentId: intent.origin.agentId,
        marketId: intent.marketId,
        outcome: intent.outcome,
        endsAtMs,
      });
    });
  }

  function endEntry({ mode, orders: made }: Execution, userId: UserId, intentId: IntentId): void {
    const order = made.get(userId, intentId);
    if (
      order === null ||
      order.intent.origin.kind !== 'agent' ||
      order.intent.origin.purpose !== 'entry'
    )
      return;
    life.entryEnded(
      mode,
      { userId, agentId: order.intent.origin.agentId, marketId: order.intent.marketId },
      isHeld(order),
    );
  }

  /** Best bid of a position's outcome where its book is trusted, by whoever watches its market. */
  function bidOf({ marketId, tokenId, outcome }: PositionRecord): PriceTicks | null {
    const top =
      farmed
        .map(({ source }) => freshTop(source.quotes, tokenId, clock)?.value)
        .find((found) => found !== undefined) ??
      freshView(signals, { marketId }, clock)?.books[outcome]?.value;
    return top?.bid?.price ?? null;
  }

  function view(userId: UserId, agentId: AgentId): AgentView {
    const record = records.read(userId, agentId);
    const choices = choicesOf(strategies, agentId);
    const mode = modeOf(record);
    const unwind = store.get(tableOf(mode, UNWINDS), [userId, agentId])?.value ?? null;
    const degraded = record.enabled && mode === 'live' ? health.reasons(userId, agentId) : [];
    return {
      profile: AGENT_PROFILES[agentId],
      strategies: choices.rows.map(({ strategy }) => strategy),
      rules: rulesOf(strategies, agentId, record.settings),
      enabled: record.enabled,
      mode,
      activity: unwind !== null ? 'stopping' : activityOf(record, degraded),
      settings: viewSettings(record.settings, choices),
      degraded,
      onStop: stopPolicyOf(record),
      unwind: unwind && { policy: unwind.policy, sinceMs: unwind.sinceMs },
      missing: record.enabled ? [] : records.missing(record),
      updatedAtMs: record.updatedAtMs === 0 ? null : record.updatedAtMs,
    };
  }

  /** By the record first: a change is published before the agent's life has received it. */
  function activityOf(record: AgentRecord, degraded: AgentView['degraded']): AgentActivity {
    if (!record.enabled) return 'disabled';
    const activity = lifeOf(record.agentId, modeOf(record)).activity(record.userId, record.agentId);
    if (activity !== 'disabled' && activity !== 'watching') return activity;
    return degraded.length > 0 ? 'degraded' : 'watching';
  }

  function paperPerformance(userId: UserId, agentId: AgentId): PaperPerformance | null {
    if (paper === null || comparisons === null) return null;
    const onPaper = { ...performanceDeps, store: paper.store };
    const shadowId = comparisons.shadowOf(userId, agentId);
    return {
      own: readPerformance(onPaper, userId, agentId),
      shadow: shadowId === null ? null : readPerformance(onPaper, shadowId, agentId),
      difference: comparisons.of(userId, agentId),
    };
  }

  async function enable(
    userId: UserId,
    agentId: AgentId,
    choice: EnableChoice = {},
  ): Promise<void> {
    if (choice.mode === 'paper') {
      if (paper === null)
        throw new AppError('agent_not_ready', 'this daemon has no paper trading', {
          fields: [{ path: '/mode', message: 'live only' }],
        });
      await paper.fund(userId);
    }
    const isAsked = choice.mode !== 'paper' && !records.read(userId, agentId).enabled;
    const asked = isAsked ? lacking(userId, AGENT_PROFILES[agentId].venue) : null;
    // Where nothing is asked, nothing is waited for: of two changes at once the later one decides.
    await records.enable(userId, agentId, choice, asked === null ? [] : await asked);
  }

  /**
   * Reads the record again after the commit: of two changes at once the later one decides, whoever
   * comes here first.
   */
  async function changed(
    userId: UserId,
    agentId: AgentId,
    change: Promise<unknown>,
  ): Promise<AgentView> {
    await change;
    follow(userId, agentId);
    return view(userId, agentId);
  }

  function follow(userId: UserId, agentId: AgentId): void {
    const record = records.read(userId, agentId);
    lifeOf(agentId, modeOf(record)).apply(record);
    for (const ends of unwinds) ends.apply({ userId, agentId });
    health.wake();
  }

  return {
    list: (userId) => AGENT_IDS.map((agentId) => view(userId, agentId)),
    view,
    updateSettings: (userId, agentId, patch) =>
      changed(userId, agentId, records.updateSettings(userId, agentId, patch)),
    enable: (userId, agentId, choice) => changed(userId, agentId, enable(userId, agentId, choice)),
    disable: (userId, agentId) => changed(userId, agentId, records.stop(userId, agentId)),
    async stopAll(userId) {
      const stopped = await records.stopAll(userId);
      for (const agentId of AGENT_IDS) follow(userId, agentId);
      return stopped;
    },
    trades: (userId, agentId, query) => receipts.trades(userId, agentId, query),
    decisions: (userId, agentId, query) => receipts.list(userId, agentId, query),
    decision: (userId, agentId, decisionId) => receipts.find(userId, agentId, decisionId),
    calibration: (userId, agentId) => calibrationOf(store, { userId, agentId }),
    performance: (userId, agentId) => ({
      ...readPerformance(performanceDeps, userId, agentId),
      paper: paperPerformance(userId, agentId),
    }),
    performanceOfAll: (userId) => readAgentsPerformance(performanceDeps, userId),
    watchHealth: health.listen,
    onSignal: (transition) => life.onSignal(transition),
    async recover() {
      const startedAtMs = clock.nowMs();
      await paper?.recover();
      let enabled = 0;
      for (const record of allAgents(store)) {
        if (!record.enabled) continue;
        enrolments.found(record);
        enabled += 1;
        lifeOf(record.agentId, modeOf(record)).enrol(record);
      }
      enrolments.tell();
      let holding = 0;
      for (const farm of farms.values()) holding += farm.resume();
      for (const mode of modes) {
        for (const bid of openAgentBids(executions(mode).store))
          if (life.rest(mode, bid)) holding += 1;
        for (const position of openAgentPositions(executions(mode).store))
          if (life.hold(mode, position)) holding += 1;
      }
      const stopping = unwinds.reduce((sum, ends) => sum + ends.recover(), 0);
      comparisons?.recover();
      health.wake();
      return { enabled, holding, stopping, tookMs: wallMsSince(clock, startedAtMs) };
    },
    async stop() {
      for (const unsubscribe of unsubscribes) unsubscribe();
      health.stop();
      for (const ends of unwinds) ends.stop();
      life.stop();
      for (const farm of farms.values()) farm.stop();
      for (const { watch } of farmed) watch.stop();
      comparisons?.stop();
      await paper?.stop();
    },
  };
}
