import { useRead } from '../../api/query.ts';
import type { Output } from '../../api/routes.ts';
import { decimalText, signedUsd } from '../../format/money.ts';
import { Card } from '../../ui/card.tsx';
import { LazyChart } from '../../ui/lazy-chart.tsx';
import { Empty, Read } from '../../ui/state.tsx';
import type { Agent } from './agent-state.ts';
import { profitSteps, spreadOf } from './profit-steps.ts';
import styles from './agents.module.css';

type Trade = Output<'GET /api/portfolio/trades'>['data'][number];

/** Closed positions that are looked at: a page of the list, of all agents. */
const NEWEST = 100;

/** How an agent's closed positions added up, and how they are spread. */
export function ResultCurve({ agent }: { readonly agent: Agent }) {
  const closed = useRead('GET /api/portfolio/trades', {
    query: { kind: 'closed', limit: String(NEWEST) },
  });
  return (
    <Card title="Profit, position by position">
      <Read of={closed} lines={6}>
        {({ data }) => (
          <Drawn results={resultsOf(data, agent.agent)} isPaper={agent.mode === 'paper'} />
        )}
      </Read>
    </Card>
  );
}

function Drawn({
  results,
  isPaper,
}: {
  readonly results: ReturnType<typeof resultsOf>;
  readonly isPaper: boolean;
}) {
  const points = profitSteps(results);
  if (results.length === 0)
    return (
      <Empty>
        {isPaper
          ? 'This draws positions with real money, and it trades on paper. What it made there is under “Realized profit on paper”.'
          : 'No position of it has ended yet, so there is no result to draw.'}
      </Empty>
    );
  const spread = spreadOf(results.map(({ profit }) => profit));
  const highest = Math.max(...spread.map(({ count }) => count));
  return (
    <>
      <LazyChart
        label="Realized profit, added up"
        points={points}
        base={0}
        baseLabel="nothing won or lost"
        empty="No position of it has ended yet."
        format="usd"
      />
      <table className={styles['spread']}>
        <caption>How often a position brought how much, in USD</caption>
        <tbody>
          {spread.map(({ from, to, count }) => (
            <tr key={from}>
              <th scope="row">
                {signedUsd(decimalText(from))} to {signedUsd(decimalText(to))}
              </th>
              <td>
                <span
                  className={from < 0 ? styles['lost'] : styles['won']}
                  style={{ width: `${Math.round((count / highest) * 100)}%` }}
                />
              </td>
              <td>{count}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </>
  );
}

function resultsOf(trades: readonly Trade[], agentId: Agent['agent']) {
  return trades.flatMap((trade) => {
    if (trade.kind !== 'closed' || trade.position.agent !== agentId) return [];
    const { closedAtMs, endsAtMs, realizedPnl } = trade.position;
    return [{ atMs: closedAtMs ?? endsAtMs, profit: Number(realizedPnl) }];
  });
}
