import { inCents, isOwnLimit, MOVED_WORDS, plainWords } from '../format/plain-words.ts';
import { PAGES } from '../routes.ts';

/** A fault of one field: a JSON pointer and a sentence. */
export interface FieldFault {
  readonly path: string;
  readonly message: string;
}

/**
 * A refusal of the daemon (RFC 9457), or the lack of an answer: status 0 with code `no_answer`.
 * Only a refusal with a status below 500 says that nothing was done by any press of the same call.
 */
export class Problem extends Error {
  readonly status: number;
  readonly code: string;
  readonly title: string;
  readonly requestId: string | null;
  readonly faults: readonly FieldFault[];
  /** Where to do what is missing; an absolute address or a path of this site. */
  readonly link: string | null;
  readonly retryAfterMs: number | null;

  constructor(
    parts: Pick<Problem, 'status' | 'code' | 'title' | 'message'> &
      Partial<Pick<Problem, 'requestId' | 'faults' | 'link' | 'retryAfterMs' | 'cause'>>,
  ) {
    super(parts.message, { cause: parts.cause });
    this.name = 'Problem';
    this.status = parts.status;
    this.code = parts.code;
    this.title = parts.title;
    this.requestId = parts.requestId ?? null;
    this.faults = parts.faults ?? [];
    this.link = parts.link ?? null;
    this.retryAfterMs = parts.retryAfterMs ?? null;
  }

  /** True where the call may have been carried out: ask again with the same Idempotency-Key. */
  get isOutcomeUnknown(): boolean {
    return this.status === 0 || this.status >= 500 || this.code === 'request_in_progress';
  }

  /**
   * What is to be said of a press whose outcome may be open: that no answer came only where none
   * did. A 503 of the daemon did nothing itself, but says nothing of a press before it. Null where
   * the refusal says all. `what` stays the same when it is asked for again: "transfer".
   */
  outcome(what: string): string | null {
    if (!this.isOutcomeUnknown || this.code === 'request_in_progress') return null;
    const again = `it stays the same ${what}.`;
    if (this.status === 0) return `No answer came. Press again to ask: ${again}`;
    return this.status === 503 && this.code !== 'unreadable_answer'
      ? `Nothing was done by this press. Press again later: ${again}`
      : `It is not known what became of it. Press again to ask: ${again}`;
  }

  /** The sentence for a field, by its name in the body or the query; null without a fault. */
  faultOf(field: string): string | null {
    const fault = this.faults.find(
      ({ path }) => path === `/${field}` || path === `/query/${field}`,
    );
    return fault?.message ?? null;
  }

  /** True where every fault is one of these fields, so that the form shows all there is. */
  isShownAt(fields: readonly string[]): boolean {
    return (
      this.link === null &&
      // a field may say how much there is at most, and not why
      (this.code !== 'insufficient_funds' || this.faults[0]?.message === this.message) &&
      this.faults.length > 0 &&
      this.faults.every(({ path }) =>
        fields.some((field) => path === `/${field}` || path === `/query/${field}`),
      )
    );
  }
}

/** A sentence without the JSON pointers of the faults in it. */
function withoutPaths(text: string, faults: readonly FieldFault[]): string {
  const prefixes = faults.flatMap(({ path }) =>
    path === '' ? ['body: '] : [`${path}: `, `${path.slice(1)}: `],
  );
  return text
    .split('; ')
    .map((part) => part.slice(prefixes.find((each) => part.startsWith(each))?.length ?? 0))
    .join('; ');
}

/** Reads a refusal. Its body may be anything: a proxy may have answered. */
export async function problemOf(response: Response): Promise<Problem> {
  const retryAfter = Number(response.headers.get('retry-after') ?? Number.NaN);
  const common = {
    status: response.status,
    requestId: response.headers.get('x-request-id'),
    ...(Number.isFinite(retryAfter) ? { retryAfterMs: retryAfter * 1_000 } : {}),
  };
  const body: unknown = await response.json().catch(() => null);
  if (!hasCode(body))
    return new Problem({
      ...common,
      code: 'unreadable_answer',
      title: 'The service answered without a reason',
      message: `The service answered ${response.status} without a reason.`,
    });
  const { code } = body;
  const faults = Array.isArray(body['errors'])
    ? body['errors'].filter(isFault).map(({ path, message }) => ({
        path,
        message: inCents(code, plainWords(null, message)),
      }))
    : [];
  const plain = (text: unknown, otherwise: string): string =>
    typeof text === 'string' ? plainWords(code, withoutPaths(text, faults)) : otherwise;
  const { price, worstPrice } = body;
  const moved = typeof price === 'string' && typeof worstPrice === 'string' ? MOVED_WORDS : null;
  return new Problem({
    ...common,
    code,
    title: moved ?? plain(body['title'], 'Refused'),
    message: moved ?? plain(body['detail'], 'The service refused the call.'),
    faults,
    link: linkOf(body),
  });
}

/** Where what is missing can be done: as the daemon says, or where a limit of one's own is set. */
function linkOf({ link, detail }: Readonly<Record<string, unknown>>): string | null {
  if (typeof link === 'string') return link;
  return typeof detail === 'string' && isOwnLimit(detail) ? PAGES.settings : null;
}

/** A call that no answer came to. */
export function noAnswer(cause: unknown): Problem {
  return new Problem({
    status: 0,
    code: 'no_answer',
    title: 'No answer came',
    message: 'The service did not answer. It may be restarting, or you may be offline.',
    cause,
  });
}

function hasCode(
  value: unknown,
): value is { readonly code: string } & Readonly<Record<string, unknown>> {
  return isRecord(value) && typeof value['code'] === 'string';
}

function isFault(value: unknown): value is FieldFault {
  return (
    isRecord(value) && typeof value['path'] === 'string' && typeof value['message'] === 'string'
  );
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
