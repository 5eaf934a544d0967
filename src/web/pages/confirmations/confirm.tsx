import { Link, Redirect, useSearchParams } from 'wouter';
import { useRead } from '../../api/query.ts';
import { session } from '../../api/session.ts';
import { shares, usd } from '../../format/money.ts';
import { PAGES } from '../../routes.ts';
import { Button } from '../../ui/button.tsx';
import { Card, Facts } from '../../ui/card.tsx';
import { Moment } from '../../ui/figures.tsx';
import { Page } from '../../ui/layout.tsx';
import { Empty, Read } from '../../ui/state.tsx';
import { MarketLink } from '../markets/market-link.tsx';
import styles from '../wallet/wallet.module.css';
import { type Confirmation, endSentence, isWaiting } from './confirmation-end.ts';
import { Placed } from './placed.tsx';
import { KeyName, OrderName, Question } from './question.tsx';

/** The one order that a link of an assistant or a notification leads to. */
export function ConfirmPage() {
  const list = useRead('GET /api/user/confirmations/', {});
  const [parameters] = useSearchParams();
  const order = parameters.get('order');
  if (order === null) return <Redirect to={PAGES.confirmations} replace />;
  return (
    <Page
      title="Confirm what your assistant asks"
      sub="An order that is not confirmed in time is not placed."
    >
      <Read of={list} lines={6}>
        {({ data }) => {
          const asked = data.find(({ confirmationId }) => confirmationId === order);
          const others = data.filter((each) => isWaiting(each) && each !== asked).length;
          return (
            <>
              {asked === undefined ? <Unknown /> : <One key={order} of={asked} />}
              <p>
                <Link href={PAGES.confirmations} className="link">
                  {others === 0 ? 'All confirmations' : `${others} more to confirm or refuse`}
                </Link>
              </p>
            </>
          );
        }}
      </Read>
    </Page>
  );
}

function One({ of }: { readonly of: Confirmation }) {
  if (isWaiting(of)) return <Question of={of} />;
  const { venue, marketId, action, setsAside, keyId, askedAtMs, state } = of;
  return (
    <div className={styles['narrow']}>
      <Card title={<OrderName of={of} />} isPadded>
        <div className={styles['form']}>
          <p role="status">{endSentence(of)}</p>
          {of.orderId === null ? null : <Placed venue={venue} orderId={of.orderId} />}
          <Facts
            rows={[
              ['Market', <MarketLink key="market" venue={venue} marketId={marketId} />],
              action === 'buy'
                ? ['Asked to set aside', usd(setsAside.usdc)]
                : ['Asked to sell', `${shares(setsAside.shares)} shares`],
              ['Asked with the key', <KeyName key="key" keyId={keyId} />],
              ['Asked', <Moment key="asked" atMs={askedAtMs} />],
            ]}
          />
          {state === 'placed' ? (
            <Link href={PAGES.trades} className="link">
              Your orders and fills
            </Link>
          ) : null}
        </div>
      </Card>
    </div>
  );
}

/** Another account's order and one that there is not are shown alike: neither is shown. */
function Unknown() {
  const profile = useRead('GET /api/user/profile', {});
  const username = profile.data?.username ?? null;
  return (
    <div className={styles['narrow']}>
      <Card>
        <Empty
          next={<Button onClick={() => void session.signOut()}>Sign in as someone else</Button>}
        >
          This account has no such order to confirm
          {username === null ? null : (
            <>
              : you are signed in as <bdi>{username}</bdi>
            </>
          )}
          . The link may be of another account, or of an order asked for so long ago that it is no
          longer kept. Nothing is placed by opening it.
        </Empty>
      </Card>
    </div>
  );
}
