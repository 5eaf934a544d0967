import type { FaultBoard } from '../../../faults.ts';
import type { Reply } from '../../../wire/http-server.ts';
import { refused } from './query.ts';

/**
 * Looks at a request before the routes do: what an overloaded or broken gateway answers in their
 * place; null where it lets it pass.
 */
export function gateReply(
  faults: FaultBoard,
  { path }: { readonly method: string; readonly path: string },
): Reply | null {
  if (faults.take('refused-silently', { path }) !== null) return { kind: 'cut' };
  if (faults.take('rate-limited', { path }) !== null)
    return {
      ...refused(429, 'rate_limited', 'Too many requests'),
      headers: { 'retry-after': '1', 'x-ratelimit-limit': '60', 'x-ratelimit-remaining': '0' },
    };
  if (faults.take('service-unavailable', { path }) !== null)
    return refused(503, 'amm_map_lagging', 'The AMM map is lagging');
  if (faults.take('bad-gateway', { path }) !== null)
    return {
      kind: 'html',
      status: 502,
      body: '<html><head><title>502 Bad Gateway</title></head><body><h1>502 Bad Gateway</h1></body></html>',
    };
  return null;
}
