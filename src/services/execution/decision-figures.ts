import type { Advice } from '../../../machines/agent-types.ts';
import type { Decision } from '../../domain/agent.ts';
import { decisionReason } from '../../domain/decision-reason.ts';
import type { AgentId } from '../../domain/ids.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Metrics } from '../../ports/metrics.ts';

/** Counts a decision by what it came to and the first criterion that failed. */
export function countDecision(metrics: Metrics, agentId: AgentId, decision: Decision): void {
  metrics.count('decisions_total', {
    agent: agentId,
    verdict: decision.verdict,
    reason: decisionReason(decision),
  });
}

/** Counts a decision, and observes how long after the moment it judges it was made. */
export function observeDecision(
  { metrics, clock }: { readonly metrics: Metrics; readonly clock: Clock },
  agentId: AgentId,
  { decision, atMs }: Pick<Advice, 'decision' | 'atMs'>,
  decidedAtMs: number,
): void {
  countDecision(metrics, agentId, decision);
  metrics.observe('decision_seconds', secondsOf(clock, decidedAtMs - atMs), { agent: agentId });
}

/** Returns seconds of wall time in so many ms of a clock. */
export function secondsOf({ speed = 1 }: Pick<Clock, 'speed'>, ms: number): number {
  return Math.max(0, ms) / speed / 1_000;
}
