import { orderState } from '../../format/order-state.ts';
import { Link } from 'wouter';
import { useOrders } from '../../api/orders.ts';
import { cents, shares } from '../../format/money.ts';
import { words } from '../../format/text.ts';
import { marketPath } from '../../routes.ts';
import { Card } from '../../ui/card.tsx';
import { Money, Moment } from '../../ui/figures.tsx';
import { ProblemNote } from '../../ui/state.tsx';
import { MarketEnd, MarketName } from '../../ui/market-name.tsx';
import { OlderRows } from '../../ui/paged-table.tsx';
import { Table } from '../../ui/table.tsx';
import { CancelOrder } from './cancel-order.tsx';

/** Orders that are not over, of all venues or of one market, each with its cancel. */
export function OpenOrders({
  of,
}: {
  readonly of?: { readonly venue: string; readonly marketId: string };
}) {
  const open = useOrders(of, 'open');
  const { data: orders = [], error, refetch } = open;
  if (orders.length === 0 && error === null) return null;
  return (
    <Card title={of === undefined ? 'Open orders' : 'Your open orders here'}>
      {error === null ? null : <ProblemNote problem={error} onRetry={() => void refetch()} />}
      {orders.length === 0 ? null : (
        <Table
          caption="Open orders"
          rows={orders}
          keyOf={({ id }) => id}
          columns={[
            {
              head: 'Order',
              cell: (order) => {
                const name = (
                  <>
                    {order.action === 'buy' ? 'Buy' : 'Sell'}{' '}
                    <bdi>{order.outcome ?? order.side}</bdi>, {order.orderType}
                  </>
                );
                const state =
                  order.state === 'unknown'
                    ? 'being looked up; do not send it again'
                    : orderState(order);
                return of === undefined ? (
                  <Link href={marketPath(order.venue, order.marketId)}>
                    {name}
                    {order.question === null ? null : (
                      <div>
                        <MarketName question={order.question} eventTitle={order.eventTitle} />
                      </div>
                    )}
                    <div className="faint">
                      {words(order.venue)}
                      <MarketEnd atMs={order.marketEndsAtMs} /> · {state}
                    </div>
                  </Link>
                ) : (
                  <>
                    {name}
                    <div className="faint">{state}</div>
                  </>
                );
              },
            },
            {
              head: 'Shares',
              isNumber: true,
              cell: ({ requestedShares }) => shares(requestedShares),
            },
            { head: 'Filled', isNumber: true, cell: (order) => shares(order.filledShares) },
            { head: 'Price', isNumber: true, cell: (order) => cents(order.price) },
            {
              head: 'Amount',
              isNumber: true,
              cell: ({ amountUsdc }) => <Money amount={amountUsdc} />,
            },
            {
              head: 'Placed',
              isNumber: true,
              cell: (order) => <Moment atMs={order.createdAtMs} />,
            },
            { head: '', cell: (order) => <CancelOrder order={order} /> },
          ]}
        />
      )}
      <OlderRows of={open} />
    </Card>
  );
}
