import { useOrders } from '../../api/orders.ts';
import { Link } from 'wouter';
import { useClosedPositions } from '../../api/trades.ts';
import { useRead } from '../../api/query.ts';
import type { Output } from '../../api/routes.ts';
import { cents, percent, shares, sumOf } from '../../format/money.ts';
import { words } from '../../format/text.ts';
import { marketPath, PAGES } from '../../routes.ts';
import { OpenOrders } from '../activity/open-orders.tsx';
import { Claim } from './claim.tsx';
import { Equity } from './equity.tsx';
import { Remainders } from './leftover.tsx';
import { Worth } from './worth.tsx';
import { apartOf, soldNote, stateNote } from './position-note.ts';
import { Viewed } from './viewed.tsx';
import { Card } from '../../ui/card.tsx';
import { Money, Moment, Profit } from '../../ui/figures.tsx';
import { Page, Stat, Stats } from '../../ui/layout.tsx';
import { Empty, Read, StateDot } from '../../ui/state.tsx';
import { MarketEnd, MarketName } from '../../ui/market-name.tsx';
import { PagedTable } from '../../ui/paged-table.tsx';
import { Table } from '../../ui/table.tsx';
import { Unreconciled } from '../../ui/unreconciled.tsx';
import { agentName } from '../../format/agent-name.ts';

type Portfolio = Output<'GET /api/portfolio/'>;

/** Everything held at all venues, by venue and by agent. */
export function PortfolioPage() {
  const portfolio = useRead('GET /api/portfolio/', {}, { everyMs: 15_000 });
  return (
    <Page title="Portfolio">
      <Read of={portfolio} lines={8}>
        {(answer) => (
          <>
            <Totals portfolio={answer} />
            <Claim positions={answer.positions} />
            <Equity />
            <Positions positions={answer.positions} />
            <OpenOrders />
            <Viewed portfolio={answer} />
            <Venues portfolio={answer} />
            <Closed />
          </>
        )}
      </Read>
    </Page>
  );
}

function Totals({ portfolio }: { readonly portfolio: Portfolio }) {
  return (
    <Card>
      <Unreconciled books={portfolio.books} />
      <Stats>
        <Worth totalUsdc={portfolio.totalUsdc} />
        <Stat name="Cash" term="cash">
          <Money amount={portfolio.cashUsdc} />
        </Stat>
        <Stat name="In positions" term="inPositions">
          <Money amount={portfolio.positionsValueUsdc} />
        </Stat>
        <Stat name="Available" term="available">
          <Money amount={portfolio.availableUsdc} />
        </Stat>
        <Stat name="Open profit" term="openProfit">
          <Profit amount={portfolio.unrealizedPnl} />
        </Stat>
        <Stat name="Realized profit" term="realizedProfit">
          <Profit amount={portfolio.realizedPnl} />
        </Stat>
        <Stat name="Profitable" term="profitable">
          {percent(portfolio.winRate)}
        </Stat>
      </Stats>
    </Card>
  );
}

const STATES = {
  ok: ['on', 'All counted'],
  partial: ['late', 'Some have no price now'],
  unreconciled: ['late', 'Something may be missing'],
  mismatched: ['bad', 'The wallet differs'],
  disputed: ['late', 'The venue refuses its cash'],
  unavailable: ['bad', 'Away, not counted'],
} as const;

function Venues({ portfolio }: { readonly portfolio: Portfolio }) {
  const { remainders } = apartOf(portfolio.positions);
  return (
    <Card title="By venue">
      <Table
        caption="By venue"
        rows={portfolio.venues}
        keyOf={({ venue }) => venue}
        columns={[
          {
            head: 'Venue',
            cell: ({ venue, state }) => (
              <>
                {words(venue)}
                <div>
                  <StateDot state={STATES[state][0]}>{STATES[state][1]}</StateDot>
                </div>
              </>
            ),
          },
          {
            head: 'Cash',
            term: 'cash',
            isNumber: true,
            cell: ({ cash }) => <Money amount={cash && sumOf([cash.settled, cash.provisional])} />,
          },
          {
            head: 'Set aside',
            term: 'setAside',
            isNumber: true,
            cell: ({ cash }) => <Money amount={cash?.reserved ?? null} />,
          },
          {
            head: 'Available',
            term: 'available',
            isNumber: true,
            cell: ({ cash }) => <Money amount={cash?.available ?? null} />,
          },
          {
            head: 'Positions',
            isNumber: true,
            cell: ({ venue, openPositions }) =>
              openPositions - remainders.filter((held) => held.venue === venue).length,
          },
          {
            head: 'Worth',
            isNumber: true,
            cell: ({ positionsValueUsdc }) => <Money amount={positionsValueUsdc} />,
          },
          {
            head: 'Open profit',
            isNumber: true,
            cell: ({ unrealizedPnl }) => <Profit amount={unrealizedPnl} />,
          },
          {
            head: 'Realized',
            isNumber: true,
            cell: ({ realizedPnl }) => <Profit amount={realizedPnl} />,
          },
          {
            head: 'Profitable',
            term: 'profitable',
            isNumber: true,
            cell: ({ winRate }) => percent(winRate),
          },
        ]}
      />
    </Card>
  );
}

