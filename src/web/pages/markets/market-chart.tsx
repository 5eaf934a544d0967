import { lazy, Suspense, useEffect, useRef, useState } from 'react';
import type { LiveBook } from '../../live/book.ts';
import { Skeleton } from '../../ui/state.tsx';
import type { ChartPoint } from '../../ui/series-chart.tsx';

const SeriesChart = lazy(() =>
  import('../../ui/series-chart.tsx').then(({ SeriesChart }) => ({ default: SeriesChart })),
);

/** Points kept: an hour at one a second. */
const POINTS_MAXIMUM = 3_600;

/** The middle of a book since the page was opened, at most one point a second. */
export function MarketChart({ book }: { readonly book: LiveBook | null }) {
  const kept = useRef<readonly ChartPoint[]>([]);
  const [points, setPoints] = useState<readonly ChartPoint[]>([]);
  const bid = book?.bids[0]?.price ?? null;
  const ask = book?.asks[0]?.price ?? null;
  useEffect(() => {
    if (bid === null || ask === null) return;
    const second = Math.floor(Date.now() / 1_000);
    const earlier = kept.current.filter(({ time }) => time < second).slice(-POINTS_MAXIMUM);
    kept.current = [...earlier, { time: second, value: (Number(bid) + Number(ask)) / 2 }];
    setPoints(kept.current);
  }, [bid, ask]);
  return (
    <Suspense fallback={<Skeleton lines={6} />}>
      <SeriesChart
        label="Middle of the book since this page was opened"
        points={points}
        base={null}
        baseLabel="at first"
        empty="Nobody bids or nobody offers just now, so there is no middle to draw."
        format="cents"
      />
    </Suspense>
  );
}
