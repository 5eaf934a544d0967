import type { Clock } from '../ports/clock.ts';
import type { HttpResponse } from './listener/listener.ts';

/**
 * Whether the sender has left, and who wants to hear of it. The server keeps one abort handler a
 * response, so it is shared.
 */
export interface AbortState {
  isAborted: boolean;
  onAbort: (() => void) | null;
}

/**
 * Registers the one abort handler of a response. After an abort the response must not be touched:
 * it throws.
 */
export function watchAbort(response: HttpResponse): AbortState {
  const state: AbortState = { isAborted: false, onAbort: null };
  response.onAborted(() => {
    state.isAborted = true;
    state.onAbort?.();
  });
  return state;
}

/** Has what still comes of a body dropped, where its call was answered without it. */
export function dropBody(state: AbortState): void {
  state.isAborted = true;
  state.onAbort?.();
}

/** How long a body says it is, how long it may be, and how long all of it may take. */
export interface BodyBounds {
  readonly contentLength: number | null;
  readonly maximumBytes: number;
  readonly maximumMs: number;
  readonly clock: Pick<Clock, 'after'>;
}

/**
 * Collects a request body, copying each chunk: the server reuses its memory. Gives null when the
 * body is over `maximumBytes`, or the sender left (`state.isAborted` tells which); one that is not
 * whole in time has its connection cut. Must be called before the handler returns to the server.
 */
export function readBody(
  response: HttpResponse,
  { contentLength, maximumBytes, maximumMs, clock }: BodyBounds,
  state: AbortState,
): Promise<Uint8Array | null> {
  if (contentLength === null || contentLength === 0) return Promise.resolve(new Uint8Array(0));
  if (contentLength > maximumBytes) return Promise.resolve(null);
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let received = 0;
    const late = clock.after(maximumMs, () => void response.close());
    const settle = (body: Uint8Array | null): void => {
      late.cancel();
      resolve(body);
    };
    response.onData((chunk, isLast) => {
      received += chunk.byteLength;
      if (state.isAborted || received > maximumBytes) {
        settle(null);
        return;
      }
      chunks.push(Buffer.from(Buffer.from(chunk)));
      if (isLast) settle(Buffer.concat(chunks));
    });
    state.onAbort = () => settle(null);
  });
}
