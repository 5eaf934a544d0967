import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { COMPRESSION } from '../../config/limits/compression.ts';
import { routeTable } from '../../src/app/route-table.ts';
import { createCompression, isCompressible } from '../../src/http/compression.ts';
import type { RequestHead } from '../../src/http/guard.ts';
import type { Answer } from '../../src/http/respond.ts';
import { ask } from '../security/ask.ts';
import { useApi } from './use-api.ts';

const routeAt = (path: string) => routeTable.find((each) => each.path === path) ?? null;
const MARKETS = routeAt('/api/venue_a/markets/');
const DOCUMENT = routeAt('/openapi.json');
const TEXT = JSON.stringify(Array.from({ length: 500 }, (_, index) => ({ market: index })));
const ok = (body: string): Answer => ({ status: 200, headers: { 'X-Request-Id': 'r' }, body });

function head(headers: Readonly<Record<string, string>>): RequestHead {
  return {
    method: 'GET',
    path: '/',
    query: '',
    headers: new Map(Object.entries(headers)),
    repeated: null,
    contentLength: null,
  };
}

describe('an answer', () => {
  it.each([
    ['br', (bytes: Uint8Array) => brotliDecompressSync(bytes)],
    ['gzip', (bytes: Uint8Array) => gunzipSync(bytes)],
  ])('of a list or a document is compressed by %s where it is taken', async (coding, undo) => {
    const compression = createCompression();
    for (const route of [MARKETS, DOCUMENT]) {
      const { headers, body } = await compression.apply(
        head({ 'accept-encoding': coding }),
        route,
        ok(TEXT),
      );
      expect([headers['Content-Encoding'], headers['Vary'], headers['X-Request-Id']]).toEqual([
        coding,
        'Accept-Encoding',
        'r',
      ]);
      expect(undo(Buffer.from(body ?? '')).toString()).toBe(TEXT);
    }
  });

  it('has one tag in every coding, and another for other content', async () => {
    const compression = createCompression();
    const tag = async (body: string, coding: string) =>
      (await compression.apply(head({ 'accept-encoding': coding }), MARKETS, ok(body))).headers[
        'ETag'
      ];
    const [plain, gzip, br, other] = [
      await tag(TEXT, 'identity'),
      await tag(TEXT, 'gzip'),
      await tag(TEXT, 'br'),
      await tag(`${TEXT} `, 'br'),
    ];
    expect([gzip, br, other === plain]).toEqual([plain, plain, false]);
  });

  it('is not sent again to who has it', async () => {
    const compression = createCompression();
    const { headers } = await compression.apply(head({}), MARKETS, ok(TEXT));
    const again = (tags: string) =>
      compression.apply(head({ 'if-none-match': tags }), MARKETS, ok(TEXT));
    const tag = headers['ETag'] ?? '';
    const answers = [
      await again(tag),
      await again(`"x", ${tag.replace('W/', '')}`),
      await again('*'),
      await again('W/"x"'),
    ];
    expect(answers.map(({ status, body }) => [status, body === null])).toEqual([
      [304, true],
      [304, true],
      [304, true],
      [200, false],
    ]);
  });

  it('goes out as it is while others are compressed, below the least size, and of a refusal', async () => {
    const compression = createCompression();
    const taken = head({ 'accept-encoding': 'br' });
    const many = await Promise.all(
      Array.from({ length: COMPRESSION.atATimeMaximum + 1 }, () =>
        compression.apply(taken, MARKETS, ok(TEXT)),
      ),
    );
    const small = ok('{}');
    const refusal = { ...ok(TEXT), status: 404 };
    expect(many.map(({ headers }) => headers['Content-Encoding'])).toEqual(['br', 'br', undefined]);
    expect([
      await compression.apply(taken, MARKETS, small),
      await compression.apply(taken, MARKETS, refusal),
    ]).toEqual([small, refusal]);
  });

  it('that may hold a secret is never compressed', () => {
    const names = routeTable
      .filter((route) => !isCompressible(route))
      .map(({ method, path }) => `${method} ${path}`);
    expect(names).toEqual(
      expect.arrayContaining([
        'GET /api/web3/export-private-key',
        'POST /api/auth/refresh',
        'POST /api/auth/otp/verify',
        'POST /api/user/keys/',
      ]),
    );
    expect(routeTable.filter((route) => route.method !== 'GET' && isCompressible(route))).toEqual(
      [],
    );
  });
});

describe('the API', () => {
  const starting = useApi();

  it('sends its document compressed, its length of HEAD too, and 304 to who has it', async () => {
    const { port } = (await starting).server;
    const at = (method: string, headers: Readonly<Record<string, string>>) =>
      ask({ port, method, path: '/openapi.json', headers });
    const [plain, br, ofHead] = [
      await at('GET', {}),
      await at('GET', { 'accept-encoding': 'gzip, br' }),
      await at('HEAD', { 'accept-encoding': 'gzip, br' }),
    ];
    const again = await at('GET', { 'if-none-match': String(br.headers['etag']) });
    expect([
      plain.headers['content-encoding'],
      br.headers['content-encoding'],
      ofHead.headers['content-length'],
      again.status,
      again.text,
    ]).toEqual([undefined, 'br', br.headers['content-length'], 304, '']);
    expect(Number(br.headers['content-length'])).toBeLessThan(
      Number(plain.headers['content-length']) / 5,
    );
  });
});
