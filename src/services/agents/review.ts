import { AGENT } from '../../../config/limits.ts';
import type { MarketId } from '../../domain/ids.ts';
import type { OutcomeIndex } from '../../domain/market.ts';
import type { StrategyRow } from '../../domain/strategy/strategy-row.ts';
import type { Clock, Timer } from '../../ports/clock.ts';
import type { Log } from '../../ports/log.ts';
import type { FanOut } from './fan-out.ts';
import type { Member } from './roster.ts';
import { adviceOf, freshView } from './trading.ts';
import type { SignalSource } from './signal-source.ts';
import type { Portfolio } from '../portfolio/portfolio.ts';
import type { Receipts } from './receipts.ts';

/** Positions of agents, judged again after entry: once for all who hold the same outcome, not once a holder. */
export interface Reviews {
  /** Watches a member's position. Adding it again changes nothing. */
  add(member: Member, marketId: MarketId, outcome: OutcomeIndex): void;
  remove(member: Member, marketId: MarketId): void;
  /** Judges positions of this market now: its signal has changed. */
  review(marketId: MarketId): void;
  stop(): void;
}

/** What reviews need. */
export interface ReviewsDeps {
  readonly clock: Clock;
  readonly signals: Pick<SignalSource, 'roundView'>;
  readonly portfolio: Pick<Portfolio, 'holdings'>;
  readonly receipts: Pick<Receipts, 'make' | 'write'>;
  readonly fanOut: FanOut<Member>;
  readonly log: Log;
}

interface Watch {
  readonly key: string;
  readonly row: StrategyRow;
  readonly marketId: MarketId;
  readonly outcome: OutcomeIndex;
  readonly holders: Set<Member>;
  /** Holders whose first review has no receipt yet. */
  readonly fresh: Set<Member>;
}

/** Makes the reviews. The timer runs only while something is held. */
export function createReviews({ clock, signals, portfolio, receipts, fanOut, log }: ReviewsDeps): Reviews {
  const watches = new Map<string, Watch>();
  let timer: Timer | null = null;

  function judge(watch: Watch): void {
    const view = freshView(signals, watch, clock);
    if (view === null) return;
    const advice = adviceOf(watch.row, view, watch.row.judgeExit(view, watch.outcome));
    if (advice.decision.verdict === 'exit') {
      fanOut.push(`exit:${watch.key}`, [...watch.holders], (member) => member.actor?.send({ type: 'exit.advised' }));
      return;
    }
    const fresh = [...watch.fresh];
    watch.fresh.clear();
    fanOut.push(`hold:${watch.key}`, fresh, (member) => {
      const { userId, agentId } = member;
      if (!isHolding(member, watch)) {
        // Its entry is still on its way, or was killed: the actor looks for itself and ends when nothing will come.
        watch.fresh.add(member);
        member.actor?.send({ type: 'exit.advised' });
        return;
      }
      receipts.write(receipts.make({ userId, agentId, marketId: watch.marketId }, advice, null)).catch((error: unknown) => {
        log.error({ userId, agentId, marketId: watch.marketId, error }, 'receipt.failed');
      });
    });
  }

  function isHolding({ userId, agentId }: Member, { marketId, outcome }: Watch): boolean {
    return portfolio.holdings(userId, { marketId, type: 'open' }).some(({ position }) => position.agentId === agentId && position.outcome === outcome);
  }

  function schedule(): void {
    if (timer !== null || watches.size === 0) return;
    timer = clock.after(AGENT.reviewIntervalMs, () => {
      timer = null;
      for (const watch of watches.values()) judge(watch);
      schedule();
    });
  }

  return {
    add(member, marketId, outcome) {
      const { row } = member.group;
      const key = `${row.agentId}:${row.strategy}:${marketId}:${outcome}`;
      let watch = watches.get(key);
      if (watch === undefined) {
        watch = { key, row, marketId, outcome, holders: new Set(), fresh: new Set() };
        watches.set(key, watch);
      }
      if (watch.holders.has(member)) return;
      watch.holders.add(member);
      watch.fresh.add(member);
      schedule();
    },
    remove(member, marketId) {
      for (const watch of watches.values()) {
        if (watch.marketId !== marketId) continue;
        watch.holders.delete(member);
        watch.fresh.delete(member);
        if (watch.holders.size === 0) watches.delete(watch.key);
      }
    },
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
