import { describe, expect, it } from 'vitest';
import { publicRoute, type Route } from '../../src/http/route.ts';
import { createRouter } from '../../src/http/router.ts';

const row = (method: Route['method'], path: string): Route =>
  publicRoute({
    family: 'system',
    method,
    path,
    budget: 'none',
    operationId: path,
    summary: path,
    description: path,
    output: null,
    run: () => null,
  });

describe('createRouter', () => {
  const match = createRouter([
    row('GET', '/a/'),
    row('POST', '/a/'),
    row('GET', '/a/b'),
    row('GET', '/a/:id/'),
    row('GET', '/a/:id/c'),
  ]);

  it('finds a row with and without its slash, fixed parts before parameters', () => {
    const found = ['/a', '/a/', '/a/b', '/a/b/', '/a/x', '/a/x/c/', '/a/b/c'].map((path) => {
      const result = match(path);
      return [
        path,
        [...(result?.routes.values() ?? [])].map(({ method, path: own }) => `${method} ${own}`),
        result?.params,
      ];
    });
    expect(found).toEqual([
      ['/a', ['GET /a/', 'POST /a/'], {}],
      ['/a/', ['GET /a/', 'POST /a/'], {}],
      ['/a/b', ['GET /a/b'], {}],
      ['/a/b/', ['GET /a/b'], {}],
      ['/a/x', ['GET /a/:id/'], { id: 'x' }],
      ['/a/x/c/', ['GET /a/:id/c'], { id: 'x' }],
      ['/a/b/c', ['GET /a/:id/c'], { id: 'b' }],
    ]);
  });

  it('decodes parameters and matches nothing that cannot be decoded, is empty, or lies elsewhere', () => {
    expect(match('/a/x%20y')?.params).toEqual({ id: 'x y' });
    expect(['/a//', '/a/%zz', '/', '/b', '/a/x/y', '//a'].map(match)).toEqual([
      null,
      null,
      null,
      null,
      null,
      null,
    ]);
  });

  it('refuses a table with two rows for one call', () => {
    expect(() => createRouter([row('GET', '/a/'), row('GET', '/a')])).toThrow('two rows');
  });
});
