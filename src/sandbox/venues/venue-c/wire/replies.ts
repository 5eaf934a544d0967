import type { Reply } from '../../../wire/http-server.ts';

/** Names of the statuses the venue answers, as its framework spells them. */
const NAMES: Readonly<Record<number, string>> = {
  400: 'Bad Request',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'Not Found',
  409: 'Conflict',
  422: 'Unprocessable Entity',
  425: 'Too Early',
};

/** An error with its sentence, in the venue's form (venue_c.md section 13). */
export function refused(statusCode: number, message: string): Extract<Reply, { kind: 'json' }> {
  return {
    kind: 'json',
    status: statusCode,
    body: { message, error: NAMES[statusCode] ?? 'Error', statusCode },
  };
}

/** 201 with a JSON body. */
export function created(body: unknown): Extract<Reply, { kind: 'json' }> {
  return { kind: 'json', status: 201, body };
}

/** A page as it was asked for: whole numbers from 1; null for anything else, or above `most`. */
export function pageOf(
  query: URLSearchParams,
  { usual, most }: { readonly usual: number; readonly most: number },
): { readonly page: number; readonly limit: number } | null {
  const page = wholeIn(query.get('page'), 1);
  const limit = wholeIn(query.get('limit'), usual);
  return page === null || limit === null || limit > most ? null : { page, limit };
}

function wholeIn(text: string | null, usual: number): number | null {
  if (text === null) return usual;
  return /^[1-9]\d{0,5}$/.test(text) ? Number(text) : null;
}

/** Decimal text of micros, as the venue's `…Formatted` members have it. */
export function formatted(micros: number): string {
  const sign = micros < 0 ? '-' : '';
  const whole = Math.abs(micros);
  return `${sign}${Math.floor(whole / 1_000_000)}.${String(whole % 1_000_000).padStart(6, '0')}`;
}
