import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RequestHead } from '../../src/http/guard.ts';
import { createWebApp } from '../../src/http/web-app.ts';

const CALLS = new Set(['api', 'docs', '']);
const folder = mkdtempSync(join(tmpdir(), 'web-app-'));

function head(path: string, headers: Readonly<Record<string, string>> = {}, method = 'GET') {
  return {
    method,
    path,
    query: '',
    contentLength: null,
    headers: new Map(Object.entries(headers)),
  } as unknown as RequestHead;
}

async function answer(path: string, headers: Readonly<Record<string, string>> = {}) {
  const app = createWebApp(folder, CALLS);
  const {
    status,
    headers: sent,
    body,
  } = await app.answer({
    head: head(path, headers),
    body: new Uint8Array(),
    address: '127.0.0.1',
    requestId: 'req_1',
  });
  return { status, sent, body: body === null ? null : Buffer.from(body).toString('utf8') };
}

describe('the pages of the web app', () => {
  beforeAll(() => {
    mkdirSync(join(folder, 'assets'));
    writeFileSync(join(folder, 'index.html'), '<p>page</p>');
    writeFileSync(join(folder, 'assets', 'a-1.js'), 'plain');
    writeFileSync(join(folder, 'assets', 'a-1.js.br'), 'brotli');
    writeFileSync(join(folder, 'assets', 'a-1.js.gz'), 'gzip');
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  it('are the one page at every path of theirs, never cached, under a policy without inline scripts', async () => {
    const { status, sent, body } = await answer('/btc5min-trading', { accept: 'text/html' });
    expect([status, body, sent['Cache-Control']]).toEqual([200, '<p>page</p>', 'no-cache']);
    expect(sent['Content-Security-Policy']).toContain("script-src 'self'");
    expect(sent['Content-Security-Policy']).not.toContain('unsafe');
  });

  it('show nothing of the address they are opened at, and no page of others frames them', async () => {
    const { status, sent, body } = await answer('/confirm', { accept: 'text/html' });
    expect([status, body]).toEqual([200, '<p>page</p>']);
    const policy = sent['Content-Security-Policy'] ?? '';
    for (const rule of ["frame-ancestors 'none'", "form-action 'self'", "base-uri 'none'"])
      expect(policy).toContain(rule);
    expect(sent['Cross-Origin-Opener-Policy']).toBe('same-origin');
    const app = createWebApp(folder, CALLS);
    expect(app.matches?.(head('/confirm', { accept: 'text/html' }, 'POST'))).toBe(false);
  });

  it('come compressed as the browser takes them, and assets are kept for a year', async () => {
    const taken = ['br, gzip', 'gzip', 'identity'].map((accepted) =>
      answer('/assets/a-1.js', { 'accept-encoding': accepted }),
    );
    expect((await Promise.all(taken)).map(({ body }) => body)).toEqual(['brotli', 'gzip', 'plain']);
    expect((await answer('/assets/a-1.js')).sent['Cache-Control']).toBe(
      'public, max-age=31536000, immutable',
    );
  });

  it('answer 304 to a tag that is still theirs', async () => {
    const { sent } = await answer('/', { accept: 'text/html' });
    const again = await answer('/', { accept: 'text/html', 'if-none-match': sent['ETag'] ?? '' });
    expect([again.status, again.body]).toEqual([304, null]);
  });

  it('answer 404 to a file of another build, and never the page in its place', async () => {
    expect((await answer('/assets/old-2.js', { accept: 'text/html' })).status).toBe(404);
  });

  it('say at an unknown address that no page is there, as the app and as 404, each time anew', async () => {
    const html = { accept: 'text/html' };
    const { status, sent, body } = await answer('/marketz/7', html);
    expect([status, body, sent['Cache-Control']]).toEqual([404, '<p>page</p>', 'no-cache']);
    const again = await answer('/marketz/7', { ...html, 'if-none-match': sent['ETag'] ?? '' });
    expect(again.status).toBe(404);
    const app = createWebApp(folder, CALLS);
    expect(
      [
        head('/marketz', html),
        head('/api/marketz', html),
        head('/docs/marketz', html),
        head('/marketz', { accept: 'application/json' }),
        head('/marketz', html, 'POST'),
      ].map((each) => app.matches?.(each)),
    ).toEqual([true, false, false, false, false]);
  });

  it('leave calls, other methods and programs that ask for no page to the interface', () => {
    const app = createWebApp(folder, CALLS);
    const html = { accept: 'text/html' };
    expect(
      [
        head('/api/agents', html),
        head('/docs', html),
        head('/wallet', { accept: 'application/json' }),
        head('/wallet', html, 'POST'),
        head('/wallet', html),
        head('/', { accept: '*/*' }, 'HEAD'),
        head('/', {}),
      ].map((each) => app.matches?.(each)),
    ).toEqual([false, false, false, false, true, true, true]);
  });

  it('say what to run where they are not built', async () => {
    const app = createWebApp(join(folder, 'absent'), CALLS);
    const { status, body } = await app.answer({
      head: head('/', { accept: 'text/html' }),
      body: new Uint8Array(),
      address: '127.0.0.1',
      requestId: 'req_1',
    });
    expect([status, String(body)]).toEqual([503, expect.stringContaining('npm start')]);
  });
});