function Closed() {
  const closed = useClosedPositions();
  return (
    <Card title="Closed positions">
      <PagedTable
        of={closed}
        empty={
          <Empty>
            Nothing that you held has ended or was sold whole yet. What a part was sold for is shown
            with the open positions.
          </Empty>
        }
        caption="Closed positions"
        keyOf={({ position }) => `${position.tokenId} ${position.openedAtMs}`}
        columns={[
          {
            head: 'Market',
            cell: ({ venue, position }) => {
              const name = (
                <>
                  <MarketName {...position} />
                  <div className="faint">
                    <bdi>{position.outcomeLabel}</bdi>
                    {venue === null ? '' : ` · ${words(venue)}`}
                    <MarketEnd atMs={position.endsAtMs} />
                    {position.agent === null ? '' : ` · ${agentName(position.agent)}`}
                  </div>
                </>
              );
              return venue === null ? (
                name
              ) : (
                <Link href={marketPath(venue, position.marketId)}>{name}</Link>
              );
            },
          },
          { head: 'Ended', cell: ({ position }) => words(position.state) },
          {
            head: 'Fees',
            isNumber: true,
            cell: ({ position }) => <Money amount={position.feesUsdc} />,
          },
          {
            head: 'Profit',
            isNumber: true,
            cell: ({ position }) => <Profit amount={position.realizedPnl} />,
          },
          {
            head: 'When',
            isNumber: true,
            cell: ({ position }) => <Moment atMs={position.closedAtMs} />,
          },
        ]}
      />
    </Card>
  );
}

function Positions({ positions }: { readonly positions: Portfolio['positions'] }) {
  const { data: orders = [] } = useOrders(undefined, 'open');
  const { open, remainders } = apartOf(positions);
  const note = (held: Portfolio['positions'][number]): string => {
    const text = stateNote(held, orders);
    return text === null ? '' : ` · ${text}`;
  };
  return (
    <Card title="Open positions">
      {open.length === 0 ? (
        <Empty
          next={
            <Link href={PAGES.markets} className="link">
              Find a market
            </Link>
          }
        >
          You hold nothing that is traded here.
        </Empty>
      ) : (
        <Table
          caption="Open positions"
          rows={open}
          keyOf={({ venue, position }) => `${venue} ${position.tokenId}`}
          columns={[
            {
              head: 'Market',
              cell: (held) => {
                const { venue, position } = held;
                return (
                  <Link href={marketPath(venue, position.marketId)}>
                    <MarketName {...position} />
                    <div className="faint">
                      <bdi>{position.outcomeLabel}</bdi> · {words(venue)}
                      {position.agent === null ? '' : ` · ${agentName(position.agent)}`}
                      {note(held)}
                    </div>
                  </Link>
                );
              },
            },
            {
              head: 'Shares',
              isNumber: true,
              cell: ({ position }) => (
                <>
                  {shares(position.shares)}
                  {Number(position.provisionalShares) === 0 ? null : (
                    <div className="faint">{shares(position.provisionalShares)} settling</div>
                  )}
                </>
              ),
            },
            { head: 'Entry', isNumber: true, cell: ({ position }) => cents(position.entryPrice) },
            { head: 'Now', isNumber: true, cell: ({ position }) => cents(position.currentPrice) },
            {
              head: 'Worth',
              isNumber: true,
              cell: ({ position }) => <Money amount={position.currentValueUsdc} />,
            },
            {
              head: 'Profit',
              isNumber: true,
              cell: (held) => (
                <>
                  <Profit amount={held.position.unrealizedPnl} />
                  <div className="faint">{soldNote(held)}</div>
                </>
              ),
            },
            {
              head: 'Ends',
              isNumber: true,
              cell: ({ position }) => <Moment atMs={position.endsAtMs} />,
            },
          ]}
        />
      )}
      <Remainders of={remainders} />
    </Card>
  );
}
