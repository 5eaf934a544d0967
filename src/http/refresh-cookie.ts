import { AppError } from '../domain/errors.ts';
import type { CallContext } from './route.ts';

/** Where the refresh token of a browser lies: sent to the calls that need it, and to no other. */
const NAME = 'predictd_refresh';
const PATH = '/api/auth';

type Call = Pick<CallContext, 'header' | 'answerWith'>;

/**
 * Returns the refresh token of the browser's cookie; null where it sent none. Errors: `forbidden`
 * where the call does not come from a page of this very origin.
 */
export function refreshTokenIn(call: Call): string | null {
  assertOwnPage(call);
  return valueIn(call);
}

/**
 * Answers with the refresh token as a cookie that no script reads, until `expiresAtMs`. Errors:
 * `forbidden` where the call does not come from a page of this very origin.
 */
export function keepRefreshToken(
  call: Call & Pick<CallContext, 'wallNowMs'>,
  token: string,
  expiresAtMs: number,
): void {
  assertOwnPage(call);
  setCookie(call, token, Math.max(0, Math.floor((expiresAtMs - call.wallNowMs) / 1_000)));
}

/** Has the browser forget the cookie, where it sent one. */
export function forgetRefreshToken(call: Call): void {
  // without `Secure`, which over plain HTTP would leave it where it is; it holds nothing
  if (valueIn(call) !== null) call.answerWith('Set-Cookie', cookieOf('', 0));
}

/**
 * Checks that a page of this origin makes the call. What the browser itself says decides
 * (`Sec-Fetch-Site`, which no page can set); of one that does not say, `Origin` must name the host
 * the call came to. Errors: `forbidden`.
 */
export function assertOwnPage({ header }: Pick<Call, 'header'>): void {
  const site = header('sec-fetch-site');
  if (site === null ? isOwn(header('origin'), header('host')) : site === 'same-origin') return;
  throw new AppError(
    'forbidden',
    'the cookie of a session is for pages of this very origin; other callers send refreshToken in the body',
  );
}

function isOwn(origin: string | null, host: string | null): boolean {
  return origin !== null && host !== null && /^https?:\/\/(.+)$/.exec(origin)?.[1] === host;
}

function valueIn({ header }: Pick<Call, 'header'>): string | null {
  for (const pair of (header('cookie') ?? '').split(';')) {
    const [name, value] = pair.trim().split('=', 2);
    if (name === NAME && value !== undefined && value !== '') return value;
  }
  return null;
}

/**
 * Over plain HTTP browsers keep no secure cookie, but of this machine's own names; a page says by
 * its origin how it came.
 */
function setCookie({ header, answerWith }: Call, value: string, maximumSeconds: number): void {
  const isPlain = header('origin')?.startsWith('http://') ?? false;
  answerWith('Set-Cookie', `${cookieOf(value, maximumSeconds)}${isPlain ? '' : '; Secure'}`);
}

function cookieOf(value: string, maximumSeconds: number): string {
  return `${NAME}=${value}; Path=${PATH}; Max-Age=${maximumSeconds}; HttpOnly; SameSite=Strict`;
}
