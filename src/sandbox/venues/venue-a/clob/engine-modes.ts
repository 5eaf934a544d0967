import type { FaultBoard, FaultName } from '../../../faults.ts';
import { failed, type Reply } from '../../../wire/http-server.ts';

/** Routes that reach the matching engine. */
const ORDER_ROUTES = new Set(['/order', '/orders', '/cancel-all', '/cancel-market-orders']);
const POST_ONLY_WINDOW_MS = 79_000;
const RETRY_AFTER_MS = 2_000;
const HTML_429 =
  '<!DOCTYPE html><html><head><title>Access denied | error 1015</title></head><body><h1>You are being rate limited</h1></body></html>';
const HTML_502 =
  '<html><head><title>502 Bad Gateway</title></head><body><center><h1>502 Bad Gateway</h1></center></body></html>';

/**
 * What is decided about a request before anything of it is read: lost connections, the content
 * network, the region.
 */
export function gateReply(
  faults: FaultBoard,
  { method, path }: { readonly method: string; readonly path: string },
): Reply | null {
  const subject = { path };
  const isOrderRoute = ORDER_ROUTES.has(path);
  if (isOrderRoute && faults.take('refused-silently', subject) !== null) return { kind: 'cut' };
  if (faults.take('bad-gateway', subject) !== null)
    return { kind: 'html', status: 502, body: HTML_502 };
  const html = faults.take('rate-limited-html', subject);
  if (html !== null)
    return {
      kind: 'html',
      status: 429,
      body: HTML_429,
      headers: retryAfter(html.delayOr(RETRY_AFTER_MS)),
    };
  const limited = faults.take('rate-limited', subject);
  if (limited !== null)
    return {
      ...failed(429, 'Too Many Requests'),
      headers: retryAfter(limited.delayOr(RETRY_AFTER_MS)),
    };
  if (isOrderRoute && method === 'POST' && faults.take('geoblocked', subject) !== null) {
    return failed(
      403,
      'Trading restricted in your region, please refer to available regions - https://docs.polymarket.com/developers/CLOB/geoblock',
    );
  }
  if (!isOrderRoute) return null;
  if (faults.take('engine-restart', subject) !== null) return failed(425, 'service not ready');
  if (faults.take('trading-disabled', subject) !== null)
    return failed(503, 'Trading is currently disabled. Check polymarket.com for updates');
  if (method === 'POST' && faults.take('cancel-only', subject) !== null) {
    return failed(
      503,
      'Trading is currently cancel-only. New orders are not accepted, but cancels are allowed.',
    );
  }
  return null;
}

/**
 * The post-only window's answer to an order that is not post-only, and what it says of the time
 * left.
 */
export interface PostOnlyWindow {
  readonly error: string;
  readonly retryAfterSeconds: number;
}

/** Whether the post-only window is on now (venue_a.md section 7.2). */
export function postOnlyWindow(faults: FaultBoard): PostOnlyWindow | null {
  const name: FaultName = 'post-only-window';
  const hit = faults.take(name);
  if (hit === null) return null;
  return {
    error: 'post-only mode: only post-only orders and cancels are allowed',
    retryAfterSeconds: Math.ceil(hit.delayOr(POST_ONLY_WINDOW_MS) / 1_000),
  };
}

/** The window as an answer of its own. */
export function postOnlyReply({ error, retryAfterSeconds }: PostOnlyWindow): Reply {
  return {
    kind: 'json',
    status: 503,
    body: { error, code: 'post_only_mode', retry_after_seconds: retryAfterSeconds },
    headers: { 'retry-after': String(retryAfterSeconds) },
  };
}

function retryAfter(ms: number): Readonly<Record<string, string>> {
  return { 'retry-after': String(Math.ceil(ms / 1_000)) };
}
