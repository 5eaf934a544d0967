import { afterEach, describe, expect, it, vi } from 'vitest';
import { createVirtualClock } from '../../../src/adapters/clock/virtual-clock.ts';
import { AppError } from '../../../src/domain/errors.ts';
import {
  ok,
  serveHttp,
  type Listening,
  type SlowRoute,
} from '../../../src/sandbox/wire/http-server.ts';

let server: Listening | null = null;
afterEach(async () => {
  vi.restoreAllMocks();
  await server?.close();
  server = null;
});

function route(path: string, run: SlowRoute['run']): SlowRoute {
  return { method: 'GET', path, run };
}

function boom(): never {
  throw new RangeError('beyond the grid');
}

async function asked(
  path: string,
): Promise<{ readonly status: number; readonly body: unknown; readonly logged: string }> {
  const stderr = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
  server = await serveHttp({
    clock: createVirtualClock(0),
    before: (request) => (request.path === '/before' ? boom() : null),
    routes: [
      route('/at-once', boom),
      route('/later', () => Promise.reject(new RangeError('beyond the grid'))),
      route('/unwritable', () => ok({ amount: 1n })),
      route('/chainless', () =>
        Promise.reject(new AppError('chain_unavailable', 'the chain does not answer')),
      ),
      route('/well', () => ok({ well: true })),
    ],
  });
  const answer = await fetch(`${server.url}${path}`);
  const body: unknown = await answer.json();
  const next = await fetch(`${server.url}/well`);
  expect(await next.json()).toEqual({ well: true });
  return { status: answer.status, body, logged: String(stderr.mock.calls[0]?.[0] ?? '') };
}

describe("a server of the sandbox's", () => {
  it.each(['/at-once', '/later', '/unwritable', '/before'])(
    'answers 500 where a route fails (%s), names it, and goes on',
    async (path) => {
      const { status, body, logged } = await asked(path);
      expect({ status, body }).toEqual({ status: 500, body: { error: 'Internal Server Error' } });
      expect(logged).toMatch(new RegExp(`^sandbox: GET ${path}: (Range|Type)Error: `, 'u'));
    },
  );

  it('answers 503 where a chain behind a route cannot be asked, which is no fault of the route', async () => {
    expect(await asked('/chainless')).toEqual({
      status: 503,
      body: { error: 'the chain does not answer' },
      logged: '',
    });
  });
});
