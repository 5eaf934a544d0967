import { expect, it } from 'vitest';
import { call } from '../../../src/web/api/client.ts';

/**
 * Never run: what matters is that the compiler refuses each of these calls, which it checks with
 * the pages. A line that did compile would be an error of its own.
 */
export async function wrongCalls(): Promise<void> {
  // @ts-expect-error no route has this path
  await call('GET /api/agents/none', {});
  // @ts-expect-error the path has a parameter
  await call('GET /api/agents/:agent/performance', {});
  // @ts-expect-error the parameter has another name
  await call('GET /api/agents/:agent/performance', { params: { agents: 'btc_5min' } });
  // @ts-expect-error the query has no such field
  await call('GET /api/user/notifications/', { query: { pages: '2' } });
  // @ts-expect-error the field is decimal text
  await call('PUT /api/user/limits', { body: { maxDailyLoss: 50n } });
  const { data } = await call('GET /api/agents/', {});
  // @ts-expect-error an agent has no such field
  await Promise.resolve(data[0]?.enabledNow);
}

it('a wrong path, parameter or field of a call does not compile', () => {
  expect(wrongCalls).toBeTypeOf('function');
});
