import { afterEach, describe, expect, it } from 'vitest';
import { createVirtualClock } from '../../../src/adapters/clock/virtual-clock.ts';
import { createJsonGet, type JsonGet } from '../../../src/adapters/wire/json-get.ts';
import { startStubServer, type StubBehaviour } from '../../support/fixtures/stub-server.ts';

const cleanups: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0)) await cleanup();
});

async function start(behaviour: StubBehaviour, timeoutMs = 60_000) {
  const server = await startStubServer(behaviour);
  const clock = createVirtualClock(0);
  const rest: JsonGet = createJsonGet({
    baseUrl: `${server.httpUrl}/v2`,
    clock,
    timeoutMs,
    maximumBytes: 1_000,
    connectionsMaximum: 1,
    callsPerSecond: 3,
  });
  // The reader ends first: a hung call would keep a graceful close of the server waiting.
  cleanups.push(() => server.close());
  return { server, clock, rest };
}

describe('createJsonGet', () => {
  it('sends path, query and headers as given behind the path of the base URL', async () => {
    const { server, rest } = await start({ answer: () => ({ body: { ok: true } }) });
    expect(await rest.get({ path: '/a?ids=x,y', headers: { 'x-api-key': 'k' } })).toEqual({
      status: 200,
      body: { ok: true },
    });
    expect(server.requests.map(({ path, headers }) => [path, headers['x-api-key']])).toEqual([
      ['/v2/a?ids=x,y', 'k'],
    ]);
    expect(rest.pathPrefix).toBe('/v2');
  });

  it('gives answers below 500 with their status, for the caller to judge', async () => {
    const { rest } = await start({ answer: () => ({ status: 404, body: { code: -1121 } }) });
    expect(await rest.get({ path: '/' })).toEqual({ status: 404, body: { code: -1121 } });
  });

  it.each([
    [
      'a server error',
      { status: 502, body: '<html>bad gateway</html>' },
      'venue_unavailable',
      true,
    ],
    ['a page instead of JSON', { status: 200, body: '<html>' }, 'venue_unavailable', true],
    ['a refused place', { status: 451, body: '<html>' }, 'venue_restricted', false],
    ['a body over the limit', { status: 200, body: 'x'.repeat(1_001) }, 'venue_protocol', false],
    ['a request for slower calls', { status: 429, body: '<html>' }, 'rate_limited', true],
    ['a ban', { status: 418, body: '{}' }, 'rate_limited', true],
    ['a reset', 'reset', 'venue_unavailable', true],
  ] as const)('names %s by its code', async (_, answer, code, retryable) => {
    const { rest } = await start({ answer: () => answer });
    await expect(rest.get({ path: '/' })).rejects.toMatchObject({
      name: 'AppError',
      code,
      retryable,
    });
  });

  it('keeps the time a server asks to wait', async () => {
    const { rest } = await start({
      answer: () => ({ status: 429, headers: { 'retry-after': '7' }, body: '' }),
    });
    await expect(rest.get({ path: '/' })).rejects.toMatchObject({ retryAfterMs: 7_000 });
  });

  it('gives a silent server up after the time-out, and at once when aborted', async () => {
    const { rest } = await start({ answer: () => 'hang' }, 50);
    await expect(rest.get({ path: '/' })).rejects.toMatchObject({
      code: 'venue_unavailable',
      retryable: true,
    });
    await expect(rest.get({ path: '/', signal: AbortSignal.abort() })).rejects.toMatchObject({
      code: 'venue_unavailable',
    });
  });

  it('refuses more calls a second than it may make', async () => {
    const { clock, rest, server } = await start({ answer: () => ({ body: 1 }) });
    const call = () => rest.get({ path: '/' });
    await Promise.all([call(), call(), call()]);
    await clock.advance(400);
    await expect(call()).rejects.toMatchObject({ code: 'rate_limited', retryAfterMs: 600 });
    await clock.advance(600);
    await call();
    expect(server.requests).toHaveLength(4);
  });
});
