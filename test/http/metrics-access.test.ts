import { describe, expect, it } from 'vitest';
import { ask } from '../security/ask.ts';
import { INTERNAL_SECRET } from './surface.ts';
import { useSurface } from './use-surface.ts';

const surface = await useSurface();
const metrics = (headers: Readonly<Record<string, string>>) =>
  ask({ port: surface.server.port, method: 'GET', path: '/metrics', headers });

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

  it('are for those that show the internal secret', async () => {
    const through = { 'x-forwarded-for': '203.0.113.5' };
    expect([
      (await metrics({ ...through, 'x-internal-secret': INTERNAL_SECRET })).status,
      (await metrics({ ...through, 'x-internal-secret': 'wrong' })).status,
    ]).toEqual([200, 403]);
  });
});
