import { useAttempt } from '../../api/attempt.ts';
import { call } from '../../api/client.ts';
import { readAgain, useRead } from '../../api/query.ts';
import { useDaemonNow } from '../../app/clock.ts';
import { Refusal } from '../../app/refusal.tsx';
import { cents, shares, usd } from '../../format/money.ts';
import { sentence, words } from '../../format/text.ts';
import { countdown } from '../../format/time.ts';
import { Button } from '../../ui/button.tsx';
import { Card, Facts } from '../../ui/card.tsx';
import { Moment } from '../../ui/figures.tsx';
import { MarketLink } from '../markets/market-link.tsx';
import { useMarket } from '../markets/use-market.ts';
import styles from '../wallet/wallet.module.css';
import type { Confirmation } from './confirmation-end.ts';

/** One question, with what becomes true if it is confirmed. */
export function Question({ of }: { readonly of: Confirmation }) {
  const { confirmationId, venue, marketId, action, setsAside } = of;
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
      'GET /api/portfolio/orders',
      'GET /api/portfolio/',
    ]);
  };
  const isBuy = action === 'buy';
  const moves = isBuy ? usd(setsAside.usdc) : `${shares(setsAside.shares)} shares`;
  return (
    <div className={styles['narrow']}>
      <Card
        title={<OrderName of={of} />}
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
              variant="primary"
              isWide
              isBusy={isBusy}
              blocked={leftMs <= 0 ? 'Its time is over. The assistant can ask again.' : null}
              onClick={() => void answer('confirm')}
            >
              Confirm: {isBuy ? 'buy for' : 'sell'} {moves}
            </Button>
          </div>
          <Refusal problem={problem} what="order" />
        </div>
      </Card>
    </div>
  );
}

/** As its person named it, and its begin, by which the page of keys tells it from others. */
export function KeyName({ keyId }: { readonly keyId: string }) {
  const keys = useRead('GET /api/user/keys/', {});
  const known = keys.data?.data.find((key) => key.keyId === keyId);
  return known === undefined ? (
    <bdi>{keyId}</bdi>
  ) : (
    <>
      <bdi>{known.name}</bdi> <span className="faint mono">{known.prefix}…</span>
    </>
  );
}

/** What is bought or sold, the outcome in the words of its market. */
export function OrderName({
  of: { venue, marketId, action, side, orderType },
}: {
  readonly of: Confirmation;
}) {
  const market = useMarket(venue, marketId);
  const label = market.data?.outcomes.find((outcome) => outcome.side === side)?.label ?? side;
  return (
    <>
      {sentence(action)} <bdi>{label}</bdi>, {orderType} order
    </>
  );
}
