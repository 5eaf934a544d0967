import { memo } from 'react';
import { Link } from 'wouter';
import { useRead } from '../../api/query.ts';
import type { Market } from '../../api/venues.ts';
import { shares, usd } from '../../format/money.ts';
import { tradesPath } from '../../routes.ts';
import { Card } from '../../ui/card.tsx';
import { Moment, Profit } from '../../ui/figures.tsx';
import { ProblemNote } from '../../ui/state.tsx';
import { Table } from '../../ui/table.tsx';
import { heldRows } from './held-rows.ts';
import { agentName } from '../../format/agent-name.ts';

/** Trades of a market that are read at once; whoever has more finds them by the link. */
const NEWEST = '200';

/** What one held in a market and holds no more: what it cost, what it paid. Nothing where none. */
export const HeldHere = memo(function HeldHere({
  market: { venue, marketId, resolution },
}: {
  readonly market: Pick<Market, 'venue' | 'marketId' | 'resolution'>;
}) {
  const closed = useRead('GET /api/portfolio/trades', { query: { kind: 'closed', marketId } });
  const isHeld = closed.data !== undefined && closed.data.data.length > 0;
  const fills = useRead(
    'GET /api/portfolio/trades',
    { query: { marketId, limit: NEWEST } },
    { enabled: isHeld },
  );
  if (closed.error !== null)
    return <ProblemNote problem={closed.error} onRetry={() => void closed.refetch()} />;
  if (!isHeld) return null;
  return (
    <Card
      title="What you held here"
      aside={
        <Link href={tradesPath(venue, marketId)} className="link">
          Your orders and fills here
        </Link>
      }
    >
      <Table
        caption="What you held in this market"
        rows={heldRows(closed.data.data, {
          fills: fills.data?.data ?? [],
          areAll: fills.data !== undefined && fills.data.nextCursor === null,
          payouts: resolution?.payouts ?? null,
        })}
        keyOf={({ position }) => position.tokenId}
        columns={[
          {
            head: 'Position',
            cell: ({ position, end }) => (
              <>
                <bdi>{position.outcomeLabel}</bdi>
                {position.agent === null ? null : (
                  <span className="faint"> {agentName(position.agent)}</span>
                )}
                <div className="faint">{end}</div>
              </>
            ),
          },
          { head: 'Bought', isNumber: true, cell: ({ bought }) => shares(bought) },
          { head: 'Paid with fees', isNumber: true, cell: ({ paid }) => usd(paid) },
          { head: 'Came back', isNumber: true, cell: ({ cameBack }) => usd(cameBack) },
          {
            head: 'Profit',
            isNumber: true,
            cell: ({ position }) => <Profit amount={position.realizedPnl} />,
          },
          {
            head: 'Over',
            isNumber: true,
            cell: ({ position }) => <Moment atMs={position.closedAtMs} />,
          },
        ]}
      />
    </Card>
  );
});
