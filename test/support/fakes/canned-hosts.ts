import type { VenueHosts } from '../../../src/venues/venue-a/client.ts';
import type { HttpCalls } from '../../../src/adapters/wire/http-calls.ts';

/**
 * What a canned host answers to a path without its query: JSON with status 200, or text as it is.
 * Undefined is a 404 in JSON.
 */
export type CannedAnswer = (path: string) => unknown;

/** Hosts of the venue that answer what a test has written down. */
export function cannedHosts(answer: CannedAnswer): VenueHosts {
  const calls: HttpCalls = {
    async send({ path }) {
      const [bare = ''] = path.split('?');
      const body = answer(bare);
      if (body === undefined)
        return { kind: 'answered', status: 404, text: '{"error":"not found"}', retryAfterMs: null };
      return {
        kind: 'answered',
        status: 200,
        text: typeof body === 'string' ? body : JSON.stringify(body),
        retryAfterMs: null,
      };
    },
    close: async () => undefined,
  };
  return { clob: calls, gamma: calls, data: calls, site: calls };
}
