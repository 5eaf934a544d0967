import {
  concatMap,
  defer,
  distinctUntilChanged,
  EMPTY,
  finalize,
  from,
  map,
  merge,
  share,
  startWith,
  Subject,
  switchMap,
  type Observable,
} from 'rxjs';
import { FEEDS } from '../config/limits/market-data.ts';
import { AGENT_PROFILES, roundProfile, type StrategyId } from '../src/domain/agent.ts';
import { AppError, assert } from '../src/domain/errors.ts';
import type { AgentId, Asset, MarketId } from '../src/domain/ids.ts';
import type { RoundView, SignalTransition } from '../src/domain/signal.ts';
import type { RoundJudge } from '../src/domain/strategy/round-judge.ts';
import type { RoundViews } from './round-view.ts';

/** A strategy with fixed thresholds, shared by all agents that have the same ones. */
export interface Judge {
  /** Names agent, strategy and thresholds: equal keys judge equally. */
  readonly groupKey: string;
  readonly agentId: AgentId;
  readonly strategy: StrategyId;
  /** Judge of a round of which nothing has been seen; each round begins with it. */
  readonly judge: RoundJudge;
}

/** Judges open rounds for groups of agents. */
export interface Signals {
  /**
   * Adds a member to a group; the first one brings its judge. The function it gives removes the
   * member again, once. A new group is judged on the open rounds at once. Errors: `limit_reached`
   * beyond `FEEDS.groupsMaximum` groups.
   */
  register(judge: Judge): () => void;
  /**
   * Changes of verdict or outcome; a group's first verdict on a round is one. Runs every source it
   * needs, while it is read.
   */
  transitions(): Observable<SignalTransition>;
  /** A group's present verdicts on open rounds: what a new member of an old group has missed. */
  current(groupKey: string): readonly SignalTransition[];
  /**
   * The view of an open round as it is at this moment; null when no group reads its kind or it is
   * not open.
   */
  roundView(marketId: MarketId): RoundView | null;
  /**
   * Views of the open rounds an agent trades, as they are at this moment; none while no group reads
   * their kind.
   */
  openViews(agentId: AgentId): readonly RoundView[];
  /** A group's judge of an open round with all it has seen of it; null without one. */
  judgeOf(groupKey: string, marketId: MarketId): RoundJudge | null;
}

interface Group {
  readonly judge: Judge;
  members: number;
  readonly rounds: Map<MarketId, JudgedRound>;
}

/**
 * What a group has said and seen of a round. What it has seen lives here alone: a restart begins
 * with a fresh judge.
 */
interface JudgedRound {
  readonly last: SignalTransition;
  readonly judge: RoundJudge;
}

interface Kind {
  readonly asset: Asset;
  readonly minutes: 5 | 15;
  readonly groups: Map<string, Group>;
  /** Views of the rounds open now, the newest of each. */
  readonly open: Map<MarketId, RoundView>;
}

/**
 * Makes the signals: the cost of a view grows with the number of different groups, never with that
 * of agents.
 */
