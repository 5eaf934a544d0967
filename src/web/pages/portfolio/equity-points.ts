import { sumOf } from '../../format/money.ts';
import type { ChartPoint } from '../../ui/even-points.ts';

/** A point of the history as the daemon gives it. */
interface Sample {
  readonly sampledAtMs: number;
  readonly equityUsdc: string;
  readonly broughtInUsdc: string | null;
  /** Positions without a price: where there are any, the equity is not known. */
  readonly unvalued: readonly unknown[];
}

/** What the portfolio says now, as far as a point of the history needs it. */
interface Now {
  readonly totalUsdc: string;
  readonly unrealizedPnl: string;
  readonly realizedPnl: string;
  readonly unpricedPositions: number;
  readonly books: string;
  readonly venues: readonly { readonly state: string; readonly isCut: boolean }[];
}

/**
 * Ends a history with the totals that the page shows, which are newer than its newest point: what
 * is open and what is realized is all the profit there has been. Left as it is where it has no
 * point yet, where the totals are older, and where they lack something: a venue that is away, a
 * price, or what the books miss.
 */
export function upToNow(
  history: { readonly before: Sample | null; readonly data: readonly Sample[] },
  now: Now,
  atMs: number,
): { readonly before: Sample | null; readonly data: readonly Sample[] } {
  const newest = history.data.at(-1) ?? history.before;
  const isWhole =
    now.unpricedPositions === 0 &&
    now.books !== 'unreconciled' &&
    now.venues.every(({ state, isCut }) => state !== 'unavailable' && !isCut);
  if (newest === null || newest.sampledAtMs >= atMs || !isWhole) return history;
  const profit = sumOf([now.unrealizedPnl, now.realizedPnl]) ?? '0';
  const broughtInUsdc = sumOf([now.totalUsdc, negated(profit)]);
  return {
    before: history.before,
    data: [
      ...history.data,
      { sampledAtMs: atMs, equityUsdc: now.totalUsdc, broughtInUsdc, unvalued: [] },
    ],
  };
}

/**
 * Makes a curve of a history: it begins at the border with what there was before it, since nothing
 * is kept while nothing changes, and has one point a second at most. A point that lacks the price
 * of a position is a gap; the curve begins with the first that lacks none.
 */
export function pointsOf(
  { before, data }: { readonly before: Sample | null; readonly data: readonly Sample[] },
  fromAtMs: number,
): readonly ChartPoint[] {
  const samples = [...(before === null ? [] : [{ ...before, sampledAtMs: fromAtMs }]), ...data];
  const bySecond = new Map(
    samples.map((sample) => [Math.floor(sample.sampledAtMs / 1_000), sample]),
  );
  let known: number | null = null;
  return [...bySecond]
    .sort(([a], [b]) => a - b)
    .flatMap(([time, { equityUsdc, unvalued }]): readonly ChartPoint[] => {
      if (unvalued.length === 0) known = Number(equityUsdc);
      if (known === null) return [];
      return [{ time, value: known, ...(unvalued.length === 0 ? {} : { isGap: true }) }];
    });
}

/**
 * The same curve of the profit alone: what was brought in or taken out moves it by nothing. Of an
 * account that was made at `madeAtMs`, within this time, it begins there at zero: its first point
 * may have a loss in it already. Null where a point does not say what was brought in.
 */
export function profitPointsOf(
  { before, data }: { readonly before: Sample | null; readonly data: readonly Sample[] },
  fromAtMs: number,
  madeAtMs: number | null = null,
): readonly ChartPoint[] | null {
  const ofProfit = (sample: Sample): Sample => ({
    ...sample,
    equityUsdc: sumOf([sample.equityUsdc, negated(sample.broughtInUsdc ?? '0')]) ?? '0',
  });
  const all = before === null ? data : [before, ...data];
  if (all.some(({ broughtInUsdc }) => broughtInUsdc === null)) return null;
  const points = pointsOf(
    { before: before && ofProfit(before), data: data.map(ofProfit) },
    fromAtMs,
  );
  const [first] = points;
  const madeAt = madeAtMs === null || madeAtMs < fromAtMs ? null : Math.floor(madeAtMs / 1_000);
  return madeAt === null || first === undefined || first.time <= madeAt
    ? points
    : [{ time: madeAt, value: 0 }, ...points];
}

function negated(amount: string): string {
  return amount.startsWith('-') ? amount.slice(1) : `-${amount}`;
}

/** How far a curve is below the highest before, at each of its points: zero or less. */
export function fallsOf(points: readonly ChartPoint[]): readonly ChartPoint[] {
  let highest = Number.NEGATIVE_INFINITY;
  return points.map((point) => {
    highest = Math.max(highest, point.value);
    return { ...point, value: point.value - highest };
  });
}

/** The most that a curve fell, by `fallsOf` it: zero or more. */
export function deepestFall(falls: readonly ChartPoint[]): number {
  return falls.reduce((deepest, { value }) => Math.max(deepest, -value), 0);
}
