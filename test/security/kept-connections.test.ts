import { describe, expect, it } from 'vitest';
import { Agent } from 'node:http';
import { ask } from './ask.ts';
import { useApi } from '../http/use-api.ts';

const api = await useApi();

describe('a kept connection', () => {
  it.each<[string, string, Readonly<Record<string, string>>, number]>([
    ['GET', '/healthz', {}, 200],
    ['HEAD', '/healthz', {}, 200],
    ['HEAD', '/nowhere', {}, 404],
    ['HEAD', '/api/venue_a/order/', {}, 401],
    ['OPTIONS', '/api/venue_a/order/', {}, 204],
    ['DELETE', '/api/user/keys/1', {}, 401],
    ['POST', '/internal/stop', { 'x-internal-secret': 'wrong' }, 401],
    ['GET', '/api/venue_a/order/', { authorization: `Bearer ${'a'.repeat(4_000)}` }, 401],
  ])('goes on after %s %s', async (method, path, headers, status) => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const { port } = api.server;
    const sockets = new Set<unknown>();
    agent.on('free', (socket) => sockets.add(socket));
    const first = await ask({ port, method, path, headers, agent });
    const second = await ask({ port, method: 'GET', path: '/healthz', agent });
    expect([first.status, second.status, JSON.parse(second.text).status, sockets.size]).toEqual([
      status,
      200,
      'ok',
      1,
    ]);
    expect(Number(first.headers['content-length'] ?? 0)).toBeLessThan(1_000);
    agent.destroy();
  });
});
