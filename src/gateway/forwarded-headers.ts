import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { API } from '../../config/limits/api.ts';
import { AppError } from '../domain/errors.ts';
import { ASSERTION_HEADER, SLOT_HEADER } from '../http/redirect-headers.ts';

/** Of a connection alone (RFC 9110, section 7.6.1), or between gateways and shards. */
const OWN: ReadonlySet<string> = new Set([
  'connection',
  'content-length',
  'expect',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  ASSERTION_HEADER,
  SLOT_HEADER,
]);
const HANDSHAKE = /^sec-websocket-/;
export const FORWARDED_FOR = 'x-forwarded-for';

/** What every server of an owner reads in a name: uWebSockets.js waits for good at any other. */
const NAME = /^[A-Za-z0-9-]+$/;

/**
 * Returns what the owner is sent of a caller's headers, names and values in turns, the caller's
 * address behind those of earlier proxies. Errors: `headers_too_large`, `invalid_request`.
 */
export function headersOf({ rawHeaders, headers, socket }: IncomingMessage): readonly string[] {
  const named = namesIn(headers.connection);
  const kept: string[] = [];
  const addresses: string[] = [];
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) {
    const [name = '', value = ''] = rawHeaders.slice(at, at + 2);
    const small = name.toLowerCase();
    if (small === FORWARDED_FOR) addresses.push(value);
    else if (!OWN.has(small) && !named.has(small)) {
      if (!NAME.test(name))
        throw new AppError('invalid_request', 'the name of a header is letters, digits and -', {
          fields: [{ path: `/header/${name}`, message: 'a name of letters, digits and -' }],
        });
      kept.push(name, value);
    }
  }
  if (kept.length / 2 >= API.headersMaximum)
    throw new AppError('headers_too_large', `at most ${API.headersMaximum - 1} headers here`);
  return [...kept, FORWARDED_FOR, [...addresses, socket.remoteAddress ?? ''].join(', ')];
}

/** The same by name, without those that open a socket. */
export function headerValues(fields: readonly string[]): Record<string, string[]> {
  const values: Record<string, string[]> = {};
  for (let at = 0; at + 1 < fields.length; at += 2) {
    const [name = '', value = ''] = fields.slice(at, at + 2);
    if (!HANDSHAKE.test(name.toLowerCase())) (values[name.toLowerCase()] ??= []).push(value);
  }
  return values;
}

/** Returns what the caller is sent of the owner's headers; the length of a body stays as it is. */
export function shownHeaders(headers: IncomingHttpHeaders): Record<string, string | string[]> {
  const named = namesIn(headers.connection);
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      value === undefined || (name !== 'content-length' && OWN.has(name)) || named.has(name)
        ? []
        : [[name, value]],
    ),
  );
}

function namesIn(connection: string | undefined): ReadonlySet<string> {
  return new Set((connection ?? '').split(',').map((name) => name.trim().toLowerCase()));
}
