import { Link, Redirect, useSearchParams } from 'wouter';
import { call } from '../../api/client.ts';
import { usePages } from '../../api/paged.ts';
import { useChange, useRead } from '../../api/query.ts';
import { useDaemonNow } from '../../app/clock.ts';
import { PAGES } from '../../routes.ts';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { Moment } from '../../ui/figures.tsx';
import { Page } from '../../ui/layout.tsx';
import { OlderRows } from '../../ui/paged-table.tsx';
import { Empty, Read } from '../../ui/state.tsx';
import { Decisions } from '../agents/decisions.tsx';
import { MarketLink } from '../markets/market-link.tsx';
import { Fills, Orders } from './orders.tsx';
import { linkWords, pageOfNotification } from './notification-page.ts';
import styles from './activity.module.css';
import { agentName } from '../../format/agent-name.ts';

/** Rows of each list on the page of all; each leads to the whole list. */
const NEWEST = 8;

/** What was done: by agents with their reasons, by hand, and what users were notified of. */
export function ActivityPage() {
  const agents = useRead('GET /api/agents/', {});
  return (
    <Page title="Activity" sub={<ActivityLinks />}>
      <Orders atMost={NEWEST} />
      <Fills atMost={NEWEST} />
      <Read of={agents}>
        {({ data }) =>
          data
            .filter(({ enabled }) => enabled)
            .map(({ agent }) => (
              <section key={agent} aria-label={agentName(agent)}>
                <Decisions
                  agentId={agent}
                  title={`Decisions: ${agentName(agent)}`}
                  atMost={NEWEST}
                />
              </section>
            ))
        }
      </Read>
    </Page>
  );
}

function ActivityLinks() {
  return (
    <>
      <Link href={PAGES.trades} className="link">
        Orders and fills
      </Link>
      <Link href={PAGES.notifications} className="link">
        Notifications
      </Link>
    </>
  );
}

/** Orders and fills alone; of one market where the address names it. */
export function TradesPage() {
  const [search] = useSearchParams();
  const [venue, marketId] = [search.get('venue'), search.get('market')];
  const of = marketId === null ? undefined : { marketId };
  return (
    <Page
      title="Orders and fills"
      sub={
        of === undefined ? undefined : (
          <>
            <span>Of {venue === null ? 'one market' : <MarketLink venue={venue} {...of} />}</span>
            <Link href={PAGES.trades} className="link">
              Those of all markets
            </Link>
          </>
        )
      }
    >
      <Orders of={of} />
      <Fills of={of} />
      <p className="muted">
        What a venue paid for an ended market without an order is among the closed positions of the{' '}
        <Link href={PAGES.portfolio} className="link">
          portfolio
        </Link>
        .
      </p>
    </Page>
  );
}

/** The user's notifications, newest first. */
export function NotificationsPage() {
  const list = usePages('GET /api/user/notifications/', (query, options) =>
    call('GET /api/user/notifications/', { query }, options),
  );
  const nowMs = useDaemonNow();
  const [search] = useSearchParams();
  // a click on a push leads to what it tells of
  const asked = list.data?.find(({ id }) => id === search.get('open'));
  if (asked !== undefined) return <Redirect to={pageOfNotification(asked)} replace />;
  return (
    <Page title="Notifications" actions={<MarkRead unread={list.newest?.unread ?? 0} />}>
      <Card>
        <Read
          of={list}
          isEmpty={(notices) => notices.length === 0}
          empty={<Empty>You have no notifications yet.</Empty>}
        >
          {(notices) => (
            <>
              <ul>
                {notices.map(({ id, kind, title, body, about, createdAtMs, isRead }) => (
                  <li key={id} className={styles['notice']}>
                    <div>
                      <strong>{title}</strong>
                      {isRead ? null : <span className="warn"> new</span>}
                      <p className="muted">
                        <bdi>{body}</bdi>
                      </p>
                      <Link href={pageOfNotification({ kind, about })} className="link">
                        {linkWords({ kind, about }, nowMs)}
                        <span className="hidden-visually"> what “{title}” tells of</span>
                      </Link>
                    </div>
                    <span className="faint">
                      <Moment atMs={createdAtMs} />
                    </span>
                  </li>
                ))}
              </ul>
              <OlderRows of={list} />
            </>
          )}
        </Read>
      </Card>
    </Page>
  );
}

function MarkRead({ unread }: { readonly unread: number }) {
  const read = useChange('POST /api/user/notifications/read', ['GET /api/user/notifications/']);
  if (unread === 0) return null;
  return (
    <Button isBusy={read.isPending} onClick={() => read.mutate({ body: {} })}>
      Mark {unread} as read
    </Button>
  );
}
