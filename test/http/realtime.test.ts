import { describe, expect, it } from 'vitest';
import { useApi } from './use-api.ts';

const api = await useApi();
const user = await api.signIn();
const PATH = '/api/web3/realtime/';

/** Opens a stream and reads until it holds `count` events. */
async function readEvents(path: string, count: number, headers: Record<string, string> = {}) {
  const leaving = new AbortController();
  const response = await fetch(`${api.url}${path}`, {
    headers: { authorization: `Bearer ${user.token}`, accept: 'text/event-stream', ...headers },
    signal: leaving.signal,
  });
  let text = '';
  const reader = response.body?.getReader() ?? expect.unreachable();
  while (text.split('\nevent: price\n').length <= count) {
    const { value, done } = await reader.read();
    if (done) break;
    text += Buffer.from(value).toString('utf8');
  }
  leaving.abort();
  return { status: response.status, type: response.headers.get('content-type'), text };
}

describe('real-time prices', () => {
  it('are answered once as JSON, with their source and age', async () => {
    const { body } = await api.request('GET', `${PATH}?assets=BTC&tokens=BASE:USDC,POLYGON:POL`, {
      token: user.token,
    });
    expect(body).toMatchObject({
      data: [
        { asset: 'BTC', priceUsd: '150', source: 'exchange', ageMs: 0 },
        { asset: null, chain: 'BASE', priceUsd: '1', source: 'par', priceAtMs: null },
        { chain: 'POLYGON', address: null, priceUsd: '2', source: 'token_data' },
      ],
    });
  });

  it('come as server-sent events where they are asked for', async () => {
    const { status, type, text } = await readEvents(PATH, 3);
    expect([status, type]).toEqual([200, 'text/event-stream']);
    expect(text).toMatch(/^retry: 2000\n\nid: test\.\d+\nevent: price\ndata: \{"asset":"BTC",/);
    expect(text.match(/"ageMs":\d+/g)).toHaveLength(3);
    expect([...text.matchAll(/"asset":"(\w+)"/g)].map((match) => match[1])).toEqual([
      'BTC',
      'ETH',
      'SOL',
    ]);
  });

  it('refuse subjects that are none, with the place of the fault', async () => {
    const { status, body } = await api.request('GET', `${PATH}?tokens=BASE:NOPE`, {
      token: user.token,
    });
    expect([status, body]).toMatchObject([400, { errors: [{ path: '/query/tokens' }] }]);
  });

  it('leave room for a new stream as soon as a reader has left', async () => {
    for (let turn = 0; turn < 8; turn += 1)
      expect((await readEvents(`${PATH}?assets=ETH`, 1)).status).toBe(200);
  });
});
