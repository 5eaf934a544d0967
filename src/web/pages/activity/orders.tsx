import { Link } from 'wouter';
import { useOrders } from '../../api/orders.ts';
import { useRead } from '../../api/query.ts';
import type { Order } from '../../api/venues.ts';
import { cents, shares, usd } from '../../format/money.ts';
import { words } from '../../format/text.ts';
import { marketPath } from '../../routes.ts';
import { Card } from '../../ui/card.tsx';
import { Moment } from '../../ui/figures.tsx';
import { Empty, Read } from '../../ui/state.tsx';
import { MarketName } from '../../ui/market-name.tsx';
import { Table } from '../../ui/table.tsx';
import { placedBy } from '../../format/agent-name.ts';
import { CancelOrder } from './cancel-order.tsx';

/** Orders of all venues, newest first, with a cancel where one still rests. */
export function Orders() {
  const keys = useRead('GET /api/user/keys/', {});
  const read = useOrders('all');
  return (
    <Card title="Orders">
      <Read
        of={read}
        isEmpty={(orders) => orders.length === 0}
        empty={<Empty>No order has been placed yet.</Empty>}
      >
        {(orders) => (
          <Table
            caption="Orders"
            rows={orders}
            keyOf={({ id }) => id}
            columns={[
              {
                head: 'Order',
                cell: ({ venue, marketId, action, side, orderType, origin, ...order }) => (
                  <Link href={marketPath(venue, marketId)}>
                    {action === 'buy' ? 'Buy' : 'Sell'} <bdi>{order.outcome ?? side}</bdi>,{' '}
                    {orderType}
                    {order.question === null ? null : (
                      <div>
                        <MarketName question={order.question} eventTitle={order.eventTitle} />
                      </div>
                    )}
                    <div className="faint">
                      {venue.replace('_', ' ')} · {placedBy(origin, keys.data?.data ?? [])}
                    </div>
                  </Link>
                ),
              },
              { head: 'State', cell: (order) => <OrderState order={order} /> },
              {
                head: 'Filled',
                isNumber: true,
                cell: ({ filledShares, requestedShares }) =>
                  `${shares(filledShares)} of ${shares(requestedShares)}`,
              },
              {
                head: 'Price',
                isNumber: true,
                cell: ({ averagePrice, price }) => cents(averagePrice ?? price),
              },
              { head: 'Fee', isNumber: true, cell: ({ feesUsdc }) => usd(feesUsdc) },
              {
                head: 'Placed',
                isNumber: true,
                cell: ({ createdAtMs }) => <Moment atMs={createdAtMs} />,
              },
              { head: '', cell: (order) => <CancelOrder order={order} /> },
            ]}
          />
        )}
      </Read>
    </Card>
  );
}

function OrderState({ order: { state, reason, settlementState } }: { readonly order: Order }) {
  if (state === 'unknown')
    return <span className="warn">being looked up; do not send it again</span>;
  return (
    <>
      {state}
      <div className="faint">
        {reason ?? (settlementState === null ? '' : words(settlementState))}
      </div>
    </>
  );
}

/** Fills of both venues, newest first, with what became of their settlement. */
export function Fills() {
  const venueA = useRead('GET /api/venue_a/fills/', { query: {} });
  const keys = useRead('GET /api/user/keys/', {});
  const venueB = useRead('GET /api/venue_b/portfolio/fills', { query: {} });
  const fills = [
    ...(venueA.data?.data ?? []).map((fill) => ({ venue: 'venue_a', fill })),
    ...(venueB.data?.data ?? []).map((fill) => ({ venue: 'venue_b', fill })),
  ].toSorted((a, b) => b.fill.recordedAtMs - a.fill.recordedAtMs);
  return (
    <Card title="Fills">
      <Read of={venueA}>
        {() =>
          fills.length === 0 ? (
            <Empty>Nothing has been traded yet.</Empty>
          ) : (
            <Table
              caption="Fills"
              rows={fills}
              keyOf={({ venue, fill }) => `${venue} ${fill.tradeId} ${fill.order.id}`}
              columns={[
                {
                  head: 'Fill',
                  cell: ({ venue, fill }) => (
                    <Link href={marketPath(venue, fill.marketId)}>
                      {fill.action === 'buy' ? 'Bought' : 'Sold'} {shares(fill.shares)}{' '}
                      <bdi>{fill.outcome ?? fill.side}</bdi>
                      {fill.question === null ? null : (
                        <div>
                          <MarketName question={fill.question} eventTitle={fill.eventTitle} />
                        </div>
                      )}
                      <div className="faint">
                        {venue.replace('_', ' ')} · {placedBy(fill, keys.data?.data ?? [])} ·{' '}
                        {fill.role}
                      </div>
                    </Link>
                  ),
                },
                { head: 'Settlement', cell: ({ fill }) => fill.settlementState },
                { head: 'Price', isNumber: true, cell: ({ fill }) => cents(fill.price) },
                { head: 'USDC', isNumber: true, cell: ({ fill }) => usd(fill.usdc) },
                { head: 'Fee', isNumber: true, cell: ({ fill }) => usd(fill.fee) },
                {
                  head: 'When',
                  isNumber: true,
                  cell: ({ fill }) => <Moment atMs={fill.recordedAtMs} />,
                },
              ]}
            />
          )
        }
      </Read>
    </Card>
  );
}
