import type { FaultBoard } from '../../../faults.ts';
import type { Reply } from '../../../wire/http-server.ts';
import { refused } from './replies.ts';

/** What the venue's edge answers before the venue does: faults of any call, and of orders. */
export function gateReply(
  faults: FaultBoard,
  { method, path }: { readonly method: string; readonly path: string },
): Reply | null {
  if (faults.take('refused-silently', { path }) !== null) return { kind: 'cut' };
  if (faults.take('bad-gateway', { path }) !== null)
    return page(502, 'Bad gateway', 'error code: 502');
  if (faults.take('rate-limited-html', { path }) !== null)
    return page(429, 'Too Many Requests', 'error code: 1015');
  if (faults.take('rate-limited', { path }) !== null)
    return { ...refused(429, 'Too many requests'), headers: { 'retry-after': '1' } };
  const isWrite = path.startsWith('/orders') && method !== 'GET' && path !== '/orders/status/batch';
  if (isWrite && faults.isArmed('engine-restart', { path }))
    return refused(425, 'Matching engine is not ready');
  return null;
}

function page(status: number, title: string, text: string): Reply {
  const body = `<html><head><title>${title}</title></head><body>${text}</body></html>`;
  return { kind: 'html', status, body };
}
