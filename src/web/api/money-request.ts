import { Problem } from './problem.ts';

/**
 * A request that moves money, kept with its Idempotency-Key until a definite answer came (2xx, or
 * 4xx to the request itself): without one the same key and body go again, so that pressing twice
 * never makes two orders. Kept in the tab's storage, so that it outlives a reload.
 */
export interface PendingRequest {
  readonly key: string;
  /** The body as it was sent, as JSON text: a request that was edited is another one. */
  readonly body: string;
}

/** Refused before the request was looked at: says nothing of one before under the same key. */
const UNSEEN: ReadonlySet<number> = new Set([401, 429]);

const prefix = 'predictd.pending.';

/** Returns the request of a form that is still without an answer; null without one. */
export function pendingRequest(form: string): PendingRequest | null {
  const stored = sessionStorage.getItem(prefix + form);
  if (stored === null) return null;
  const [key = '', ...rest] = stored.split('\n');
  return { key, body: rest.join('\n') };
}

/** Forgets the request of a form under this key, since what became of it is known otherwise. */
export function forgetRequest(form: string, key: string): void {
  if (pendingRequest(form)?.key === key) sessionStorage.removeItem(prefix + form);
}

/**
 * Sends a request of a form under a key of its own: that of the same request before, where no
 * answer came to it, a new one else. `send` gets the key.
 */
export async function sendOnce<Answer>(
  form: string,
  body: unknown,
  send: (idempotencyKey: string) => Promise<Answer>,
): Promise<Answer> {
  const text = JSON.stringify(body);
  const before = pendingRequest(form);
  const key = before !== null && before.body === text ? before.key : crypto.randomUUID();
  sessionStorage.setItem(prefix + form, `${key}\n${text}`);
  try {
    const answer = await send(key);
    sessionStorage.removeItem(prefix + form);
    return answer;
  } catch (error) {
    if (error instanceof Problem && !error.isOutcomeUnknown && !UNSEEN.has(error.status))
      sessionStorage.removeItem(prefix + form);
    throw error;
  }
}
