import type { CDPSession, Page } from 'playwright-core';

/** What a page has cost so far. */
export interface PageMetrics {
  /** Seconds that the page's main thread computed, however long it waited for a processor. */
  readonly mainThreadSeconds: number;
  readonly scriptSeconds: number;
  readonly styleAndLayoutSeconds: number;
  /** After the garbage was collected. */
  readonly heapBytes: number;
  readonly nodes: number;
  readonly listeners: number;
}

/** Opens the debugger's view of a page: times are of the thread itself, not of the wall. */
export async function openMetrics(
  page: Page,
): Promise<{ readonly session: CDPSession; read(): Promise<PageMetrics> }> {
  const session = await page.context().newCDPSession(page);
  await session.send('Performance.enable', { timeDomain: 'threadTicks' });
  return {
    session,
    async read() {
      await session.send('HeapProfiler.collectGarbage');
      const { metrics } = await session.send('Performance.getMetrics');
      const of = (name: string): number =>
        metrics.find((metric) => metric.name === name)?.value ?? Number.NaN;
      return {
        mainThreadSeconds: of('TaskDuration'),
        scriptSeconds: of('ScriptDuration'),
        styleAndLayoutSeconds: of('LayoutDuration') + of('RecalcStyleDuration'),
        heapBytes: of('JSHeapUsedSize'),
        nodes: of('Nodes'),
        listeners: of('JSEventListeners'),
      };
    },
  };
}

/** Slope of points by least squares: how much `y` grows while `x` grows by one. */
export function slopeOf(points: readonly { readonly x: number; readonly y: number }[]): number {
  const mean = (of: (point: { readonly x: number; readonly y: number }) => number): number =>
    points.reduce((sum, point) => sum + of(point), 0) / points.length;
  const [meanX, meanY] = [mean(({ x }) => x), mean(({ y }) => y)];
  const spread = points.reduce((sum, { x }) => sum + (x - meanX) ** 2, 0);
  return points.reduce((sum, { x, y }) => sum + (x - meanX) * (y - meanY), 0) / spread;
}
