import { describe, expect, it } from 'vitest';
import { ask } from '../security/ask.ts';
import { useApi } from './use-api.ts';

const api = await useApi();
const get = (path: string, method = 'GET') => ask({ port: api.server.port, method, path });

describe('the page that shows the interface', () => {
  it('is HTML that loads from this daemon alone, and may do nothing else', async () => {
    const { status, headers, text } = await get('/docs');
    expect([status, headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
    const policy = String(headers['content-security-policy']).split('; ');
    expect(policy).toEqual(
      expect.arrayContaining([
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "connect-src 'self'",
        "frame-ancestors 'none'",
      ]),
    );
    expect(policy.join()).not.toMatch(/unsafe|https?:|\*/);
    expect([...text.matchAll(/(?:src|href)="([^"]+)"/g)].map((match) => match[1])).toEqual([
      '/docs/viewer.css',
      '/openapi.json',
      '/docs/viewer.js',
      '/docs/start.js',
    ]);
    expect(text).not.toMatch(/<script>|<style|\son\w+=/);
  });

  it.each([
    ['/docs/viewer.js', 'text/javascript; charset=utf-8', /SwaggerUIBundle/],
    ['/docs/viewer.css', 'text/css; charset=utf-8', /\.swagger-ui/],
    ['/docs/start.js', 'text/javascript; charset=utf-8', /url: '\/openapi\.json'/],
  ])('finds %s here, whole', async (path, type, content) => {
    const [{ status, headers, text }, head] = [await get(path), await get(path, 'HEAD')];
    expect([status, headers['content-type'], headers['x-content-type-options']]).toEqual([
      200,
      type,
      'nosniff',
    ]);
    expect(text).toMatch(content);
    expect([head.status, head.headers['content-length']]).toEqual([
      200,
      String(Buffer.byteLength(text)),
    ]);
  });

  it.each([
    '/docs/nothing.js',
    '/docs/..%2fpackage.json',
    '/docs/%2e%2e',
    '/docs/swagger-ui-bundle.js.map',
  ])('has no other file: %s', async (path) => {
    expect([400, 404]).toContain((await get(path)).status);
  });
});
