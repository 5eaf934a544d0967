import { backOffMs } from '../../domain/back-off.ts';
import { BID } from '../../../config/limits/bid.ts';
import { AGENT } from '../../../config/limits.ts';
import type { AgentMode, Decision } from '../../domain/agent.ts';
import type { MarketId } from '../../domain/ids.ts';
import type { OutcomeIndex } from '../../domain/market.ts';
import type { RoundView } from '../../domain/signal.ts';
import type { StrategyRow } from '../../domain/strategy/strategy-row.ts';
import type { Runtime } from '../../ports/runtime.ts';
import type { Timer } from '../../ports/clock.ts';
import { bidOf, isHeld, judgeBid } from './bids.ts';
import type { FanOut } from '../execution/fan-out.ts';
import type { Member } from './roster.ts';
import { createAdvise, type Asked } from './advise.ts';
import { freshView } from './trading.ts';
import type { SignalSource } from './signal-source.ts';
import type { Execution } from './execution.ts';
import { entryOf } from '../execution/receipted-orders.ts';

/** What is judged again: what an agent holds, or what it bids for. */
interface Stake {
  readonly kind: 'position' | 'bid';
  readonly outcome: OutcomeIndex;
  /** When its round ends, epoch ms: there is nothing to judge from then on. */
  readonly endsAtMs: number;
}

/**
 * Positions and bids of agents, judged again after entry: once for all who have the same stake, not
 * once a member.
 */
export interface Reviews {
  /**
   * Watches a member's stake in a market, in place of another it had there. Adding it again changes
   * nothing.
   */
  add(member: Member, marketId: MarketId, stake: Stake): void;
  remove(member: Member, marketId: MarketId): void;
  /** Judges stakes in this market now: its signal has changed. */
  review(marketId: MarketId): void;
  stop(): void;
}

interface Watch extends Stake {
  readonly key: string;
  readonly row: StrategyRow;
  readonly marketId: MarketId;
  readonly members: Set<Member>;
  /** Members whose first review has no receipt yet. */
  readonly fresh: Set<Member>;
  /** When the stake could last be judged, or was added, epoch ms. */
  judgedAtMs: number;
}

