import { z } from 'zod';
import { ok, type Call, type Reply, type VenueRoute } from '../../../wire/http-server.ts';
import type { ListedEvent } from '../model/listing.ts';
import type { MarketModel } from '../model/market-model.ts';
import { integer, withQuery } from './query.ts';

const searchQuery = z.object({
  query: z.string().max(200),
  order_by: z.literal('querymatch').optional(),
  page_size: integer(100).default(25),
});

/**
 * The search of the exchange's website, which clients of its interface ask for events by words:
 * those with open markets, the one that holds most of the words first.
 */
export function searchRoute(model: MarketModel): VenueRoute {
  return {
    method: 'GET',
    path: '/v1/search/series',
    run: withQuery(searchQuery, (query) => search(model, query)) satisfies (call: Call) => Reply,
  };
}

function search(
  model: MarketModel,
  { query, page_size: size }: z.output<typeof searchQuery>,
): Reply {
  const words = query
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '');
  const found = model
    .events()
    .filter(({ markets }) => markets.some((listing) => model.state(listing).status === 'active'))
    .map((event) => ({ event, matches: matchesOf(event, words, model) }))
    .filter(({ matches }) => matches > 0)
    .toSorted((one, other) => other.matches - one.matches);
  return ok({
    total_results_count: found.length,
    current_page: found.slice(0, size).map(({ event }) => ({
      event_ticker: event.ticker,
      series_ticker: event.seriesTicker,
      event_title: event.title,
      event_subtitle: event.subTitle,
    })),
  });
}

function matchesOf(event: ListedEvent, words: readonly string[], model: MarketModel): number {
  const [first] = event.markets;
  const series = first === undefined ? null : model.seriesOf(first);
  const text = [event.ticker, event.title, series?.title, series?.category, ...(series?.tags ?? [])]
    .join(' ')
    .toLowerCase();
  return words.filter((word) => text.includes(word)).length;
}
