import { AGENT_MODES, modeOf, type AgentMode, type AgentRecord } from '../../domain/agent.ts';
import { AGENT_IDS } from '../../domain/ids.ts';
import type { Bus } from '../../ports/bus.ts';
import type { Metrics } from '../../ports/metrics.ts';

/** Counts the agents that are enabled, by what they trade with. */
export interface EnrolmentFigures {
  /** The start: an agent that was found. */
  found(record: AgentRecord): void;
  /** Sets the gauges, once all were found; from then on they follow the facts. */
  tell(): void;
  stop(): void;
}

/** Makes the figures; they hold one entry for each agent that is enabled. */
export function followEnrolments({
  bus,
  metrics,
}: {
  readonly bus: Bus;
  readonly metrics: Metrics;
}): EnrolmentFigures {
  const enabled = new Map<string, AgentMode>();
  const counts = new Map<string, number>();
  const add = (agent: string, mode: AgentMode, by: number): void => {
    const name = `${agent} ${mode}`;
    counts.set(name, (counts.get(name) ?? 0) + by);
  };

  function take(record: AgentRecord): void {
    const { userId, agentId } = record;
    const name = `${userId} ${agentId}`;
    const before = enabled.get(name);
    if (before !== undefined) add(agentId, before, -1);
    if (!record.enabled) return void enabled.delete(name);
    enabled.set(name, modeOf(record));
    add(agentId, modeOf(record), 1);
  }

  function tell(): void {
    for (const agent of AGENT_IDS)
      for (const mode of AGENT_MODES)
        metrics.gauge('agent_enrolments', counts.get(`${agent} ${mode}`) ?? 0, { agent, mode });
  }

  const stop = bus.subscribe(({ event }) => {
    if (event.type !== 'agent.changed') return;
    take(event.agent);
    tell();
  });
  return { found: take, tell, stop };
}