export function createSignals({ views, roundView }: RoundViews): Signals {
  const kinds = kindsOfAgents();
  const registrations = new Subject<void>();
  const first = new Subject<SignalTransition>();
  let groupCount = 0;

  const kindOf = (agentId: AgentId): Kind => {
    const { asset, minutes } = roundProfile(agentId);
    const kind = kinds.get(`${asset} ${minutes}`);
    assert(kind !== undefined, `the rounds of ${agentId} are of a known kind`);
    return kind;
  };
  const transitionsOf = (kind: Kind): Observable<SignalTransition> =>
    registrations.pipe(
      startWith(undefined),
      map(() => kind.groups.size > 0),
      distinctUntilChanged(),
      switchMap((isWanted) =>
        isWanted
          ? views(kind.asset, kind.minutes).pipe(
              concatMap((view) => from(judgeAll(kind, view))),
              finalize(() => forgetAll(kind)),
            )
          : EMPTY,
      ),
    );
  const shared = defer(() => merge(first, ...[...kinds.values()].map(transitionsOf))).pipe(share());

  return {
    register(judge) {
      const kind = kindOf(judge.agentId);
      let group = kind.groups.get(judge.groupKey);
      if (group === undefined) {
        if (groupCount >= FEEDS.groupsMaximum)
          throw new AppError('limit_reached', `${groupCount} groups of agents are judged already`);
        group = { judge, members: 0, rounds: new Map() };
        kind.groups.set(judge.groupKey, group);
        groupCount += 1;
        registrations.next();
        for (const view of kind.open.values()) {
          const transition = judgeOne(group, view);
          if (transition !== null) first.next(transition);
        }
      }
      const joined = group;
      joined.members += 1;
      let isMember = true;
      return () => {
        if (!isMember) return;
        isMember = false;
        joined.members -= 1;
        if (joined.members > 0) return;
        kind.groups.delete(judge.groupKey);
        groupCount -= 1;
        registrations.next();
      };
    },
    transitions: () => shared,
    current: (groupKey) =>
      [...(groupOf(kinds, groupKey)?.rounds.values() ?? [])].map(({ last }) => last),
    roundView,
    openViews: (agentId) =>
      [...kindOf(agentId).open.keys()].map(roundView).filter((view) => view !== null),
    judgeOf: (groupKey, marketId) => groupOf(kinds, groupKey)?.rounds.get(marketId)?.judge ?? null,
  };
}

/** The kinds of rounds agents trade, by asset and window. */
function kindsOfAgents(): ReadonlyMap<string, Kind> {
  const profiles = Object.values(AGENT_PROFILES).filter((profile) => profile.kind === 'round');
  return new Map(
    profiles.map(({ asset, minutes }) => [
      `${asset} ${minutes}`,
      { asset, minutes, groups: new Map(), open: new Map() },
    ]),
  );
}

function groupOf(kinds: ReadonlyMap<string, Kind>, groupKey: string): Group | null {
  for (const { groups } of kinds.values()) {
    const group = groups.get(groupKey);
    if (group !== undefined) return group;
  }
  return null;
}

/** Judges a view for every group of its kind and gives what changed. */
function judgeAll(kind: Kind, view: RoundView): readonly SignalTransition[] {
  forgetOver(kind, view.atMs);
  kind.open.set(view.market.marketId, view);
  const changed: SignalTransition[] = [];
  for (const group of kind.groups.values()) {
    const transition = judgeOne(group, view);
    if (transition !== null) changed.push(transition);
  }
  return changed;
}

/** The group's transition on this view; null when its verdict and outcome are as before. */
function judgeOne(
  { judge: { judge: fresh, ...names }, rounds }: Group,
  view: RoundView,
): SignalTransition | null {
  const { marketId } = view.market;
  const known = rounds.get(marketId);
  const judge = known?.judge ?? fresh;
  const decision = judge.judge(view);
  const seen = judge.after(view);
  if (
    known !== undefined &&
    known.last.decision.verdict === decision.verdict &&
    known.last.decision.outcome === decision.outcome
  ) {
    if (seen !== judge) rounds.set(marketId, { last: known.last, judge: seen });
    return null;
  }
  const memory = judge.memory ?? null;
  const transition: SignalTransition = {
    ...names,
    marketId,
    view,
    decision,
    ...(memory === null ? {} : { memory }),
  };
  rounds.set(marketId, { last: transition, judge: seen });
  return transition;
}

/** Rounds that are over leave no trace. */
function forgetOver(kind: Kind, nowMs: number): void {
  for (const [marketId, view] of kind.open) {
    if (view.endsAtMs > nowMs) continue;
    kind.open.delete(marketId);
    for (const { rounds } of kind.groups.values()) rounds.delete(marketId);
  }
}

function forgetAll(kind: Kind): void {
  kind.open.clear();
  for (const { rounds } of kind.groups.values()) rounds.clear();
}
