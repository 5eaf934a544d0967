import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { ask } from '../security/ask.ts';
import { useApi } from './use-api.ts';

const api = await useApi();
const get = (path: string, accept?: string) =>
  ask({
    port: api.server.port,
    method: 'GET',
    path,
    ...(accept === undefined ? {} : { headers: { accept } }),
  });

describe('what answers before a client begins', () => {
  it('is a page at the root to browsers, which says where to begin and may do nothing', async () => {
    const { status, headers, text } = await get('/', 'text/html,application/xhtml+xml,*/*;q=0.8');
    expect([status, headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
    expect(String(headers['content-security-policy'])).toMatch(
      /^default-src 'none'; style-src 'sha256-/,
    );
    expect(text).toMatch(/href="\/docs"/);
    expect(text).toMatch(/demo-token/);
    expect(text).not.toMatch(/<script|\son\w+=/);
  });

  it.each(['GET', 'HEAD'] as const)('is that page to a %s that takes anything', async (method) => {
    for (const headers of [{}, { accept: '*/*' }])
      expect((await ask({ port: api.server.port, method, path: '/', headers })).status).toBe(200);
  });

  it('is a problem at the root to programs that ask for JSON', async () => {
    for (const accept of ['application/json', 'application/json, */*;q=0.5']) {
      const { status, headers, text } = await get('/', accept);
      expect([status, headers['content-type'], JSON.parse(text)]).toMatchObject([
        404,
        'application/problem+json',
        { code: 'not_found' },
      ]);
    }
  });

  it('tells the version of the interface, which is the day of its newest change', async () => {
    const { text } = await get('/api/client');
    const readme = readFileSync(new URL('../../src/http/README.md', import.meta.url), 'utf8');
    const days = [...(readme.split('## Changelog')[1] ?? '').matchAll(/^- (\d{4}-\d\d-\d\d):/gm)];
    expect(days.length).toBeGreaterThan(0);
    expect(JSON.parse(text)).toMatchObject({ version: days[0]?.[1], profile: 'test' });
    const all = days.map(([, day]) => day ?? '');
    expect(all).toEqual(all.toSorted().reverse());
  });
});
