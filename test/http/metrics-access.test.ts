import { describe, expect, it } from 'vitest';
import { isLocal } from '../../src/http/local-caller.ts';
import { ask } from '../security/ask.ts';
import { INTERNAL_SECRET } from './api.ts';
import { useApi } from './use-api.ts';

const api = await useApi();
const metrics = (headers: Readonly<Record<string, string>>) =>
  ask({ port: api.server.port, method: 'GET', path: '/metrics', headers });

describe('the metrics', () => {
  it('are for programs of this machine', async () => {
    expect((await metrics({})).status).toBe(200);
  });

  it.each(['forwarded', 'x-forwarded-for', 'x-real-ip'])(
    'are not for who asks through a proxy of this machine, known by %s',
    async (name) => {
      const { status, text } = await metrics({ [name]: '127.0.0.1' });
      expect([status, JSON.parse(text).code]).toEqual([403, 'forbidden']);
    },
  );

  it.each([
    ['via', '1.1 x'],
    ['origin', 'https://evil.example'],
    ['origin', 'http://localhost'],
    ['host', 'rebound.example'],
    ['host', '127.0.0.1.rebound.example:8787'],
  ])('are not for who asks through a proxy, known by %s: %s', async (name, value) => {
    const { status, text } = await metrics({ [name]: value });
    expect([status, JSON.parse(text).code]).toEqual([403, 'forbidden']);
  });

  it.each(['localhost', 'LocalHost:8787', '127.0.0.1', '127.8.0.1:1', '[::1]:8787'])(
    'are for who asked for this machine as %s',
    async (host) => {
      expect((await metrics({ host })).status).toBe(200);
    },
  );

  it('are for who asked for the host that was configured', () => {
    const head = { headers: new Map([['host', 'Trader.internal:8787']]) } as never;
    expect([
      isLocal('127.0.0.1', head, 'trader.internal'),
      isLocal('127.0.0.1', head, '0.0.0.0'),
      isLocal('10.0.0.2', head, 'trader.internal'),
    ]).toEqual([true, false, false]);
  });

  it('are for those that show the internal secret', async () => {
    const through = { 'x-forwarded-for': '203.0.113.5' };
    expect([
      (await metrics({ ...through, 'x-internal-secret': INTERNAL_SECRET })).status,
      (await metrics({ ...through, 'x-internal-secret': 'wrong' })).status,
    ]).toEqual([200, 403]);
  });
});
