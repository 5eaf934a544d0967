import { describe, expect, it } from 'vitest';
import type { ErrorCode } from '../../src/domain/errors.ts';
import { ERROR_RESPONSES } from '../../src/http/errors.ts';
import { codesOf } from '../../src/http/openapi.ts';
import type { Route } from '../../src/http/route.ts';
import { routeTable } from '../../src/app/route-table.ts';
import { ask, loopback } from './ask.ts';
import { apiWithCredentials, type Credential } from './credentials.ts';

const callers = apiWithCredentials();

/**
 * A parameter no call takes: who is let in hears of it before anything is done, so that every row
 * can be called by everybody.
 */
const LET_IN = { code: 'invalid_request', path: '/query/no-such-parameter' };
const PROBE = '?no-such-parameter=1';

/** Calls that must all come to the gate of a row, however its path is written. */
function calls({ method, path }: Route): readonly (readonly [method: string, path: string])[] {
  const filled = path.replaceAll(/:[A-Za-z]+/g, '1').replace(/(?<=.)\/$/, '');
  const encoded = filled.replace(/[a-z]/, (letter) => `%${letter.charCodeAt(0).toString(16)}`);
  return [
    [method, filled],
    [method, filled.replace(/\/?$/, '/')],
    [method, encoded],
    ...(method === 'GET' ? [['HEAD', filled] as const] : []),
  ];
}

async function outcome(
  method: string,
  path: string,
  headers: Credential['headers'],
  from: string,
): Promise<unknown> {
  const { status, text } = await ask({
    port: callers.api.server.port,
    method,
    path: `${path}${PROBE}`,
    headers,
    from,
  });
  if (method === 'HEAD') return [status];
  const { code, errors } = JSON.parse(text);
  const fields: readonly { readonly path: string }[] = errors;
  return code === LET_IN.code && fields.some((each) => each.path === LET_IN.path)
    ? 'let in'
    : [status, code];
}

function expected(method: string, code: ErrorCode | null): unknown {
  if (method === 'HEAD') return [ERROR_RESPONSES[code ?? 'invalid_request'].status];
  return code === null ? 'let in' : [ERROR_RESPONSES[code].status, code];
}

const UNAUTHENTICATED: ReadonlySet<ErrorCode> = new Set([
  'unauthenticated',
  'token_invalid',
  'token_expired',
]);

const rows = routeTable.map(
  (route, index) => [`${route.method} ${route.path}`, route, index] as const,
);

describe('the gate before every row of the route table', () => {
  it.each(rows)('%s takes exactly those it is for', async (_name, route, index) => {
    const found: unknown[] = [];
    const wanted: unknown[] = [];
    for (const [place, credential] of callers.credentials.entries()) {
      const from = loopback(index * callers.credentials.length + place);
      const code = credential.refusal(route);
      // a known user spends a budget of theirs, so for them the plain path is enough
      for (const [method, path] of code !== null && UNAUTHENTICATED.has(code)
        ? calls(route)
        : calls(route).slice(0, 1)) {
        found.push([
          credential.name,
          method,
          path,
          await outcome(method, path, credential.headers, from),
        ]);
        wanted.push([credential.name, method, path, expected(method, code)]);
      }
    }
    expect(found).toEqual(wanted);
  });

  it.each(rows)('%s says beforehand what callers are refused with', (_name, route) => {
    const refusals = callers.credentials.flatMap((credential) => credential.refusal(route) ?? []);
    expect([...new Set(refusals)].filter((code) => !codesOf(route).includes(code))).toEqual([]);
  });

  it('meets every kind of caller and every kind of row', () => {
    expect(new Set(routeTable.map(({ auth }) => auth))).toEqual(
      new Set(['public', 'user', 'user_without_username', 'internal', 'operator']),
    );
    expect(new Set(callers.credentials.map(({ name }) => name)).size).toBe(
      callers.credentials.length,
    );
  });

  it('lets no caller change anything while it refuses', () => {
    expect([callers.api.placed, callers.api.errors]).toEqual([[], []]);
  });
});
