import { useEffect, useRef, useState } from 'react';
import { Link } from 'wouter';
import { useRead } from '../../api/query.ts';
import { useDaemonNow } from '../../app/clock.ts';
import { useNow } from '../../app/now.ts';
import { useSustained } from '../../app/sustained.ts';
import { cents, decimalText, signedUsd, usd } from '../../format/money.ts';
import { countdown, duration, moment } from '../../format/time.ts';
import { useIsLost } from '../../live/live.ts';
import { useBook, usePrice } from '../../live/topics.ts';
import { marketPath } from '../../routes.ts';
import { Card } from '../../ui/card.tsx';
import { LazyChart } from '../../ui/lazy-chart.tsx';
import { Stat, Stats } from '../../ui/layout.tsx';
import { Aged, Empty, Skeleton, StateDot } from '../../ui/state.tsx';
import type { ChartPoint } from '../../ui/even-points.ts';
import type { Agent } from './agent-state.ts';
import styles from './agents.module.css';

/** A price that is missing, or not trusted, for less than this is no news. */
const LATE_AFTER_MS = 2_500;
/** Points kept for the chart: 15 minutes at one a second. */
const POINTS_MAXIMUM = 900;

/**
 * The round an agent is in: time left, the price now against the price to beat, and both sides'
 * prices.
 */
export function Round({ agent, asset }: { readonly agent: Agent; readonly asset: string }) {
  const nowMs = useDaemonNow();
  const deviceMs = useNow();
  const isLost = useIsLost();
  const markets = useRead(
    'GET /api/venue_a/markets/',
    { query: { search: `${NAMES[asset] ?? asset} Up or Down`, limit: '50', sort: 'ending' } },
    { everyMs: 20_000 },
  );
  const market = (markets.data?.data ?? []).find(
    ({ window, endsAtMs }) =>
      window !== null &&
      window.asset === asset &&
      window.minutes === agent.minutes &&
      endsAtMs !== null &&
      endsAtMs > nowMs,
  );
  const [up, down] = market?.outcomes ?? [];
  const upBook = useBook('venue_a', up?.tokenId ?? null);
  const downBook = useBook('venue_a', down?.tokenId ?? null);
  const price = usePrice(asset);
  const isLate = useSustained(!price.isTrusted, LATE_AFTER_MS);
  const points = usePoints(price.data?.price ?? null);
  if (market === undefined)
    return (
      <Card title="Round">
        {markets.data === undefined ? (
          <Skeleton lines={5} />
        ) : (
          <Empty>No round is open just now; the next one shows here.</Empty>
        )}
      </Card>
    );
  const toBeat = market.window?.strike ?? null;
  const now = price.data?.price ?? null;
  const distance =
    toBeat === null || now === null ? null : decimalText(Number(now) - Number(toBeat));
  return (
    <Card>
      <div className={styles['round']}>
        <div>
          <h2>
            <bdi>{market.question}</bdi>
          </h2>
          <Link className="link" href={marketPath(market.venue, market.marketId)}>
            Open market
          </Link>
        </div>
        <div className={styles['left']} title={moment(market.endsAtMs ?? nowMs, nowMs)}>
          {countdown((market.endsAtMs ?? nowMs) - nowMs)}
        </div>
      </div>
      {isLate && price.inputAtMs !== null ? (
        <p className={styles['late']}>
          <StateDot state="late">
            {`The price is late: ${duration(deviceMs - price.inputAtMs)} old.`}
          </StateDot>
        </p>
      ) : null}
      <Aged isOld={isLost || isLate}>
        <Stats>
          <Stat name={`${asset} now`}>{usd(now)}</Stat>
          <Stat name="To beat">{usd(toBeat)}</Stat>
          <Stat name="Distance">{signedUsd(distance)}</Stat>
          <Stat name={up?.label ?? 'Up'}>{cents(upBook.data?.asks[0]?.price ?? null)}</Stat>
          <Stat name={down?.label ?? 'Down'}>{cents(downBook.data?.asks[0]?.price ?? null)}</Stat>
        </Stats>
      </Aged>
      <LazyChart
        label={`${asset} price since this page was opened, against the price to beat`}
        points={points}
        base={toBeat === null ? null : Number(toBeat)}
        baseLabel="to beat"
        empty="No price has come yet."
        format="usd"
      />
    </Card>
  );
}

const NAMES: Readonly<Record<string, string>> = { BTC: 'Bitcoin', ETH: 'Ethereum', SOL: 'Solana' };

/** The prices that came since the page was opened, at most one a second. */
function usePoints(price: string | null): readonly ChartPoint[] {
  const kept = useRef<readonly ChartPoint[]>([]);
  const [points, setPoints] = useState<readonly ChartPoint[]>([]);
  useEffect(() => {
    if (price === null) return;
    const second = Math.floor(Date.now() / 1_000);
    const earlier = kept.current.filter(({ time }) => time < second).slice(-POINTS_MAXIMUM);
    kept.current = [...earlier, { time: second, value: Number(price) }];
    setPoints(kept.current);
  }, [price]);
  return points;
}
