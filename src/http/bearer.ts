import { AppError } from '../domain/errors.ts';

/** Longest token looked at: ours are about 400 characters. */
const TOKEN_MAXIMUM_CHARS = 2_048;

/**
 * Takes the token of `Authorization: Bearer <token>`. Errors: `unauthenticated` without one,
 * `token_invalid` when it cannot be one.
 */
export function bearerToken(headers: ReadonlyMap<string, string>): string {
  const header = headers.get('authorization');
  if (header === undefined)
    throw new AppError('unauthenticated', 'send "Authorization: Bearer <token>"');
  const token = tokenIn(header);
  if (token?.startsWith('pk_') === true) {
    throw new AppError(
      'token_invalid',
      'this is an API key, which is no token itself: a service of the operator trades it for a token of two minutes by POST /internal/api-keys/exchange, and that token goes here',
    );
  }
  if (token === undefined || token.length > TOKEN_MAXIMUM_CHARS)
    throw new AppError(
      'token_invalid',
      'the Authorization header must hold "Bearer" and one token',
    );
  return token;
}

/** Returns the token of an `Authorization` header; undefined where it holds no bearer token. */
export function tokenIn(header: string): string | undefined {
  return /^Bearer +([A-Za-z0-9._~+/=-]+)$/i.exec(header)?.[1];
}
