import { chanceOf, mangle, type Chance } from './chance.ts';
import type { Finding, Target } from './finding.ts';
import { rawExchange } from './raw-exchange.ts';

/** A request as bytes, and what may come of it. */
interface RawCase {
  readonly bytes: Buffer;
  /**
   * True when it is not certain where the request ends: whoever takes it may not answer what
   * follows.
   */
  readonly isAmbiguous: boolean;
}

/** Path of the request that follows each case; an answer names it. */
const FOLLOWING = '/follows-the-fuzzed-one';
/**
 * Statuses the server's own parser may answer broken requests with (RFC 9110): it answers before
 * ours sees them.
 */
const OF_THE_PARSER: ReadonlySet<number> = new Set([400, 431, 505]);
const FINE: ReadonlySet<number> = new Set([
  100, 101, 200, 204, 400, 401, 403, 404, 405, 411, 413, 415, 422, 426, 429, 503,
]);
/** Quiet after which a connection is taken to wait for more of a request that will not come. */
const QUIET_MS = 120;

/** Raw bytes against the HTTP parser and the guard behind it. */
export function rawRequests(port: number): Target {
  return {
    name: 'requests',
    async live(seed, number) {
      const chance = chanceOf(seed, 'requests', number);
      const { bytes, isAmbiguous } = rawCase(chance);
      const following = Buffer.from(`GET ${FOLLOWING} HTTP/1.1\r\nHost: a\r\n\r\n`);
      const { text, isHung } = await exchange(
        port,
        chunksOf(chance, Buffer.concat([bytes, following])),
      );
      const statuses = [...text.matchAll(/HTTP\/1\.1 (\d{3})/g)].map((match) => Number(match[1]));
      const shown = `for ${JSON.stringify(bytes.toString('latin1').slice(0, 2_000))}`;
      if (isHung) return `the connection hung ${shown}`;
      if (isAmbiguous && text.includes(FOLLOWING))
        return `the request behind an ambiguous one was answered ${shown}`;
      const strange = statuses.find((status) => !FINE.has(status) && !OF_THE_PARSER.has(status));
      return strange === undefined ? health(port) : `answered ${strange} ${shown}`;
    },
    end: () => health(port),
  };
}

async function health(port: number): Promise<Finding> {
  const { text } = await exchange(
    port,
    [Buffer.from('GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n')],
    /"status":"ok"/,
  );
  return text.includes('"status":"ok"')
    ? null
    : `the service no longer answers: ${text.slice(0, 300)}`;
}

/** Sends chunks and hears until the end, the following request's answer, or a silence. */
async function exchange(
  port: number,
  chunks: readonly Buffer[],
  until: RegExp = new RegExp(FOLLOWING),
): Promise<{ readonly text: string; readonly isHung: boolean }> {
  const { bytes, isHung } = await rawExchange(port, { chunks, until, quietMs: QUIET_MS });
  return { text: bytes.toString('latin1'), isHung };
}

function chunksOf(chance: Chance, bytes: Buffer): readonly Buffer[] {
  if (chance.often(50)) return [bytes];
  const chunks: Buffer[] = [];
  let at = 0;
  while (at < bytes.length && chunks.length < 40) {
    const length = 1 + chance.below(chance.often(30) ? 3 : 200);
    chunks.push(bytes.subarray(at, at + length));
    at += length;
  }
  return [...chunks, bytes.subarray(at)].filter(({ length }) => length > 0);
}

function rawCase(chance: Chance): RawCase {
  if (chance.often(25)) return { bytes: mangle(chance, requestOf(chance, {})), isAmbiguous: false };
  const [isAmbiguous, change] = chance.pick(CHANGES);
  return { bytes: requestOf(chance, change(chance)), isAmbiguous };
}

/** Parts of a request; each may be as wrong as it likes. */
interface Parts {
  readonly method?: string;
  readonly target?: string;
  readonly version?: string;
  readonly headers?: readonly string[];
  readonly body?: string;
  /** Absent: the length of the body. */
  readonly length?: string | null;
  readonly host?: string | null;
  readonly newline?: string;
}

