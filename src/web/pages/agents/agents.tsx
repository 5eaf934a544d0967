import { Link } from 'wouter';
import { useRead } from '../../api/query.ts';
import { percent } from '../../format/money.ts';
import { AGENT_PAGES, PAGES } from '../../routes.ts';
import { Card } from '../../ui/card.tsx';
import { Money, Profit } from '../../ui/figures.tsx';
import { Page } from '../../ui/layout.tsx';
import { Read, StateDot } from '../../ui/state.tsx';
import { Table } from '../../ui/table.tsx';
import { Unreconciled } from '../../ui/unreconciled.tsx';
import { AgentFigure } from './agent-figure.tsx';
import { agentState, strategyWords } from './agent-state.ts';
import { agentName } from '../../format/agent-name.ts';

/** All agents: what each does now, and how it has done. */
export function AgentsPage() {
  const agents = useRead('GET /api/agents/', {});
  const results = useRead('GET /api/agents/performance', {});
  return (
    <Page title="Agents" sub="Each trades one kind of market by itself, within the size you set.">
      <Card>
        <Unreconciled books={results.data?.books} />
        <Read of={agents} lines={6}>
          {({ data }) => (
            <Table
              caption="Agents"
              rows={data}
              keyOf={({ agent }) => agent}
              columns={[
                {
                  head: 'Agent',
                  cell: (agent) => {
                    const { dot, word } = agentState(agent);
                    return (
                      <Link href={AGENT_PAGES[agent.agent] ?? PAGES.agents}>
                        {agentName(agent.agent)}
                        <div>
                          <StateDot state={dot}>{word}</StateDot>
                          {agent.degraded[0] === undefined ? null : (
                            <span className="muted"> {agent.degraded[0].message}</span>
                          )}
                        </div>
                      </Link>
                    );
                  },
                },
                {
                  head: 'Strategy',
                  cell: ({ settings, mode }) =>
                    `${strategyWords(settings.strategy).name}${mode === 'paper' ? ', on paper' : ''}`,
                },
                {
                  head: 'Size',
                  isNumber: true,
                  cell: ({ settings }) => <Money amount={settings.avgPositionSize} />,
                },
                {
                  head: 'Trades',
                  term: 'trades',
                  isNumber: true,
                  cell: (agent) => (
                    <AgentFigure agent={agent}>
                      {(results) => results?.filledTrades ?? '–'}
                    </AgentFigure>
                  ),
                },
                {
                  head: 'Profitable',
                  term: 'profitable',
                  isNumber: true,
                  cell: (agent) => (
                    <AgentFigure agent={agent}>
                      {(results) => percent(results?.winRate ?? null)}
                    </AgentFigure>
                  ),
                },
                {
                  head: 'Open',
                  term: 'openProfit',
                  isNumber: true,
                  cell: (agent) => (
                    <AgentFigure agent={agent}>
                      {(results) => <Profit amount={results?.unrealizedPnl ?? null} />}
                    </AgentFigure>
                  ),
                },
                {
                  head: 'Realized',
                  term: 'realizedProfit',
                  isNumber: true,
                  cell: (agent) => (
                    <AgentFigure agent={agent} isNamed>
                      {(results) => <Profit amount={results?.realizedPnl ?? null} />}
                    </AgentFigure>
                  ),
                },
              ]}
            />
          )}
        </Read>
      </Card>
    </Page>
  );
}
