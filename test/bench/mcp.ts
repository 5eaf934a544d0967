import { startApi } from '../http/api.ts';
import { calmTurns, makeKey, modernMessage, post } from '../mcp/mcp-client.ts';
import { timeEach } from './measure.ts';
import type { Row } from './row.ts';

const ROUNDS = { rounds: 2_000, warmUp: 300 };
const ROUTE = '/api/venue_b/order/';

/**
 * One tool call over HTTP beside the bare route behind it: key, token, both checks of arguments and
 * the line in the journal.
 */
export async function run(): Promise<readonly Row[]> {
  const api = await startApi({ turns: calmTurns() });
  try {
    const { token } = await api.signIn();
    const { key } = await makeKey(api, token, { scopes: ['read'] });
    const message = modernMessage('tools/call', { name: 'orders_list', arguments: {} });
    // the minute of the budgets passes on the virtual clock
    const bare = await timeEach(async () => {
      await api.clock.advance(100);
      await api.request('GET', ROUTE, { token });
    }, ROUNDS);
    const called = await timeEach(async () => {
      await api.clock.advance(1_000);
      const { status } = await post(api, { key, message });
      if (status !== 200) throw new Error(`the tool answered ${status}`);
    }, ROUNDS);
    return (['p50', 'p99'] as const).map((figure) => ({
      work: `a call of an MCP tool, ${figure}`,
      ours: called[figure],
      peer: { name: 'the bare route', figure: bare[figure] },
      unit: 'µs',
      bar: null,
    }));
  } finally {
    await api.close();
  }
}