function requestOf(chance: Chance, parts: Parts): Buffer {
  const body = parts.body ?? (chance.often(40) ? '{"phone":"+14155550100"}' : '');
  const method =
    parts.method ??
    (body === ''
      ? chance.pick(['GET', 'HEAD', 'OPTIONS', 'DELETE'])
      : chance.pick(['POST', 'PUT']));
  const target =
    parts.target ??
    chance.pick([
      '/healthz',
      '/api/auth/otp/request',
      '/api/venue_a/order/',
      '/api/agents/btc_5min/settings',
      '/ws',
      '/openapi.json',
      '/nowhere',
    ]);
  const length =
    parts.length === undefined
      ? body === ''
        ? null
        : `Content-Length: ${Buffer.byteLength(body, 'latin1')}`
      : parts.length;
  const host = parts.host === undefined ? 'Host: a' : parts.host;
  const lines = [
    `${method} ${target} ${parts.version ?? 'HTTP/1.1'}`,
    ...[host, length].filter((line) => line !== null),
    ...(parts.headers ?? []),
  ];
  return Buffer.from(
    `${lines.join(parts.newline ?? '\r\n')}${parts.newline ?? '\r\n'}${parts.newline ?? '\r\n'}${body}`,
    'latin1',
  );
}

const JSON_TYPE = 'Content-Type: application/json';

