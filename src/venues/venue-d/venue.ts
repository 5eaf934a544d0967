import { z } from 'zod';
import { VENUE_D } from '../../../config/limits/venue-d.ts';
import type { ViewedPosition } from '../../domain/viewed-position.ts';
import { viewRow } from '../view-contract.ts';
import { createPortfolioClient } from './client.ts';
import { VENUE_D_ID } from './id.ts';
import { readRow } from './parse.ts';

const token = z.strictObject({
  symbol: z.string(),
  address: z.string().regex(/^0x[0-9a-fA-F]{40}$/, 'an address of a token'),
  isDollar: z.boolean(),
});

const settings = z.strictObject({
  endpoints: z.object({ viewRest: z.url('set PREDICTD_VENUE_D_URL: an address') }),
  apiKey: z.string().nullable(),
  networks: z.array(
    z.strictObject({ chainId: z.int().positive(), name: z.string(), tokens: z.array(token) }),
  ),
});

/** How calls end. */
const OUTCOMES = ['answered', 'throttled', 'failed'];

/** venue_d: positions are shown, and nothing is traded. */
export const venueD = viewRow({
  id: VENUE_D_ID,
  settings,
  open({ transport, wallClock, metrics }, { endpoints, apiKey, networks }) {
    const unread = { venue: VENUE_D_ID, channel: 'portfolio', reason: 'unreadable' };
    metrics.count('venue_dropped_total', unread, 0);
    for (const outcome of OUTCOMES)
      metrics.count('view_calls_total', { venue: VENUE_D_ID, outcome }, 0);
    const client = createPortfolioClient({
      url: endpoints.viewRest,
      apiKey,
      transport,
      wallClock,
      metrics,
    });
    return {
      close: () => client.close(),
      async positions(address, signal) {
        // Rows move to later pages while they are read: one that comes twice is one.
        const positions = new Map<string, ViewedPosition>();
        let unreadable = 0;
        let hasNext = true;
        for (let page = 1; hasNext && page <= VENUE_D.pagesMaximum; page += 1) {
          const answer = await client.page(address, page, signal);
          for (const given of answer.rows) {
            const row = readRow(given, networks);
            if (row === 'unreadable') unreadable += 1;
            else if (row !== null) positions.set(`${row.marketId}/${row.outcomeId}`, row);
          }
          hasNext = answer.hasNext;
        }
        metrics.count('venue_dropped_total', unread, unreadable);
        return { positions: [...positions.values()], unreadable, isCut: hasNext };
      },
    };
  },
});