/** Makes the reviews. The timer runs only while there is a stake. */
export function createReviews({
  executions,
  clock,
  signals,
  fanOut,
  advise,
  log,
}: Pick<Runtime, 'clock' | 'log'> & {
  /** What agents of a mode hold, and where their receipts go. */
  readonly executions: (mode: AgentMode) => Pick<Execution, 'store' | 'portfolio'> & {
    readonly receipts: Pick<Execution['receipts'], 'make' | 'write'>;
  };
  readonly signals: Pick<SignalSource, 'roundView'>;
  readonly fanOut: FanOut<Member>;
  /** Tells a member that its stake in the market should be given up, or looked at by itself. */
  readonly advise: (member: Member, marketId: MarketId) => void;
}): Reviews {
  const watches = new Map<string, Watch>();
  const adviceOf = createAdvise(clock);
  let timer: Timer | null = null;

  function judge(watch: Watch): void {
    if (watch.kind === 'bid') tellEnded(watch);
    const view = freshView(signals, watch, clock);
    const decision = view === null ? null : decide(watch, view);
    if (decision !== null && decision.verdict !== 'skip') watch.judgedAtMs = clock.nowMs();
    const isBlind =
      watch.kind === 'bid' && clock.nowMs() - watch.judgedAtMs >= BID.unjudgedMaximumMs;
    if (isBlind || decision?.verdict === 'exit') {
      fanOut.push(`exit:${watch.key}`, [...watch.members], (member) =>
        advise(member, watch.marketId),
      );
      return;
    }
    if (view !== null && decision?.verdict === 'hold') noteHold(watch, view, decision);
  }

  /** Usually the order's own word was faster: this is for one that was lost. */
  function tellEnded({ members, marketId }: Watch): void {
    for (const member of members) {
      const entry = entryOf(executions(member.mode).store, { ...member, marketId });
      if (entry === null || bidOf(entry) === null)
        member.actor?.send({ type: 'entry.ended', isHeld: entry !== null && isHeld(entry) });
    }
  }

  function noteHold(watch: Watch, view: RoundView, decision: Decision): void {
    const advice = adviceOf(watch.row, view, decision, askedOf(watch));
    const fresh = [...watch.fresh];
    watch.fresh.clear();
    fanOut.push(`hold:${watch.key}`, fresh, (member) => {
      const { userId, agentId } = member;
      if (watch.kind === 'position' && !holds(member, watch)) {
        // Its entry is still on its way, or was killed: the actor looks for itself and ends when
        // nothing will come.
        watch.fresh.add(member);
        advise(member, watch.marketId);
        return;
      }
      const { receipts } = executions(member.mode);
      receipts
        .write(receipts.make({ userId, agentId, marketId: watch.marketId }, advice, null))
        .catch((error: unknown) => {
          log.error({ userId, agentId, marketId: watch.marketId, error }, 'receipt.failed');
        });
    });
  }

  function holds({ userId, agentId, mode }: Member, { marketId, outcome }: Watch): boolean {
    return executions(mode)
      .portfolio.holdings(userId, { marketId, type: 'open' })
      .some(({ position }) => position.agentId === agentId && position.outcome === outcome);
  }

  function schedule(): void {
    if (timer !== null || watches.size === 0) return;
    timer = clock.after(AGENT.reviewIntervalMs, () => {
      timer = null;
      for (const watch of watches.values()) {
        if (watch.endsAtMs <= clock.nowMs()) watches.delete(watch.key);
        else judge(watch);
      }
      schedule();
    });
  }

  function remove(member: Member, marketId: MarketId, except: string | null): void {
    for (const watch of watches.values()) {
      if (watch.marketId !== marketId || watch.key === except) continue;
      watch.members.delete(member);
      watch.fresh.delete(member);
      if (watch.members.size === 0) watches.delete(watch.key);
    }
  }

  return {
    add(member, marketId, { kind, outcome, endsAtMs }) {
      const { row } = member.group;
      const key = `${kind}:${row.agentId}:${row.strategy}:${marketId}:${outcome}`;
      remove(member, marketId, key);
      let watch = watches.get(key);
      if (watch === undefined) {
        watch = {
          key,
          row,
          kind,
          marketId,
          outcome,
          endsAtMs,
          members: new Set(),
          fresh: new Set(),
          judgedAtMs: clock.nowMs(),
        };
        watches.set(key, watch);
      }
      if (watch.members.has(member)) return;
      watch.members.add(member);
      watch.fresh.add(member);
      schedule();
    },
    remove: (member, marketId) => remove(member, marketId, null),
    review(marketId) {
      for (const watch of watches.values()) if (watch.marketId === marketId) judge(watch);
    },
    stop() {
      timer?.cancel();
      timer = null;
      watches.clear();
    },
  };
}

/** After a change to a strategy that does not bid none is asked about a bid. */
function askedOf({ row, kind, outcome }: Watch): Asked | null {
  return kind === 'bid' && row.order.kind !== 'limit' ? null : { kind, held: outcome };
}

function decide({ row, kind, outcome }: Watch, view: RoundView): Decision {
  return kind === 'position' ? row.judgeExit(view, outcome) : judgeBid(row, view, outcome);
}

/**
 * A few sales are tried at the pace of the reviews; then the wait grows, and the tries end with the
 * round.
 */
export function exitPauseMs(exits: number): number {
  return exits < AGENT.exitsQuick
    ? 0
    : backOffMs(exits - AGENT.exitsQuick + 1, {
        firstMs: AGENT.reviewIntervalMs,
        maximumMs: AGENT.exitPauseMaximumMs,
      });
}
