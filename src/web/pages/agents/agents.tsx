import { Link } from 'wouter';
import { useRead } from '../../api/query.ts';
import { percent } from '../../format/money.ts';
import { AGENT_PAGES, PAGES } from '../../routes.ts';
import { Card } from '../../ui/card.tsx';
import { Money, Profit } from '../../ui/figures.tsx';
import { Page } from '../../ui/layout.tsx';
import { Read, StateDot } from '../../ui/state.tsx';
import { Table } from '../../ui/table.tsx';
import { agentState, strategyWords } from './agent-state.ts';
import { agentName } from '../../format/agent-name.ts';

/** All agents: what each does now, and how it has done. */
export function AgentsPage() {
  const agents = useRead('GET /api/agents/', {});
  const performance = useRead('GET /api/agents/performance', {});
  const of = (agent: string) => performance.data?.data.find((each) => each.agent === agent) ?? null;
  return (
    <Page title="Agents" sub="Each trades one kind of market by itself, within the size you set.">
      <Card>
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
                  isNumber: true,
                  cell: ({ agent }) => of(agent)?.trades ?? '–',
                },
                {
                  head: 'Won',
                  isNumber: true,
                  cell: ({ agent }) => percent(of(agent)?.winRate ?? null),
                },
                {
                  head: 'Open',
                  isNumber: true,
                  cell: ({ agent }) => <Profit amount={of(agent)?.unrealizedPnl ?? null} />,
                },
                {
                  head: 'Realized',
                  isNumber: true,
                  cell: ({ agent }) => <Profit amount={of(agent)?.realizedPnl ?? null} />,
                },
              ]}
            />
          )}
        </Read>
      </Card>
    </Page>
  );
}
