import { type ComponentProps, lazy, Suspense } from 'react';
import { Skeleton } from './state.tsx';

const SeriesChart = lazy(() =>
  import('./series-chart.tsx').then(({ SeriesChart }) => ({ default: SeriesChart })),
);

/** A series; the library that draws it is loaded when the first one is shown. */
export function LazyChart(props: ComponentProps<typeof SeriesChart>) {
  return (
    <Suspense fallback={<Skeleton lines={6} />}>
      <SeriesChart {...props} />
    </Suspense>
  );
}
