import { afterAll, describe, expect, it } from 'vitest';
import { startApi } from './api.ts';

describe('a process that does not own the log of commits', () => {
  const lease = { held: true };
  const opened = startApi({ lease: { isHeld: () => lease.held } });
  afterAll(async () => (await opened).close());

  it('refuses what changes something before it begins, and answers reads', async () => {
    const api = await opened;
    const { token } = await api.signIn();
    const before = (await api.request('GET', '/api/user/profile', { token })).body['username'];
    lease.held = false;
    const rename = { token, body: { username: 'other' } };
    const refused = await api.request('PUT', '/api/user/profile', rename);
    expect([refused.status, refused.body['code'], refused.headers.get('retry-after')]).toEqual([
      421,
      'not_owner',
      '1',
    ]);
    const read = await api.request('GET', '/api/user/profile', { token });
    expect([read.status, read.body['username']]).toEqual([200, before]);
    lease.held = true;
    expect((await api.request('PUT', '/api/user/profile', rename)).status).toBe(200);
  });
});
