import type { ReactNode } from 'react';
import type { Agent } from './agent-state.ts';
import { type Performance, useShownPerformance } from './shown-performance.ts';

/** One figure of an agent's results in a list; says where it is one on paper. */
export function AgentFigure({
  agent,
  isNamed = false,
  children,
}: {
  readonly agent: Agent;
  /** Says "on paper" below the figure. */
  readonly isNamed?: boolean;
  readonly children: (results: Performance | null) => ReactNode;
}) {
  const { results, isPaper } = useShownPerformance(agent);
  return (
    <>
      {children(results)}
      {isNamed && isPaper ? <div className="faint">on paper</div> : null}
    </>
  );
}
