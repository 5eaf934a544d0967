import { Link } from 'wouter';
import { useRead } from '../../api/query.ts';
import type { Output } from '../../api/routes.ts';
import { useDaemonNow, useMarketClock } from '../../app/clock.ts';
import { AGENT_PAGES, marketPath, PAGES } from '../../routes.ts';
import { cents, shares } from '../../format/money.ts';
import { Card } from '../../ui/card.tsx';
import { Money, Moment, Profit } from '../../ui/figures.tsx';
import { Page, Split, Stat, Stats } from '../../ui/layout.tsx';
import { Empty, Read, StateDot } from '../../ui/state.tsx';
import { MarketName } from '../../ui/market-name.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import { OpenOrders } from '../activity/open-orders.tsx';
import { askedOf, askedWords } from '../confirmations/asked.ts';
import { wonOf } from '../portfolio/claims.ts';
import { Equity } from '../portfolio/equity.tsx';
import { todayName } from './today-name.ts';
import { Worth } from '../portfolio/worth.tsx';
import { Remainders } from '../portfolio/leftover.tsx';
import { apartOf } from '../portfolio/position-note.ts';
import { AgentFigure } from '../agents/agent-figure.tsx';
import { agentState } from '../agents/agent-state.ts';
import { agentName } from '../../format/agent-name.ts';

type Portfolio = Output<'GET /api/portfolio/'>;
type Held = Portfolio['positions'][number];

/** What is true now: worth, positions, agents, and what needs an answer. */
export function HomePage() {
  const portfolio = useRead('GET /api/portfolio/', {}, { everyMs: 15_000 });
  return (
    <Page title="Home">
      <Card>
        <Read of={portfolio} lines={2}>
          {(answer) => <Totals portfolio={answer} />}
        </Read>
      </Card>
      <Split
        main={
          <>
            <NeedsMe />
            <Equity />
            <Card
              title="Open positions"
              aside={
                <Link href={PAGES.portfolio} className="link">
                  Portfolio
                </Link>
              }
            >
              <Read of={portfolio}>{({ positions }) => <Positions positions={positions} />}</Read>
            </Card>
            <OpenOrders />
          </>
        }
        side={<Agents />}
      />
    </Page>
  );
}

function Totals({ portfolio }: { readonly portfolio: Portfolio }) {
  const clock = useMarketClock();
  const nowMs = useDaemonNow();
  const away = portfolio.venues.filter(({ state }) => state === 'unavailable');
  return (
    <>
      <Stats>
        <Worth totalUsdc={portfolio.totalUsdc} />
        <Stat name="Available, all venues" term="available">
          <Money amount={portfolio.availableUsdc} />
        </Stat>
        <Stat name="In positions" term="inPositions">
          <Money amount={portfolio.positionsValueUsdc} />
        </Stat>
        <Stat name="Open profit" term="openProfit">
          <Profit amount={portfolio.unrealizedPnl} />
        </Stat>
        <Stat name="Realized profit" term="realizedProfit">
          <Profit amount={portfolio.realizedPnl} />
        </Stat>
        <Stat name={`${todayName(clock, nowMs)}, realized`}>
          <Profit amount={portfolio.today.realizedPnl} />
        </Stat>
      </Stats>
      {away.length === 0 && portfolio.unpricedPositions === 0 ? null : (
        <p className="warn" style={{ padding: '0 16px 14px' }}>
          {away.map(({ venue }) => `${venue.replace('_', ' ')} is away and not counted. `)}
          {portfolio.unpricedPositions === 0
            ? null
            : portfolio.unpricedPositions === 1
              ? 'A position has no price now and counts as nothing.'
              : `${portfolio.unpricedPositions} positions have no price now and count as nothing.`}
        </p>
      )}
    </>
  );
}

const COLUMNS: readonly Column<Held>[] = [
  {
    head: 'Market',
    cell: ({ venue, position }) => (
      <Link href={marketPath(venue, position.marketId)}>
        <MarketName {...position} />
        <div className="faint">
          <bdi>{position.outcomeLabel}</bdi> · {venue.replace('_', ' ')}
          {position.agent === null ? '' : ` · ${agentName(position.agent)}`}
        </div>
      </Link>
    ),
  },
  { head: 'Shares', isNumber: true, cell: ({ position }) => shares(position.shares) },
  { head: 'Entry', isNumber: true, cell: ({ position }) => cents(position.entryPrice) },
  { head: 'Now', isNumber: true, cell: ({ position }) => cents(position.currentPrice) },
  {
    head: 'Profit',
    isNumber: true,
    cell: ({ position }) => <Profit amount={position.unrealizedPnl} />,
  },
  { head: 'Ends', isNumber: true, cell: ({ position }) => <Moment atMs={position.endsAtMs} /> },
];

/** The newest open positions, as many as the page has room for, and all remainders. */
const NEWEST = 12;

function Positions({ positions }: { readonly positions: readonly Held[] }) {
  const { open, remainders } = apartOf(positions);
  return (
    <>
      {open.length === 0 ? (
        <Empty
          next={
            <Link href={PAGES.markets} className="link">
              Find a market
            </Link>
          }
        >
          {remainders.length === 0 ? 'You hold nothing.' : 'You hold nothing that can be sold.'}
        </Empty>
      ) : (
        <Table
          caption="Open positions"
          columns={COLUMNS}
          rows={open.slice(0, NEWEST)}
          keyOf={({ venue, position }) => `${venue} ${position.tokenId}`}
        />
      )}
      {open.length <= NEWEST ? null : (
        <p style={{ padding: '10px 16px' }}>
          <Link href={PAGES.portfolio} className="link">
            {open.length - NEWEST} more in the portfolio
          </Link>
        </p>
      )}
      <Remainders of={remainders} />
    </>
  );
}

function NeedsMe() {
  const confirmations = useRead('GET /api/user/confirmations/', {});
  const portfolio = useRead('GET /api/portfolio/', {});
  const asked = askedOf(confirmations.data?.data);
  const { positions: won } = wonOf(portfolio.data?.positions ?? []);
  if (asked === 0 && won.length === 0) return null;
  return (
    <Card title="Needs you" isPadded>
      <ul style={{ display: 'grid', gap: 8 }}>
        {asked === 0 ? null : (
          <li>
            <Link href={PAGES.confirmations} className="link">
              {askedWords(asked)}
            </Link>
          </li>
        )}
        {won.length === 0 ? null : (
          <li>
            <Link href={PAGES.portfolio} className="link">
              {won.length === 1 ? 'A position is' : `${won.length} positions are`} being paid out;
              you can claim it now
            </Link>
          </li>
        )}
      </ul>
    </Card>
  );
}

function Agents() {
  const agents = useRead('GET /api/agents/', {});
  return (
    <Card
      title="Agents"
      aside={
        <Link href={PAGES.agents} className="link">
          All
        </Link>
      }
    >
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
                      </div>
                    </Link>
                  );
                },
              },
              {
                head: 'Realized',
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
  );
}
