import { noAnswer, Problem, problemOf } from './problem.ts';
import type { CallName, Input, Output } from './routes.ts';
import { session } from './session.ts';

/** A read without an answer is given up after this; a change may take as long as it takes. */
const READ_AT_MOST_MS = 30_000;
/** Calls without a session: those that lead to one. */
const PUBLIC = /^\/api\/(auth\/(otp|google|social|refresh)|time|client)/;

/**
 * What a renewed token mends; a wrong one-time code is a 401 too, and sent again would count twice.
 */
const SESSION_ENDED: ReadonlySet<string> = new Set([
  'unauthenticated',
  'token_expired',
  'token_invalid',
]);

/**
 * Calls the daemon by a name of its route table: `call('PUT /api/agents/:agent/settings', { params,
 * body })`. A wrong path, parameter or field does not compile. Errors: `Problem`; a session that
 * has ended is renewed once before.
 */
export async function call<Name extends CallName>(
  name: Name,
  input: Input<Name>,
  options: {
    /** Makes the call safe to repeat: the same key never makes a second order or payment. */
    readonly idempotencyKey?: string;
    readonly signal?: AbortSignal;
    readonly headers?: Readonly<Record<string, string>>;
  } = {},
): Promise<Output<Name>> {
  const { method, url, isPublic } = target(name, input);
  const { body, type } = sent('body' in input ? input.body : undefined);
  const signals = [
    ...(options.signal === undefined ? [] : [options.signal]),
    ...(method === 'GET' ? [AbortSignal.timeout(READ_AT_MOST_MS)] : []),
  ];
  const send = (token: string | null): Promise<Response> =>
    fetch(url, {
      method,
      ...(body === null ? {} : { body }),
      ...(signals.length === 0 ? {} : { signal: AbortSignal.any(signals) }),
      headers: {
        Accept: 'application/json',
        ...(body === null ? {} : { 'Content-Type': type }),
        ...(token === null ? {} : { Authorization: `Bearer ${token}` }),
        ...(options.idempotencyKey === undefined
          ? {}
          : { 'Idempotency-Key': options.idempotencyKey }),
        ...options.headers,
      },
    }).catch((cause: unknown) => {
      if (options.signal?.aborted === true) throw cause;
      throw noAnswer(cause);
    });
  const token = isPublic ? null : await session.accessToken();
  let response = await send(token);
  if (!response.ok) {
    const problem = await problemOf(response);
    if (isPublic || !SESSION_ENDED.has(problem.code)) throw problem;
    response = await send(await session.renewed(token));
    if (!response.ok) throw await problemOf(response);
  }
  // the route's own schema made the answer: its type is that of the table
  return (response.status === 204 ? null : await bodyOf(response)) as Output<Name>;
}

/** Bytes go as they are, anything else as JSON. */
function sent(body: unknown): {
  readonly body: string | Uint8Array<ArrayBuffer> | null;
  readonly type: string;
} {
  if (body instanceof Uint8Array)
    return { body: new Uint8Array(body), type: 'application/octet-stream' };
  return { body: body === undefined ? null : JSON.stringify(body), type: 'application/json' };
}

async function bodyOf(response: Response): Promise<unknown> {
  try {
    return await response.json();
  } catch (cause) {
    throw noAnswer(cause);
  }
}

function target(
  name: string,
  input: { readonly params?: unknown; readonly query?: unknown },
): { readonly method: string; readonly url: string; readonly isPublic: boolean } {
  const [method = 'GET', path = '/'] = name.split(' ');
  const params = new Map(Object.entries(input.params ?? {}));
  const filled = path.replace(/:(\w+)/g, (_all, key: string) => {
    const value: unknown = params.get(key);
    if (typeof value !== 'string') throw new Problem(missing(key));
    return encodeURIComponent(value);
  });
  const query = new URLSearchParams();
  for (const [key, value] of Object.entries(input.query ?? {}))
    if (value !== undefined && value !== null) query.set(key, String(value));
  const search = query.toString();
  return {
    method,
    url: search === '' ? filled : `${filled}?${search}`,
    isPublic: PUBLIC.test(path),
  };
}

function missing(key: string) {
  return {
    status: 400,
    code: 'invalid_request',
    title: 'Something is missing',
    message: `the call needs ${key}`,
  };
}
