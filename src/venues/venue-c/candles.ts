import { VENUE_C } from '../../../config/limits/venue-c.ts';
import type { CandleSource } from '../../ports/candles.ts';
import type { Clock } from '../../ports/clock.ts';
import { checked } from '../checked.ts';
import { periodsOf, type PricePoint } from '../price-points.ts';
import type { VenueClient } from './client.ts';
import { isSlug } from './listing.ts';
import { historySchema } from './schema.ts';

const MINUTE_MS = 60_000;

/**
 * Creates the source of prices over time. The venue has no candles (venue_c.md section 6): they are
 * made of the prices of YES that it states, some hundred of them in an answer, the newest first,
 * whose steps follow from the interval that is named. Where more are wanted it is asked again for
 * those before.
 */
export function createCandleSource(client: VenueClient, clock: Clock): CandleSource {
  /** Null without such a market. */
  async function pointsOf(
    slug: string,
    query: Readonly<Record<string, string>>,
  ): Promise<readonly PricePoint[] | null> {
    const path = `/markets/${encodeURIComponent(slug)}/historical-price`;
    const value = await client.read({ path, query });
    if (value === null) return null;
    const read = checked(historySchema, value, 'the prices of the past');
    const [first] = Array.isArray(read) ? read : 'data' in read ? read.data : [read];
    return (first?.prices ?? []).flatMap(({ price, timestamp }) => {
      const point = { atMs: msOf(timestamp), price: Number(price) };
      return Number.isFinite(point.atMs) && Number.isFinite(point.price) ? [point] : [];
    });
  }
  return {
    async candles({ bookId, periodMinutes, fromMs, toMs }) {
      if (!isSlug(bookId)) return null;
      const periodMs = periodMinutes * MINUTE_MS;
      const firstMs = fromMs - periodMs;
      const found = new Map<number, PricePoint>();
      let untilMs = Math.min(toMs, clock.nowMs());
      for (let reads = 0; reads < VENUE_C.historyReadsMaximum && untilMs > firstMs; reads += 1) {
        const points = await pointsOf(bookId, {
          interval: intervalOf(periodMinutes),
          from: new Date(firstMs).toISOString(),
          to: new Date(untilMs).toISOString(),
        });
        if (points === null) return null;
        const known = found.size;
        for (const point of points) found.set(point.atMs, point);
        if (found.size === known) break;
        untilMs = Math.min(...points.map(({ atMs }) => atMs)) - 1;
      }
      return periodsOf([...found.values()], periodMs).filter(
        ({ endsAtMs }) => endsAtMs >= fromMs && endsAtMs <= toMs,
      );
    },
  };
}

/** The interval whose steps are no longer than a period. */
function intervalOf(periodMinutes: number): string {
  if (periodMinutes < 5) return '1h';
  if (periodMinutes < 15) return '6h';
  return periodMinutes < 480 ? '1d' : '1m';
}

/** Epoch ms, or an ISO time. */
function msOf(time: number | string): number {
  return typeof time === 'number' ? time : Date.parse(time);
}
