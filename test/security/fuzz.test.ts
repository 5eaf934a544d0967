import { describe, expect, it } from 'vitest';
import { routeTable } from '../../src/app/route-table.ts';
import { API } from '../../config/limits/api.ts';
import { openSocket } from '../http/live/socket-client.ts';
import { TOKEN_ID } from '../http/samples.ts';
import { clientFrames } from './fuzz/client-frames.ts';
import { run } from './fuzz/finding.ts';
import { rawRequests } from './fuzz/raw-requests.ts';
import { routeCalls } from './fuzz/route-calls.ts';
import { apiCallers } from './fuzz/api-callers.ts';
import { marketFrames, priceFrames, userFrames } from './fuzz/venue-frames.ts';
import { useApi } from '../http/use-api.ts';

const api = await useApi();

const SEED = 5;

describe('the API under fuzzing', () => {
  it('answers or cuts every broken request, and nothing behind an ambiguous one', async () => {
    const target = rawRequests(api.server.port);
    const { cases, findings } = await run(target, SEED, { until: 400, width: 16 });
    expect([cases, findings, await target.end(), api.errors]).toEqual([400, [], null, []]);
  });

  it('refuses every spoiled call of every row with a code and a path, or answers it well', async () => {
    const until = routeTable.length * 15;
    const { cases, findings } = await run(routeCalls(routeTable, apiCallers(api)), SEED, {
      until,
    });
    expect([cases, findings, api.errors]).toEqual([until, [], []]);
  });

  it('takes no harm from frames of clients, and forgets each socket that is gone', async () => {
    let { token } = await api.signIn({ phone: '+14155570000', username: 'fuzz_reader' });
    const target = clientFrames({
      port: api.server.port,
      token: async () => token,
      topics: [
        'orders',
        'positions',
        'agents',
        'notifications',
        'prices:BTC',
        `orderbook:venue_a:${TOKEN_ID}`,
      ],
    });
    const { cases, findings } = await run(target, SEED, { until: 200, width: 12 });
    expect([cases, findings, api.errors]).toEqual([200, [], []]);
    ({ token } = await api.signIn({ phone: '+14155570000', username: null }));
    const sockets = await Promise.all(
      Array.from({ length: API.socketsPerUserMaximum }, () =>
        openSocket(api.url, { authorization: `Bearer ${token}` }),
      ),
    );
    expect(
      new Set(await Promise.all(sockets.map(async (socket) => (await socket.next()).op))),
    ).toEqual(new Set(['authenticated']));
    for (const { socket } of sockets) socket.terminate();
  });
});

describe('the frames of a venue under fuzzing', () => {
  it('L8: a book is never trusted with what its frames do not bear out', async () => {
    expect(await run(marketFrames(), SEED, { until: 2_500 })).toEqual({
      cases: 2_500,
      findings: [],
    });
  });

  it('L8: a price is one that was sent, of its moment, and none silences its feed', async () => {
    expect(await run(priceFrames(), SEED, { until: 2_500 })).toEqual({
      cases: 2_500,
      findings: [],
    });
  });

  it("what cannot be read of a user's own channel is read again, and nothing else gets through", async () => {
    expect(await run(userFrames(), SEED, { until: 1_500 })).toEqual({ cases: 1_500, findings: [] });
  });
});
