import { startApi, type TestApi } from '../http/api.ts';
import { makeKey, modernMessage, post } from '../mcp/mcp-client.ts';
import { timeEach } from './measure.ts';
import type { Row } from './row.ts';

const ROUNDS = { rounds: 2_000, warmUp: 300 };
/** Half of what a key may have under way. */
const AT_A_TIME = 4;
const ROUTE = '/api/venue_b/order/';

/**
 * One tool call over HTTP beside the bare route behind it: key, token, both checks of arguments and
 * the line in the journal.
 */
export async function run(): Promise<readonly Row[]> {
  const api = await startApi();
  try {
    const { token } = await api.signIn();
    const { key } = await makeKey(api, token, { scopes: ['read'] });
    const message = modernMessage('tools/call', { name: 'orders_list', arguments: {} });
    // the minute of the budgets passes on the virtual clock
    const bare = await timeEach(async () => {
      await api.clock.advance(100);
      await api.request('GET', ROUTE, { token });
    }, ROUNDS);
    // before the token of the bare route has ended on that clock
    const bareASecond = await callsPerSecond(
      () => api.request('GET', ROUTE, { token }),
      api.clock,
      100,
    );
    const called = await timeEach(async () => {
      await api.clock.advance(1_000);
      const { status } = await post(api, { key, message });
      if (status !== 200) throw new Error(`the tool answered ${status}`);
    }, ROUNDS);
    const calledASecond = await callsPerSecond(() => post(api, { key, message }), api.clock, 1_000);
    const rows = (['p50', 'p99'] as const).map((figure) => ({
      work: `a call of an MCP tool, ${figure}`,
      ours: called[figure],
      peer: { name: 'the bare route', figure: bare[figure] },
      unit: 'µs',
      bar: null,
    }));
    return [
      ...rows,
      {
        work: `calls of an MCP tool a second, ${AT_A_TIME} at a time`,
        ours: calledASecond,
        peer: { name: 'the bare route', figure: bareASecond },
        unit: '/s',
        bar: null,
      },
    ];
  } finally {
    await api.close();
  }
}

/** Clients and service share this process, as they do in the figures above. */
async function callsPerSecond(
  call: () => Promise<{ readonly status: number }>,
  clock: TestApi['clock'],
  everyMs: number,
): Promise<number> {
  let left = ROUNDS.rounds;
  // one at a time moves the clock
  let passed = Promise.resolve();
  const startedAt = process.hrtime.bigint();
  await Promise.all(
    Array.from({ length: AT_A_TIME }, async () => {
      for (; left > 0; left -= 1) {
        await (passed = passed.then(() => clock.advance(everyMs)));
        const { status } = await call();
        if (status !== 200) throw new Error(`a call was answered ${status}`);
      }
    }),
  );
  return (ROUNDS.rounds * 1e9) / Number(process.hrtime.bigint() - startedAt);
}
