import { Link } from 'wouter';
import { useOrders } from '../../api/orders.ts';
import type { PagedRead } from '../../api/paged.ts';
import { useFills } from '../../api/trades.ts';
import { useRead } from '../../api/query.ts';
import type { Order } from '../../api/venues.ts';
import { cents, feeOf, shares, usd } from '../../format/money.ts';
import { orderState } from '../../format/order-state.ts';
import { words } from '../../format/text.ts';
import { marketPath, PAGES } from '../../routes.ts';
import { Card } from '../../ui/card.tsx';
import { Moment } from '../../ui/figures.tsx';
import { Gas } from '../../ui/gas.tsx';
import { Empty } from '../../ui/state.tsx';
import { MarketEnd, MarketName } from '../../ui/market-name.tsx';
import { PagedTable } from '../../ui/paged-table.tsx';
import { placedBy } from '../../format/agent-name.ts';
import { CancelOrder } from './cancel-order.tsx';

/** What a fill says of who placed its order. */
interface Filled {
  readonly order: { readonly id: string };
  readonly isRedemption: boolean;
  readonly agent: string | null;
  readonly keyId: string | null;
}

/** Which orders or fills are shown. */
interface Which {
  /** Of one market; of all where absent. */
  readonly of?: { readonly marketId: string } | undefined;
  /** The newest alone, with a link to all of them. */
  readonly atMost?: number;
}

function AllTrades({ isShort, what }: { readonly isShort: boolean; readonly what: string }) {
  return isShort ? (
    <Link href={PAGES.trades} className="link">
      All {what}
    </Link>
  ) : null;
}

/** Of a list its newest rows alone, and no older ones; the whole list where `atMost` is absent. */
function newest<Row>(list: PagedRead<Row>, atMost: number | undefined): PagedRead<Row> {
  return atMost === undefined
    ? list
    : { ...list, data: list.data?.slice(0, atMost), readOlder: null, isFull: false };
}

/** Orders of all venues, newest first, with a cancel where one still rests. */
export function Orders({ of, atMost }: Which) {
  const keys = useRead('GET /api/user/keys/', {});
  const orders = useOrders(of);
  return (
    <Card title="Orders" aside={<AllTrades isShort={atMost !== undefined} what="orders" />}>
      <PagedTable
        of={newest(orders, atMost)}
        empty={
          <Empty>
            {of === undefined ? 'No order has been placed yet.' : 'You placed no order here.'}
          </Empty>
        }
        caption="Orders"
        keyOf={({ id }) => id}
        columns={[
          {
            head: 'Order',
            cell: ({ venue, marketId, action, side, orderType, ...order }) => (
              <Link href={marketPath(venue, marketId)}>
                {order.isRedemption ? 'Payout of' : action === 'buy' ? 'Buy' : 'Sell'}{' '}
                <bdi>{order.outcome ?? side}</bdi>
                {order.isRedemption ? '' : `, ${orderType}`}
                {order.question === null ? null : (
                  <div>
                    <MarketName question={order.question} eventTitle={order.eventTitle} />
                  </div>
                )}
                <div className="faint">
                  {words(venue)}
                  <MarketEnd atMs={order.marketEndsAtMs} /> ·{' '}
                  {placedBy(order, keys.data?.data ?? [])}
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
          {
            head: 'Fee',
            isNumber: true,
            cell: ({ feesUsdc, feeShares, gas }) => (
              <>
                {feeOf({ usdc: feesUsdc, kept: feeShares })}
                <Gas of={gas} />
              </>
            ),
          },
          {
            head: 'Placed',
            isNumber: true,
            cell: ({ createdAtMs }) => <Moment atMs={createdAtMs} />,
          },
          { head: '', cell: (order) => <CancelOrder order={order} /> },
        ]}
      />
    </Card>
  );
}

function OrderState({ order }: { readonly order: Order }) {
  const { state, reason, settlementState } = order;
  if (state === 'unknown')
    return <span className="warn">being looked up; do not send it again</span>;
  return (
    <>
      {orderState(order)}
      <div className="faint">
        {reason ?? (settlementState === null ? '' : words(settlementState))}
      </div>
    </>
  );
}

/** Fills of all venues, newest first, with what became of their settlement. */
export function Fills({ of, atMost }: Which) {
  const trades = useFills(of?.marketId);
  const keys = useRead('GET /api/user/keys/', {});
  const { data: orders = [] } = useOrders(of);
  // of a payout its order alone says whether a person asked for it
  const byWhom = (fill: Filled): string => {
    const order = fill.isRedemption
      ? orders.find(({ id }) => id === fill.order.id)
      : { origin: fill, isRedemption: false, clientOrderId: null };
    return order === undefined ? '' : ` · ${placedBy(order, keys.data?.data ?? [])}`;
  };
  return (
    <Card title="Fills" aside={<AllTrades isShort={atMost !== undefined} what="fills" />}>
      <PagedTable
        of={newest(trades, atMost)}
        empty={
          <Empty>
            {of === undefined ? 'Nothing has been traded yet.' : 'You traded nothing here.'}
          </Empty>
        }
        caption="Fills"
        keyOf={({ venue, fill }) => `${venue} ${fill.tradeId} ${fill.order.id}`}
        columns={[
          {
            head: 'Fill',
            cell: ({ venue, fill }) => (
              <Link href={venue === null ? PAGES.markets : marketPath(venue, fill.marketId)}>
                {fill.isRedemption ? 'Payout of' : fill.action === 'buy' ? 'Bought' : 'Sold'}{' '}
                {shares(fill.shares)} <bdi>{fill.outcome ?? fill.side}</bdi>
                {fill.question === null ? null : (
                  <div>
                    <MarketName question={fill.question} eventTitle={fill.eventTitle} />
                  </div>
                )}
                <div className="faint">
                  {words(venue ?? '')}
                  <MarketEnd atMs={fill.marketEndsAtMs} />
                  {byWhom(fill)}
                  {fill.isRedemption ? '' : ` · ${fill.role}`}
                </div>
              </Link>
            ),
          },
          { head: 'Settlement', cell: ({ fill }) => fill.settlementState },
          { head: 'Price', isNumber: true, cell: ({ fill }) => cents(fill.price) },
          { head: 'USDC', isNumber: true, cell: ({ fill }) => usd(fill.usdc) },
          {
            head: 'Fee',
            isNumber: true,
            cell: ({ fill: { fee, feeShares, gas } }) => (
              <>
                {feeOf({ usdc: fee, kept: feeShares })}
                <Gas of={gas} />
              </>
            ),
          },
          {
            head: 'When',
            isNumber: true,
            cell: ({ fill }) => <Moment atMs={fill.recordedAtMs} />,
          },
        ]}
      />
    </Card>
  );
}