/** Ways a request is wrong; true where no reader can know for certain where it ends. */
const CHANGES: readonly (readonly [isAmbiguous: boolean, change: (chance: Chance) => Parts])[] = [
  [
    true,
    (chance) => ({
      body: `${chance.pick(['0', '5', '0;x=y', 'ffffffffffffffff', '-1', '0x5', ' 5', '5\n'])}\r\nhello\r\n0\r\n\r\n`,
      length: chance.pick([null, 'Content-Length: 5', 'Content-Length: 0']),
      headers: [
        `Transfer-Encoding: ${chance.pick(['chunked', 'Chunked', 'chunked, identity', 'identity', 'xchunked', 'chunked\t', '\tchunked', 'gzip, chunked', '"chunked"'])}`,
      ],
      method: 'POST',
    }),
  ],
  [
    true,
    (chance) => ({
      method: 'POST',
      body: 'hello',
      length: `Content-Length: ${chance.pick(['+5', '-5', '0x5', '5,5', '5 5', '5e0', '5.0', '٥', '99999999999999999999', '18446744073709551621', '5_0', 'five', ''])}`,
    }),
  ],
  [
    true,
    (chance) => ({
      method: 'POST',
      body: 'hello',
      headers: [
        `${chance.pick(['Content-Length', 'content-length', 'CONTENT-LENGTH'])}: ${chance.pick(['0', '5', '6', '50'])}`,
      ],
    }),
  ],
  [
    true,
    (chance) => ({ method: 'GET', headers: [chance.pick(['Host: b', 'host: a', 'HOST: c'])] }),
  ],
  [true, () => ({ method: 'GET', host: null })],
  [
    true,
    (chance) => ({
      method: chance.pick([
        'get',
        'Get',
        'TRACE',
        'CONNECT',
        'PRI',
        'GETT',
        'G',
        'M-SEARCH',
        'PROPFIND',
        'A'.repeat(300),
      ]),
      target: '/healthz',
      body: '',
    }),
  ],
  [
    true,
    (chance) => ({
      method: 'GET',
      headers: Array.from({ length: 49 + chance.below(80) }, (_, index) => `X-${index}: ${index}`),
    }),
  ],
  [
    true,
    (chance) => ({
      method: 'GET',
      headers: [`X-Big: ${'x'.repeat(17_000 + chance.below(60_000))}`],
    }),
  ],
  [
    true,
    (chance) => ({
      method: 'GET',
      headers: [`X-Control: a${String.fromCharCode(chance.pick([1, 7, 8, 11, 12, 27, 127]))}b`],
    }),
  ],
  [false, (chance) => ({ newline: chance.pick(['\n', '\r', '\r\r\n', '\n\r', '\r\n ']) })],
  [
    false,
    (chance) => ({
      version: chance.pick([
        'HTTP/1.0',
        'HTTP/0.9',
        'HTTP/2.0',
        'HTTP/1.2',
        'HTTP/1.1 ',
        'http/1.1',
        'HTTP/1.1\t',
        'HTTP/11',
        'HTTP',
        '',
        'ICY',
      ]),
    }),
  ],
  [
    false,
    (chance) => ({
      target: chance.pick([
        '*',
        '',
        ' ',
        '//',
        '/..',
        '/../../etc/passwd',
        '/%2e%2e/%2e%2e/etc/passwd',
        '/api/%',
        '/api/%zz',
        '/api/%ff%fe',
        '/api/%c0%80',
        '/api/%00',
        '/api/agents/%ed%a0%80/settings',
        '/\xff\xfe',
        '/\0',
        '/a b',
        'http://a/healthz',
        'http://evil/healthz',
        'healthz',
        '/healthz#x',
        '/healthz?%',
        '/healthz?a=%ff',
        `/${'a'.repeat(20_000)}`,
        `/healthz?${'a=1&'.repeat(2_000)}`,
        '/ws/..',
        '/api//venue_a/order',
        '/api/venue_a/order;x',
        '/%61%70%69/user/profile',
      ]),
    }),
  ],
  [
    false,
    (chance) => ({
      headers: [
        chance.pick([
          ' : x',
          ':',
          ': ',
          'NoColon',
          ' Folded: x',
          'X : y',
          'X\t: y',
          'Bad\0Name: x',
          'X-Null: a\0b',
          'X-High: \xff\xfe',
          'X: a\rb',
          'X: a\nInjected: y',
          'Authorization: Bearer \xff',
          `Authorization: Bearer ${'a'.repeat(10_000)}`,
          'Connection: close',
          'Connection: upgrade',
          'Expect: 100-continue',
          'Upgrade: h2c',
          'HTTP2-Settings: AAMAAABkAAQAAP__',
          'X-Forwarded-For: 127.0.0.1',
          'X-Internal-Secret: ',
          'Cookie: a=b',
        ]),
      ],
    }),
  ],
  [
    false,
    (chance) => ({
      target: '/ws',
      method: chance.pick(['GET', 'POST']),
      body: '',
      headers: [
        'Connection: Upgrade',
        'Upgrade: websocket',
        `Sec-WebSocket-Version: ${chance.pick(['13', '8', '99', 'x'])}`,
        `Sec-WebSocket-Key: ${chance.pick(['dGhlIHNhbXBsZSBub25jZQ==', '', 'x', 'A'.repeat(500), '\xff'])}`,
        ...(chance.often(40)
          ? ['Sec-WebSocket-Extensions: permessage-deflate; client_max_window_bits=99']
          : []),
        ...(chance.often(30) ? ['Sec-WebSocket-Protocol: a, \x7f'] : []),
      ],
    }),
  ],
  [
    false,
    (chance) => ({
      method: 'POST',
      target: '/api/auth/otp/request',
      headers: [JSON_TYPE],
      body: chance.pick([
        '{',
        '[',
        '"',
        '{"phone":',
        '{"phone":1e400}',
        '{"phone":"\\ud800"}',
        '{"phone":"\xff"}',
        '{"phone":"\0"}',
        '{"phone":NaN}',
        '{"phone":"a","phone":"b"}',
        '{"__proto__":{"phone":"x"}}',
        '{"constructor":1}',
        `${'['.repeat(30_000)}`,
        `${'{"a":'.repeat(10_000)}1${'}'.repeat(10_000)}`,
        `{"phone":"${'9'.repeat(65_000)}"}`,
        '\xef\xbb\xbf{}',
        'null',
        '1',
        '""',
        'true',
        '{}{}',
        ' '.repeat(60_000),
      ]),
    }),
  ],
  [
    false,
    (chance) => ({
      method: 'POST',
      target: '/api/auth/otp/request',
      headers: [JSON_TYPE],
      body: `{"phone":"${'1'.repeat(65_536 + chance.below(200_000))}"}`,
    }),
  ],
  [
    false,
    (chance) => ({
      method: 'POST',
      body: 'hello',
      length: `Content-Length: ${6 + chance.below(5_000)}`,
    }),
  ],
  [false, (chance) => ({ method: 'GET', body: 'x'.repeat(chance.below(5_000)) })],
  [
    false,
    (chance) => ({
      method: 'POST',
      body: '{}',
      headers: [
        `Content-Type: ${chance.pick(['application/json; charset=utf-16', 'application/xml', 'multipart/form-data; boundary=x', 'application/json\0', '', 'APPLICATION/JSON', 'application/json;;;', `application/json; ${'x'.repeat(5_000)}`, `application/json${' '.repeat(10_000)}x`])}`,
      ],
    }),
  ],
];
