import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { guardRequest, hasControlCharacter } from '../../src/http/guard.ts';
import { MARKET_ID } from './samples.ts';
import { rawExchange } from './api.ts';
import { serverUnderTest } from './server-under-test.ts';
import { useApi } from './use-api.ts';

const api = await useApi();

const SMUGGLED = 'GET /readyz HTTP/1.1\r\nHost: a\r\n\r\n';

describe('the guard in front of every route', () => {
  it.each([
    [
      'a transfer encoding beside a length',
      `POST /healthz HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n${SMUGGLED}`,
    ],
    [
      'a transfer encoding',
      `POST /healthz HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n${SMUGGLED}`,
    ],
    [
      'a disguised transfer encoding',
      `POST /healthz HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: xchunked\r\nContent-Length: 0\r\n\r\n${SMUGGLED}`,
    ],
    [
      'two lengths',
      `POST /healthz HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\nContent-Length: ${SMUGGLED.length}\r\n\r\n${SMUGGLED}`,
    ],
    [
      'a length that is no number',
      `POST /healthz HTTP/1.1\r\nHost: a\r\nContent-Length: +0\r\n\r\n${SMUGGLED}`,
    ],
    [
      'a length of a hex number',
      `POST /healthz HTTP/1.1\r\nHost: a\r\nContent-Length: 0x5\r\n\r\n${SMUGGLED}`,
    ],
    [
      'a length without end',
      `POST /healthz HTTP/1.1\r\nHost: a\r\nContent-Length: 99999999999999999999\r\n\r\n${SMUGGLED}`,
    ],
    ['two hosts', `GET /healthz HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n${SMUGGLED}`],
    ['no host', `GET /healthz HTTP/1.1\r\nX-A: 1\r\n\r\n${SMUGGLED}`],
    ['an unknown method', `TRACE /healthz HTTP/1.1\r\nHost: a\r\n\r\n${SMUGGLED}`],
    ['a method in lower case', `get /healthz HTTP/1.1\r\nHost: a\r\n\r\n${SMUGGLED}`],
    [
      'a control character in a header',
      `GET /healthz HTTP/1.1\r\nHost: a\r\nX-A: \x7f\r\n\r\n${SMUGGLED}`,
    ],
    [
      'a socket upgrade with two hosts',
      `GET /ws HTTP/1.1\r\nHost: a\r\nHost: b\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n${SMUGGLED}`,
    ],
  ])('cuts the connection, without running what follows, on %s', async (_what, bytes) => {
    const { text } = await rawExchange(api.server.port, [bytes]);
    expect(text).not.toMatch(/HTTP\/1\.1 (2|101)/);
    expect(text).not.toContain('checks');
  });

  it.each([
    [
      'a body in chunks',
      411,
      'length_required',
      'POST /healthz HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n',
    ],
    [
      'a head of more than 16 KiB',
      431,
      'headers_too_large',
      `GET /healthz HTTP/1.1\r\nHost: a\r\nX-A: ${'a'.repeat(17_000)}\r\n\r\n`,
    ],
    [
      'two lengths',
      400,
      'invalid_request',
      'POST /healthz HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\nContent-Length: 0\r\n\r\n',
    ],
    ['two hosts', 400, 'invalid_request', 'GET /healthz HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n'],
    ['an unknown method', 405, 'method_not_allowed', 'TRACE /healthz HTTP/1.1\r\nHost: a\r\n\r\n'],
    [
      'a control character',
      400,
      'invalid_request',
      'GET /healthz HTTP/1.1\r\nHost: a\r\nX-A: \x7f\r\n\r\n',
    ],
    [
      'a socket upgrade with two hosts',
      400,
      'invalid_request',
      'GET /ws HTTP/1.1\r\nHost: a\r\nHost: b\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n',
    ],
  ])(
    'says why before it closes the connection, where nothing follows %s',
    async (_what, status, code, bytes) => {
      const { text, answers } = await rawExchange(api.server.port, [bytes]);
      const [head = '', body = ''] = text.split('\r\n\r\n');
      expect([answers, head.split(' ')[1], JSON.parse(body).code]).toEqual([
        1,
        String(status),
        code,
      ]);
      expect(head).toMatch(/^connection: close$/im);
      expect(head).toMatch(/^content-type: application\/problem\+json$/im);
    },
  );

  it.each([
    'Authorization',
    'Content-Type',
    'Idempotency-Key',
    'Origin',
    'User-Agent',
    'X-Internal-Secret',
    'X-Challenge-Id',
    'X-One-Time-Code',
  ])('takes %s once, and names it where it comes twice', async (name) => {
    const { text } = await rawExchange(api.server.port, [
      `GET /healthz HTTP/1.1\r\nHost: a\r\n${name}: a\r\n${name}: b\r\nConnection: close\r\n\r\n`,
    ]);
    expect(text).toMatch(/^HTTP\/1\.1 400 /);
    expect(text).toContain(`"errors":[{"path":"/header/${name.toLowerCase()}"`);
  });

  it.each(['Accept', 'Prefer', 'X-Forwarded-For'])('takes %s in several lines', async (name) => {
    const { text } = await rawExchange(api.server.port, [
      `GET /healthz HTTP/1.1\r\nHost: a\r\n${name}: a\r\n${name}: b\r\nConnection: close\r\n\r\n`,
    ]);
    expect(text).toMatch(/^HTTP\/1\.1 200 /);
  });

  it('opens no socket for two tokens', async () => {
    const { text } = await rawExchange(api.server.port, [
      'GET /ws HTTP/1.1\r\nHost: a\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nAuthorization: Bearer a\r\nAuthorization: Bearer b\r\n\r\n',
    ]);
    expect(text).toMatch(/^HTTP\/1\.1 400 /);
    expect(text).toContain('"path":"/header/authorization"');
  });

  it('moves no money under two keys that would read as one', async () => {
    const { token } = await api.signIn();
    const body = JSON.stringify({
      marketId: MARKET_ID,
      side: 'yes',
      amount: 5,
      orderType: 'limit',
      price: '0.47',
    });
    const before = api.placed.length;
    const { text } = await rawExchange(api.server.port, [
      `POST /api/venue_a/order/ HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${token}\r\nContent-Type: application/json\r\nIdempotency-Key: h1\r\nIdempotency-Key: h2\r\nConnection: close\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
    ]);
    expect(text).toContain('"path":"/header/idempotency-key"');
    expect(api.placed.length).toBe(before);
  });

  // the table of src/http/README.md, "Requests that are refused before they are read": what the
  // server of Node answers; uWebSockets.js ends all of these connections without a word
  const UNANSWERED: readonly (readonly [what: string, status: number, bytes: string])[] = [
    ['an unknown method', 400, `BREW /healthz HTTP/1.1\r\nHost: a\r\n\r\n`],
    ['a method of another protocol', 405, `PROPFIND /healthz HTTP/1.1\r\nHost: a\r\n\r\n`],
    ['a method in small letters', 400, `get /healthz HTTP/1.1\r\nHost: a\r\n\r\n`],
    ['words for a length', 400, `POST /healthz HTTP/1.1\r\nHost: a\r\nContent-Length: abc\r\n\r\n`],
    ['a length below zero', 400, `POST /healthz HTTP/1.1\r\nHost: a\r\nContent-Length: -1\r\n\r\n`],
    ['headers without a host', 400, `GET /healthz HTTP/1.1\r\nX-A: 1\r\n\r\n`],
    ['no headers', 400, `GET /healthz HTTP/1.1\r\n\r\n`],
    ['an absolute target', 400, `GET http://a/healthz HTTP/1.1\r\nHost: a\r\n\r\n`],
    ['the target *', 400, `OPTIONS * HTTP/1.1\r\nHost: a\r\n\r\n`],
    ['a control character', 400, `GET /healthz HTTP/1.1\r\nHost: a\r\nX-A: \x01\r\n\r\n`],
    ['bare LF lines', 400, `GET /healthz HTTP/1.1\nHost: a\n\n`],
    ['HTTP/2.0', 400, `GET /healthz HTTP/2.0\r\nHost: a\r\n\r\n`],
    ['HTTP/1.0', 200, `GET /healthz HTTP/1.0\r\nHost: a\r\n\r\n`],
    [
      'a header named with _',
      200,
      `GET /healthz HTTP/1.1\r\nHost: a\r\nX_A: 1\r\nConnection: close\r\n\r\n`,
    ],
  ];
  it('says what the server can of what it reads by itself, and ends the connection', async () => {
    const reported = await Promise.all(
      UNANSWERED.map(async ([what, , bytes]) => {
        const { text } = await rawExchange(api.server.port, [bytes]);
        return [what, text.slice(0, 'HTTP/1.1 200'.length)];
      }),
    );
    expect(reported).toEqual(
      UNANSWERED.map(([what, status]) => [
        what,
        serverUnderTest() === 'node' ? `HTTP/1.1 ${status}` : '',
      ]),
    );
  });

  it('has these requests in the README as closed without an answer', () => {
    const readme = readFileSync(new URL('../../src/http/README.md', import.meta.url), 'utf8');
    const closed = readme
      .split('\n')
      .filter((line) => /\| closed (at once|within 12 s) \|$/.test(line));
    const named = ['BREW', 'PROPFIND', 'get', 'abc', '-1', 'Host', 'OPTIONS *', '_'];
    expect(named.filter((name) => !closed.some((line) => line.includes(`\`${name}\``)))).toEqual(
      [],
    );
  });

  it.each(['TRACE', 'CONNECT'])('answers the method %s, as the table says', async (method) => {
    const { text } = await rawExchange(api.server.port, [
      `${method} /healthz HTTP/1.1\r\nHost: a\r\n\r\n`,
    ]);
    expect(text).toMatch(/^HTTP\/1\.1 405 /);
  });

  it('answers an empty length, as the table says', async () => {
    const { text } = await rawExchange(api.server.port, [
      'POST /healthz HTTP/1.1\r\nHost: a\r\nContent-Length:\r\n\r\n',
    ]);
    expect(text).toMatch(/^HTTP\/1\.1 400 /);
  });

  it('stays up after all of that', async () => {
    expect((await api.request('GET', '/healthz')).body).toEqual({
      status: 'ok',
      version: '0.1.0',
      profile: 'test',
    });
  });

  it.each([
    [
      'too_many_headers',
      Array.from({ length: 48 }, (_unused, index): [string, string] => [`x-${index}`, '1']),
    ],
    ['headers_too_large', [['x-a', 'a'.repeat(16_384)] as [string, string]]],
  ])('answers %s where the server itself would take them', (refusal, headers) => {
    const request = {
      forEach: (each: (name: string, value: string) => void) =>
        [['host', 'a'] as [string, string], ...headers].forEach(([name, value]) =>
          each(name, value),
        ),
      getCaseSensitiveMethod: () => 'GET',
      getMethod: () => 'get',
      getUrl: () => '/',
      getQuery: () => '',
      getHeader: () => '',
      getParameter: () => '',
      setYield: () => request,
    };
    expect(guardRequest(request)).toBe(refusal);
  });

  it('tells control characters from the tab and from text', () => {
    expect(
      ['a\tb', 'é', 'a\r\nSet-Cookie: x', 'a\u0000', '\u007f'].map(hasControlCharacter),
    ).toEqual([false, false, true, true, true]);
  });
});
