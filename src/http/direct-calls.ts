import type { JsonValue } from '../domain/json-value.ts';
import { dispatch, type DispatchDeps } from './dispatch.ts';
import type { Method } from './guard.ts';
import type { Answer } from './respond.ts';
import type { RouteMatch } from './router.ts';

/** A call of a route from within the process. */
interface DirectCall {
  readonly method: Method;
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  readonly body: JsonValue | undefined;
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string>>;
  /** What the caller is counted by where no token says who it is. */
  readonly address: string;
  readonly requestId: string;
}

/**
 * Calls routes as callers outside do, with everything that is checked of them, but without a
 * socket. Never rejects.
 */
export type DirectCalls = (call: DirectCall) => Promise<Answer>;

/** Makes direct calls over the dispatch of all calls. */
export function createDirectCalls(
  deps: DispatchDeps,
  findRows: (path: string) => RouteMatch | null,
): DirectCalls {
  return async ({ method, path, query, body, headers, address, requestId }) => {
    const sent = body === undefined ? new Uint8Array(0) : Buffer.from(JSON.stringify(body));
    const { answer } = await dispatch(deps, {
      head: {
        method,
        path,
        query: new URLSearchParams(query).toString(),
        headers: new Map([
          ...Object.entries(headers),
          ...(body === undefined ? [] : [['content-type', 'application/json'] as const]),
        ]),
        repeated: null,
        contentLength: sent.byteLength,
      },
      match: findRows(path),
      body: sent,
      address,
      isLocal: () => false,
      isInternal: true,
      requestId,
    });
    return answer;
  };
}
