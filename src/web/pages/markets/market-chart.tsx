import { useQuery } from '@tanstack/react-query';
import { memo, useEffect, useRef, useState } from 'react';
import type { Problem } from '../../api/problem.ts';
import type { Market, PricePoint, VenueCalls } from '../../api/venues.ts';
import { useNow } from '../../app/now.ts';
import type { ChartPoint } from '../../ui/even-points.ts';
import { LazyChart } from '../../ui/lazy-chart.tsx';

/** Points kept of what is seen live: an hour at one a second. */
const POINTS_MAXIMUM = 3_600;
const NONE: readonly PricePoint[] = [];

/**
 * The price of an outcome: what the venue tells of the past, then the middle of the book, at most
 * one point a second.
 */
export const MarketChart = memo(function MarketChart({
  market,
  calls,
  side,
  bid,
  ask,
}: {
  readonly market: Market;
  readonly calls: VenueCalls;
  readonly side: 'yes' | 'no';
  /** Best prices of the book; null where a side is empty. */
  readonly bid: string | null;
  readonly ask: string | null;
}) {
  const past = useQuery<readonly PricePoint[], Problem>({
    queryKey: ['price history', market.venue, market.marketId, side],
    queryFn: ({ signal }) => calls.history(market, side, signal),
    staleTime: Number.POSITIVE_INFINITY,
  });
  const seen = useRef<readonly ChartPoint[]>([]);
  const [points, setPoints] = useState<readonly ChartPoint[]>([]);
  const history = past.data ?? NONE;
  const best = useRef({ bid, ask });
  const nowMs = useNow();
  useEffect(() => {
    best.current = { bid, ask };
  }, [bid, ask]);
  const hasPrice = bid !== null && ask !== null;
  // a busy book changes many times a second, and drawing takes longer than all the rest of the page
  useEffect(() => {
    const second = Math.floor(nowMs / 1_000);
    const { bid: lastBid, ask: lastAsk } = best.current;
    if (hasPrice && lastBid !== null && lastAsk !== null) {
      const earlier = seen.current.filter(({ time }) => time < second).slice(-POINTS_MAXIMUM);
      seen.current = [...earlier, { time: second, value: (Number(lastBid) + Number(lastAsk)) / 2 }];
    }
    setPoints(joined(history, seen.current));
  }, [nowMs, hasPrice, history]);
  return (
    <LazyChart
      label="Price"
      points={points}
      base={null}
      baseLabel="at first"
      empty="The venue reports no past price, and the book has no bids or no offers now."
      format="cents"
    />
  );
});

/** Puts the live points behind those of the past that lie before them. */
function joined(
  history: readonly PricePoint[],
  seen: readonly ChartPoint[],
): readonly ChartPoint[] {
  const from = seen[0]?.time ?? Number.POSITIVE_INFINITY;
  const bySecond = new Map(
    history.map(({ atMs, price }) => [Math.floor(atMs / 1_000), price] as const),
  );
  const past = [...bySecond]
    .map(([time, value]) => ({ time, value }))
    .filter(({ time }) => time < from)
    .sort((a, b) => a.time - b.time);
  return [...past, ...seen];
}
