import { Link } from 'wouter';
import { useRead } from '../../api/query.ts';
import { shares, usd } from '../../format/money.ts';
import { PAGES } from '../../routes.ts';
import { Card } from '../../ui/card.tsx';
import { Moment } from '../../ui/figures.tsx';
import { Page } from '../../ui/layout.tsx';
import { Empty, Read } from '../../ui/state.tsx';
import { Table } from '../../ui/table.tsx';
import { MarketLink } from '../markets/market-link.tsx';
import { type Confirmation, endOf, isWaiting } from './confirmation-end.ts';
import { PlacedLine } from './placed.tsx';
import { KeyName, OrderName, Question } from './question.tsx';

/** Orders that assistants put forward: what each would do, and how earlier ones ended. */
export function ConfirmationsPage() {
  const list = useRead('GET /api/user/confirmations/', {});
  return (
    <Page
      title="Confirmations"
      sub="What your assistants ask before they trade. An order that is not confirmed in time is not placed."
    >
      <Read of={list} lines={6}>
        {({ data }) => {
          const waiting = data.filter(isWaiting);
          return (
            <>
              {waiting.length === 0 ? (
                <Card>
                  <Empty
                    next={
                      <Link href={PAGES.keys} className="link">
                        Which keys ask you, and above which amount
                      </Link>
                    }
                  >
                    Nothing waits for you.
                  </Empty>
                </Card>
              ) : (
                waiting.map((confirmation) => (
                  <Question key={confirmation.confirmationId} of={confirmation} />
                ))
              )}
              <Ended rows={data.filter((each) => !isWaiting(each))} />
            </>
          );
        }}
      </Read>
    </Page>
  );
}

function Ended({ rows }: { readonly rows: readonly Confirmation[] }) {
  if (rows.length === 0) return null;
  return (
    <Card title="Earlier">
      <Table
        caption="Earlier confirmations"
        rows={rows}
        keyOf={({ confirmationId }) => confirmationId}
        columns={[
          {
            head: 'Order',
            cell: (each) => (
              <>
                <OrderName of={each} />
                <div>
                  <MarketLink venue={each.venue} marketId={each.marketId} />
                </div>
              </>
            ),
          },
          {
            head: 'Set aside',
            isNumber: true,
            cell: ({ action, setsAside }) =>
              action === 'buy' ? usd(setsAside.usdc) : `${shares(setsAside.shares)} shares`,
          },
          {
            head: 'Ended',
            cell: (each) => (
              <>
                {endOf(each)}
                {each.orderId === null ? null : (
                  <PlacedLine venue={each.venue} orderId={each.orderId} />
                )}
              </>
            ),
          },
          { head: 'Key', cell: ({ keyId }) => <KeyName keyId={keyId} /> },
          { head: 'Asked', isNumber: true, cell: ({ askedAtMs }) => <Moment atMs={askedAtMs} /> },
        ]}
      />
    </Card>
  );
}
