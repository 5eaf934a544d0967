import { AppError } from '../domain/errors.ts';

/** Most parameters of one call. */
const PARAMETERS_MAXIMUM = 32;

/**
 * Reads a query string; values stay text. Errors: `invalid_request` on a repeated name, bad escapes
 * or too many parameters.
 */
export function parseQuery(query: string): Readonly<Record<string, string>> {
  if (query === '') return {};
  const pairs = query.split('&').filter((pair) => pair !== '');
  if (pairs.length > PARAMETERS_MAXIMUM)
    throw fault('/query', `at most ${PARAMETERS_MAXIMUM} parameters`);
  const values = new Map<string, string>();
  for (const pair of pairs) {
    const cut = pair.indexOf('=');
    const name = decode(cut === -1 ? pair : pair.slice(0, cut));
    if (values.has(name)) throw fault(`/query/${name}`, 'given more than once');
    values.set(name, decode(cut === -1 ? '' : pair.slice(cut + 1)));
  }
  return Object.fromEntries(values);
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    throw fault('/query', 'not percent-encoded UTF-8');
  }
}

function fault(path: string, message: string): AppError {
  return new AppError('invalid_request', `${path}: ${message}`, { fields: [{ path, message }] });
}
