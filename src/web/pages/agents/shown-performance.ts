import { useRead } from '../../api/query.ts';
import type { Output } from '../../api/routes.ts';
import type { Agent } from './agent-state.ts';

type WithPaper = Output<'GET /api/agents/:agent/performance'>;

/** How an agent has done, with real money or on paper. */
export type Performance = Omit<WithPaper, 'paper' | 'books'>;

/** An agent's results with what they are of. */
export interface ShownPerformance {
  /** Null until they are known. */
  readonly results: Performance | null;
  readonly isPaper: boolean;
}

/**
 * Returns the results that an agent is shown by: on paper of one that was last enabled so, since
 * those with real money stay empty then.
 */
export function shownPerformance(
  { mode }: Pick<Agent, 'mode'>,
  answer: WithPaper | undefined,
): ShownPerformance {
  const isPaper = mode === 'paper';
  if (answer === undefined) return { results: null, isPaper };
  return { results: isPaper ? (answer.paper?.account ?? null) : answer, isPaper };
}

/** Reads them: those of all agents in one call, and of each on paper in its own. */
export function useShownPerformance(agent: Agent): ShownPerformance {
  const isPaper = agent.mode === 'paper';
  const all = useRead('GET /api/agents/performance', {});
  const one = useRead(
    'GET /api/agents/:agent/performance',
    { params: { agent: agent.agent } },
    { enabled: isPaper },
  );
  if (isPaper) return shownPerformance(agent, one.data);
  return {
    results: all.data?.data.find((each) => each.agent === agent.agent) ?? null,
    isPaper,
  };
}
