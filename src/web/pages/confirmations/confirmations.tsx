import { Link, useSearchParams } from 'wouter';
import { useAttempt } from '../../api/attempt.ts';
import { call } from '../../api/client.ts';
import { readAgain, useRead } from '../../api/query.ts';
import type { Output } from '../../api/routes.ts';
import { useDaemonNow } from '../../app/clock.ts';
import { cents, shares, usd } from '../../format/money.ts';
import { sentence, words } from '../../format/text.ts';
import { countdown } from '../../format/time.ts';
import { PAGES } from '../../routes.ts';
import { Button } from '../../ui/button.tsx';
import { Card, Facts } from '../../ui/card.tsx';
import { Moment } from '../../ui/figures.tsx';
import { Page } from '../../ui/layout.tsx';
import { Empty, ProblemNote, Read } from '../../ui/state.tsx';
import { Table } from '../../ui/table.tsx';
import { MarketLink } from '../markets/market-link.tsx';
import styles from '../wallet/wallet.module.css';

type Confirmation = Output<'GET /api/user/confirmations/'>['data'][number];

/** Orders that assistants put forward: what each would do, and how earlier ones ended. */
export function ConfirmationsPage() {
  const list = useRead('GET /api/user/confirmations/', {});
  const [parameters] = useSearchParams();
  // the one an assistant linked to comes first
  const order = parameters.get('order');
  return (
    <Page
      title="Confirmations"
      sub="What your assistants ask before they trade. An order that is not confirmed in time is not placed."
    >
      <Read of={list} lines={6}>
        {({ data }) => {
          const waiting = data
            .filter(isWaiting)
            .toSorted(
              (a, b) => Number(b.confirmationId === order) - Number(a.confirmationId === order),
            );
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

function isWaiting({ state }: Confirmation): boolean {
  return state === 'asked' || state === 'confirmed';
}

/** One question, with what becomes true if it is confirmed. */
function Question({ of }: { readonly of: Confirmation }) {
  const { confirmationId, venue, marketId, action, side, orderType, setsAside } = of;
  const { isBusy, problem, make } = useAttempt();
  const nowMs = useDaemonNow();
  const leftMs = of.expiresAtMs - nowMs;
  const answer = async (what: 'confirm' | 'refuse'): Promise<void> => {
    const params = { id: confirmationId };
    await make(async () => {
      if (what === 'confirm') await call('POST /api/user/confirmations/:id/confirm', { params });
      else await call('POST /api/user/confirmations/:id/refuse', { params });
    });
    void readAgain([
      'GET /api/user/confirmations/',
      'GET /api/venue_a/order/',
      'GET /api/venue_b/order/',
      'GET /api/portfolio/',
    ]);
  };
  const isBuy = action === 'buy';
  const moves = isBuy ? usd(setsAside.usdc) : `${shares(setsAside.shares)} shares`;
  return (
    <div className={styles['narrow']}>
      <Card
        title={`${isBuy ? 'Buy' : 'Sell'} ${side}, ${orderType} order`}
        aside={<span className={leftMs < 60_000 ? 'warn' : 'muted'}>{countdown(leftMs)} left</span>}
      >
        <Facts
          rows={[
            ['Market', <MarketLink key="market" venue={venue} marketId={marketId} />],
            ['At', words(venue)],
            isBuy
              ? ['Sets aside, fee included', usd(setsAside.usdc)]
              : ['Sells', `${shares(setsAside.shares)} shares`],
            [isBuy ? 'Pays at most, a share' : 'Gets at least, a share', cents(of.worstPrice)],
            ['Asked with the key', <KeyName key="key" keyId={of.keyId} />],
            ['Asked', <Moment key="asked" atMs={of.askedAtMs} />],
          ]}
        />
        <div className={styles['form']} style={{ padding: '0 16px 16px' }}>
          <p className="muted">
            Confirmed, it is placed at once and at no worse price than this; your own limits and
            those of the key are checked again. Refused, it is never placed.
          </p>
          <div className={styles['line']}>
            <Button isWide disabled={isBusy} onClick={() => void answer('refuse')}>
              Refuse
            </Button>
            <Button
              look="primary"
              isWide
              isBusy={isBusy}
              blocked={leftMs <= 0 ? 'Its time is over. The assistant can ask again.' : null}
              onClick={() => void answer('confirm')}
            >
              Confirm: {isBuy ? 'buy for' : 'sell'} {moves}
            </Button>
          </div>
          {problem === null ? null : problem.isOutcomeUnknown ? (
            <p className="warn" role="alert">
              No answer came. Press again to ask: it stays the same order.
            </p>
          ) : (
            <ProblemNote problem={problem} />
          )}
        </div>
      </Card>
    </div>
  );
}

function KeyName({ keyId }: { readonly keyId: string }) {
  const keys = useRead('GET /api/user/keys/', {});
  const name = keys.data?.data.find((key) => key.keyId === keyId)?.name;
  return <bdi>{name ?? keyId}</bdi>;
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
            cell: ({ venue, marketId, action, side, orderType }) => (
              <>
                {sentence(action)} {side}, {orderType}
                <div>
                  <MarketLink venue={venue} marketId={marketId} />
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
          { head: 'Ended', cell: (each) => endOf(each) },
          { head: 'Key', cell: ({ keyId }) => <KeyName keyId={keyId} /> },
          { head: 'Asked', isNumber: true, cell: ({ askedAtMs }) => <Moment atMs={askedAtMs} /> },
        ]}
      />
    </Card>
  );
}

const ENDS: Readonly<Record<Confirmation['state'], string>> = {
  asked: 'waits',
  confirmed: 'being placed',
  placed: 'confirmed and placed',
  refused: 'refused by you',
  failed: 'confirmed, but not placed',
  expired: 'not answered in time',
};

function endOf({ state, failure }: Confirmation): string {
  return failure === null ? ENDS[state] : `${ENDS[state]}: ${words(failure)}`;
}
