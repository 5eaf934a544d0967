import { Pool } from 'undici';
import type { Person } from './users.ts';

/** What a caller ends up believing about one request. */
export type Reported =
  | { readonly kind: 'order'; readonly id: string; readonly state: string }
  | { readonly kind: 'refused'; readonly status: number; readonly code: string };

/** A caller of our own interface, who asks the same again until answered. */
export interface Caller {
  /** Places under a key; the same key and words however often the line breaks. */
  place(person: Person, key: string, body: object): Promise<Reported>;
  /** Takes an order back; settles when the service has answered for good. */
  cancel(person: Person, id: string): Promise<void>;
  read<Answer>(person: Person, path: string): Promise<Answer>;
  /** Calls that brought no answer, and answers that meant "later". */
  counts(): { readonly unanswered: number; readonly later: number };
  close(): Promise<void>;
}

/**
 * Longer than the service takes at its worst: a submission that is given up, and the first question
 * about it.
 */
const ANSWER_WITHIN_MS = 15_000;
const AGAIN_MS = { first: 100, maximum: 2_000 } as const;
const CONNECTIONS = 256;
/** Refusals that say "later" though they are no 429 and no 5xx. */
const LATER: ReadonlySet<string> = new Set([
  'market_fenced',
  'request_in_progress',
  'wallet_not_ready',
  'transfer_in_progress',
  'conflict',
]);

interface Heard {
  readonly status: number;
  readonly text: string;
  readonly retryAfterMs: number | null;
}

/**
 * Makes a caller of the service at this address; `refreshUrl` is where worn-out tokens are renewed.
 */
export function createCaller(apiUrl: string, refreshUrl: () => Promise<string>): Caller {
  const pool = new Pool(apiUrl, { connections: CONNECTIONS, pipelining: 1 });
  let unanswered = 0;
  let later = 0;

  async function send(
    person: Person,
    request: {
      readonly method: 'GET' | 'POST' | 'DELETE';
      readonly path: string;
      readonly key?: string;
      readonly body?: string;
    },
  ): Promise<Heard | null> {
    try {
      const { statusCode, headers, body } = await pool.request({
        method: request.method,
        path: request.path,
        body: request.body ?? null,
        signal: AbortSignal.timeout(ANSWER_WITHIN_MS),
        headers: {
          authorization: `Bearer ${person.token}`,
          'content-type': 'application/json',
          ...(request.key === undefined ? {} : { 'idempotency-key': request.key }),
        },
      });
      const text = await body.text();
      const after = headers['retry-after'];
      return {
        status: statusCode,
        text,
        retryAfterMs: typeof after === 'string' ? Number(after) * 1_000 : null,
      };
    } catch {
      // Whatever the line did: nothing is known, and the same question is asked again.
      return null;
    }
  }

  /** Asks until there is an answer that is not "later". */
  async function ask(person: Person, request: Parameters<typeof send>[1]): Promise<Heard> {
    for (let attempt = 0; ; attempt += 1) {
      const heard = await send(person, request);
      if (heard === null) unanswered += 1;
      else if (heard.status === 401) await renew(person, await refreshUrl());
      else if (
        heard.status < 500 &&
        heard.status !== 429 &&
        !(heard.status === 409 && LATER.has(codeOf(heard)))
      )
        return heard;
      else later += 1;
      await new Promise((resolve) =>
        setTimeout(
          resolve,
          heard?.retryAfterMs ?? Math.min(AGAIN_MS.first * 2 ** attempt, AGAIN_MS.maximum),
        ),
      );
    }
  }

  return {
    async place(person, key, body) {
      const heard = await ask(person, {
        method: 'POST',
        path: '/api/venue_a/order/',
        key,
        body: JSON.stringify(body),
      });
      if (heard.status >= 300)
        return { kind: 'refused', status: heard.status, code: codeOf(heard) };
      // the route's own answer
      const { id, state } = JSON.parse(heard.text) as { id: string; state: string };
      return { kind: 'order', id, state };
    },
    async cancel(person, id) {
      const heard = await ask(person, { method: 'DELETE', path: `/api/venue_a/order/${id}/` });
      if (heard.status >= 300 && codeOf(heard) !== 'order_not_cancellable')
        throw new Error(`a cancel answered ${heard.status}: ${heard.text}`);
    },
    async read(person, path) {
      const heard = await ask(person, { method: 'GET', path });
      if (heard.status >= 300)
        throw new Error(`GET ${path} answered ${heard.status}: ${heard.text}`);
      return JSON.parse(heard.text) as never; // the caller names the route's own answer
    },
    counts: () => ({ unanswered, later }),
    close: () => pool.destroy(),
  };
}

/** Gives a person new tokens; nothing changes where that is refused or not answered. */
export async function renew(person: Person, url: string): Promise<void> {
  const response = await fetch(`${url}/api/auth/refresh`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ refreshToken: person.refreshToken }),
  }).catch(() => null);
  if (response === null || !response.ok) return;
  const { accessToken, refreshToken } = (await response.json()) as {
    accessToken: string;
    refreshToken: string;
  }; // the route's own answer
  person.token = accessToken;
  person.refreshToken = refreshToken;
}

function codeOf({ text }: Heard): string {
  try {
    const problem: unknown = JSON.parse(text);
    return typeof problem === 'object' && problem !== null && 'code' in problem
      ? String(problem.code)
      : '';
  } catch {
    return '';
  }
}
