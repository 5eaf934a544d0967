import { AppError } from '../../domain/errors.ts';

/** Names that would pass for the service. */
const RESERVED = new Set(
  [
    'admin',
    'administrator',
    'root',
    'system',
    'support',
    'help',
    'security',
    'official',
    'moderator',
    'predictd',
    'api',
    'null',
    'undefined',
    'me',
  ].map(skeletonOf),
);

/** Names that every object of JavaScript has: a program that keys users by name breaks on them. */
const OF_EVERY_OBJECT: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype']);

/**
 * Reads a wanted username: NFKC, lower case, 3 to 20 characters of a–z, 0–9 and underscore, so
 * letters of other scripts that resemble Latin ones never pass. Errors: `invalid_request` with the
 * path, `username_taken` for reserved ones.
 */
export function parseUsername(text: string): string {
  const name = text.normalize('NFKC').toLowerCase();
  if (!/^[a-z0-9_]{3,20}$/.test(name) || !/[a-z]/.test(name)) {
    const message = '3 to 20 characters of a–z, 0–9 and underscore, at least one a letter';
    throw new AppError('invalid_request', `username: ${message}`, {
      fields: [{ path: '/username', message }],
    });
  }
  if (RESERVED.has(skeletonOf(name)) || OF_EVERY_OBJECT.has(name))
    throw new AppError('username_taken', 'this name is reserved', {
      fields: [{ path: '/username', message: 'reserved' }],
    });
  return name;
}

/**
 * What a name looks like at first sight: two names with one skeleton are the same to a reader
 * (Unicode UTS 39, within our letters).
 */
export function skeletonOf(name: string): string {
  return name
    .replaceAll('_', '')
    .replaceAll('rn', 'm')
    .replaceAll('vv', 'w')
    .replaceAll('cl', 'd')
    .replaceAll('0', 'o')
    .replaceAll(/[1i]/g, 'l')
    .replaceAll('5', 's')
    .replaceAll('2', 'z');
}
