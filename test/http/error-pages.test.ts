import { describe, expect, it } from 'vitest';
import type { ErrorCode } from '../../src/domain/errors.ts';
import { ERROR_RESPONSES } from '../../src/http/errors.ts';
import { ask } from '../security/ask.ts';
import { useApi } from './use-api.ts';

const api = await useApi();
const BROWSER = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';
const get = (path: string, accept = '*/*') =>
  ask({ port: api.server.port, method: 'GET', path, headers: { accept }, from: '127.0.7.1' });
const codes = Object.keys(ERROR_RESPONSES) as ErrorCode[];

describe('the type of a problem', () => {
  it('leads to what explains it, on the same daemon', async () => {
    const { body } = await api.request('GET', '/api/venue_a/order/');
    const { href } = new URL(String(body['type']), api.url);
    const explained = await get(new URL(href).pathname);
    expect([href.startsWith(api.url), explained.status, JSON.parse(explained.text)]).toEqual([
      true,
      200,
      {
        code: 'unauthenticated',
        status: 401,
        title: body['title'],
        retry: 'after_a_change',
        meaning: expect.stringMatching(/\.$/),
        remedy: expect.stringMatching(/\.$/),
      },
    ]);
  });

  it('says of a limit that was reached that it may be shared, and what to do then', async () => {
    const { meaning, remedy } = JSON.parse((await get('/errors/limit_reached')).text);
    expect([meaning, remedy]).toEqual([
      expect.stringContaining('all users together'),
      expect.stringContaining('`retryable` is true) repeat the same later'),
    ]);
  });

  it('is explained for every code, in whole sentences', async () => {
    const wanting = [];
    for (const code of codes) {
      const { status, text } = await get(`/errors/${code}`);
      const { meaning, remedy } = JSON.parse(text);
      if (status !== 200 || ![meaning, remedy].every((said) => /^[A-Z].{8,}\.$/.test(said)))
        wanting.push(code);
    }
    expect(wanting).toEqual([]);
  });

  it('is a page where a browser asks, without anything that runs or comes from elsewhere', async () => {
    const { headers, text } = await get('/errors/insufficient_funds', BROWSER);
    expect([
      headers['content-type'],
      text.includes('<h1><code>insufficient_funds</code></h1>'),
      /<script|src=|url\(|https?:/.test(text),
    ]).toEqual(['text/html; charset=utf-8', true, false]);
    expect(headers['content-security-policy']).toMatch(
      /^default-src 'none'; style-src 'sha256-[^']+'; frame-ancestors 'none'/,
    );
  });

  it.each(['/errors/nothing_of_ours', '/errors/toString', '/errors/%3Cscript%3E'])(
    'is not found where it does not exist: %s',
    async (path) => {
      const { status, text } = await get(path, BROWSER);
      expect([[400, 404].includes(status), text.includes('<script>')]).toEqual([true, false]);
    },
  );
});
