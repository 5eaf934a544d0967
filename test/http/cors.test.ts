import { describe, expect, it } from 'vitest';
import { ask } from '../security/ask.ts';
import { APP_ORIGIN } from './api.ts';
import { useApi } from './use-api.ts';

const api = await useApi();
const { port } = api.server;

const call = (method: string, path: string, headers: Readonly<Record<string, string>>) =>
  ask({ port, method, path, headers });
const preflight = (path: string, origin: string) =>
  call('OPTIONS', path, {
    origin,
    'access-control-request-method': 'POST',
    'access-control-request-headers': 'authorization,idempotency-key',
  });
const ofCors = (headers: Readonly<Record<string, unknown>>) =>
  Object.keys(headers).filter((name) => name.startsWith('access-control-'));

describe('a page of another origin', () => {
  it('of a configured one may send what calls take, after asking', async () => {
    const { status, headers } = await preflight('/api/venue_a/order/', APP_ORIGIN);
    expect([status, headers['access-control-allow-origin'], headers['vary']]).toEqual([
      204,
      APP_ORIGIN,
      'Origin',
    ]);
    expect(headers['access-control-allow-methods']).toContain('POST');
    expect(String(headers['access-control-allow-headers']).toLowerCase().split(', ')).toEqual(
      expect.arrayContaining(['authorization', 'content-type', 'idempotency-key', 'prefer']),
    );
  });

  it.each([
    ['/healthz', 200],
    ['/nowhere', 404],
    ['/api/venue_a/order/', 401],
  ])('may read what %s answers, and its headers, faults too', async (path, status) => {
    const answer = await call('GET', path, { origin: APP_ORIGIN });
    expect([answer.status, answer.headers['access-control-allow-origin']]).toEqual([
      status,
      APP_ORIGIN,
    ]);
    expect(
      String(answer.headers['access-control-expose-headers']).toLowerCase().split(', '),
    ).toEqual(
      expect.arrayContaining([
        'ratelimit-remaining',
        'retry-after',
        'x-request-id',
        'idempotency-replayed',
      ]),
    );
  });

  it('gets every header once', async () => {
    const { headers } = await call('GET', '/healthz', { origin: APP_ORIGIN });
    const exposed = String(headers['access-control-expose-headers']).split(', ');
    expect(exposed).toEqual([...new Set(exposed)]);
  });

  it('is never allowed credentials', async () => {
    const answers = [
      await preflight('/api/venue_a/order/', APP_ORIGIN),
      await call('GET', '/healthz', { origin: APP_ORIGIN }),
    ];
    expect(
      answers
        .flatMap(({ headers }) => Object.keys(headers))
        .filter((name) => name === 'access-control-allow-credentials'),
    ).toEqual([]);
  });

  it.each([
    'https://app.example.com.evil.example',
    'https://app.example.com:444',
    'http://app.example.com',
    'null',
    'https://APP.example.com',
  ])('of %s gets no header', async (origin) => {
    const answers = [
      await preflight('/api/venue_a/order/', origin),
      await call('GET', '/healthz', { origin }),
    ];
    expect(answers.map(({ headers }) => [ofCors(headers), headers['vary']])).toEqual([
      [[], 'Origin'],
      [[], 'Origin'],
    ]);
  });
});
