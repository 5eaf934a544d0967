import { useMemo, useState } from 'react';
import { useRead } from '../../api/query.ts';
import type { Output } from '../../api/routes.ts';
import { useDaemonNow, useMarketClock } from '../../app/clock.ts';
import { decimalText, usd } from '../../format/money.ts';
import { exactMoment } from '../../format/time.ts';
import { daemonNowMs } from '../../live/market-clock.ts';
import { Card } from '../../ui/card.tsx';
import { Profit } from '../../ui/figures.tsx';
import { Segment } from '../../ui/form.tsx';
import { LazyChart } from '../../ui/lazy-chart.tsx';
import { Read } from '../../ui/state.tsx';
import { deepestFall, fallsOf, pointsOf, profitPointsOf, upToNow } from './equity-points.ts';
import { gapWords } from './gap-words.ts';

type History = Output<'GET /api/portfolio/history'>;
type Portfolio = Output<'GET /api/portfolio/'>;

const DAY_MS = 86_400_000;
const RANGES = { day: DAY_MS, week: 7 * DAY_MS, month: 30 * DAY_MS } as const;
type Range = keyof typeof RANGES;
/** The daemon keeps a point every few minutes of the market clock. */
const READ_EVERY_MS = 30_000;

/** What one had by time, with the largest drawdown in it. */
export function Equity() {
  const [range, setRange] = useState<Range>('day');
  const market = useMarketClock();
  const portfolio = useRead('GET /api/portfolio/', {});
  const profile = useRead('GET /api/user/profile', {});
  const nowMs = useDaemonNow();
  // ranges are of the market clock, and moments of the interface of the wall's; by whole minutes,
  // so that a page asks anew no oftener
  const fromAtMs = Math.floor((nowMs - RANGES[range] / market.speed) / 60_000) * 60_000;
  const history = useRead(
    'GET /api/portfolio/history',
    { query: { fromAtMs: String(fromAtMs) } },
    { everyMs: READ_EVERY_MS },
  );
  return (
    <Card
      title="Cash and positions by time"
      aside={
        <Segment<Range>
          label="How far back"
          value={range}
          choices={[
            ['day', 'Day'],
            ['week', 'Week'],
            ['month', 'Month'],
          ]}
          onChange={setRange}
        />
      }
    >
      <Read of={history} lines={8}>
        {(answer) => (
          <Curve
            history={answer}
            fromAtMs={fromAtMs}
            portfolio={portfolio.data}
            madeAtMs={profile.data?.createdAtMs ?? null}
            readAtMs={daemonNowMs(market, portfolio.dataUpdatedAt)}
          />
        )}
      </Read>
    </Card>
  );
}

function Curve({
  history,
  fromAtMs,
  portfolio,
  madeAtMs,
  readAtMs,
}: {
  readonly history: History;
  readonly fromAtMs: number;
  readonly portfolio: Portfolio | undefined;
  /** When the account was made; null while that is not known. */
  readonly madeAtMs: number | null;
  readonly readAtMs: number;
}) {
  // the chart draws only what is another list
  const whole = useMemo(
    () => (portfolio === undefined ? history : upToNow(history, portfolio, readAtMs)),
    [history, portfolio, readAtMs],
  );
  const points = useMemo(() => pointsOf(whole, fromAtMs), [whole, fromAtMs]);
  const profits = useMemo(
    () => profitPointsOf(whole, fromAtMs, madeAtMs),
    [whole, fromAtMs, madeAtMs],
  );
  const falls = useMemo(() => (profits === null ? null : fallsOf(profits)), [profits]);
  const first = profits?.[0]?.value ?? null;
  const last = profits?.at(-1)?.value ?? null;
  const newest = points.at(-1);
  const gaps = gapWords(points);
  const unvalued =
    whole === history
      ? (history.data.at(-1)?.unvalued.reduce((sum, each) => sum + each.positions, 0) ?? 0)
      : 0;
  return (
    <>
      <LazyChart
        label="Cash and positions by time"
        points={points}
        base={null}
        baseLabel="at first"
        empty="Nothing is known yet: a point is kept every few minutes once there is money."
        format="usd"
      />
      {falls === null || falls.length < 2 ? null : (
        <section aria-labelledby="falls">
          <h3 id="falls" className="muted" style={{ padding: '0 16px' }}>
            Drawdown: how far below the highest so far
          </h3>
          <LazyChart
            label="Drawdown: how far below the highest so far"
            points={falls}
            base={0}
            baseLabel="at the highest"
            empty="Nothing is known yet."
            format="usd"
          />
        </section>
      )}
      {newest === undefined ? null : (
        <p className="muted" style={{ padding: '0 16px 14px' }}>
          As of {exactMoment(newest.time * 1_000)}.{' '}
          {first === null || last === null || falls === null ? (
            'Points of this time do not tell deposits and withdrawals from profit, so none is shown.'
          ) : (
            <>
              Profit over this time, open positions included:{' '}
              <Profit amount={decimalText(last - first)} />. Deposits, withdrawals and swaps into
              your own wallets are not in it. Largest drawdown{' '}
              {usd(decimalText(deepestFall(falls)))}.
            </>
          )}
        </p>
      )}
      {gaps === null ? null : (
        <p className="muted" style={{ padding: '0 16px 14px' }}>
          {gaps}
        </p>
      )}
      {unvalued === 0 ? null : (
        <p className="muted" style={{ padding: '0 16px 14px' }}>
          {unvalued === 1 ? 'A position has' : `${unvalued} positions have`} no price at the last
          point: points without one are gaps, and in no profit or drawdown.
        </p>
      )}
    </>
  );
}
