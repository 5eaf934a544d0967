import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { routeTable, VENUE_APIS } from '../../src/app/route-table.ts';
import type { JsonValue } from '../../src/domain/json-value.ts';
import type { Backend } from '../../src/mcp/backend.ts';
import { listedFor } from '../../src/mcp/listed-tools.ts';
import { prepareTools } from '../../src/mcp/prepared-tools.ts';
import { createToolCalls } from '../../src/mcp/tool-call.ts';
import { TOOLS } from '../../src/mcp/tool-table.ts';
import { createRateLimits } from '../../src/services/rate-limits.ts';
import { startApi, TICKER } from '../http/api.ts';
import { aBook, TOKEN_ID } from '../http/samples.ts';
import { aViewedPosition, viewedPositions } from '../support/fakes/fake-view.ts';
import { createKeptLog, createKeptMetrics } from '../support/quiet.ts';
import { everyCall } from './every-call.ts';
import { enlarged, HUGE, TYPICAL, type Size } from './large-answers.ts';
import { FIVE_DOLLARS } from './mcp-client.ts';

const api = await startApi();
afterAll(() => api.close());
beforeEach(() => api.clock.advance(60_000));
api.books.set(TOKEN_ID, aBook());
api.view.answer = async () => viewedPositions([aViewedPosition()]);
const user = await api.signIn();
const tools = prepareTools(TOOLS, routeTable);

/** Tokens of a model, about. */
const tokens = (text: string) => Math.ceil(text.length / 4);

/** What each tool answers, in tokens, over routes whose answers are so large. */
async function answered(
  size: Size,
  more: Readonly<Record<string, JsonValue>>,
): Promise<readonly (readonly [name: string, isError: boolean, tokens: number])[]> {
  const backend: Pick<Backend, 'call' | 'record'> = {
    record: async () => undefined,
    async call({ method, path, query, body }) {
      const asked = new URLSearchParams(query).toString();
      const reply = await api.request(method, `${path}?${asked}`, { token: user.token, body });
      // a hundred periods unless a span is named
      const whole = /candlesticks/.test(path) ? 100 : size.whole;
      const entries = Number(query['limit'] ?? whole);
      return {
        status: reply.status,
        headers: {},
        // what the routes answer is JSON
        body: enlarged(reply.body as JsonValue, size, entries),
      };
    },
  };
  const call = createToolCalls({
    backend: { ...backend, authenticate: () => Promise.reject(new Error('no key')) },
    venues: VENUE_APIS,
    rateLimits: createRateLimits(api.clock),
    clock: api.clock,
    log: createKeptLog(),
    metrics: createKeptMetrics(),
  });
  const access = {
    keyId: 'key_1',
    userId: user.userId,
    scopes: ['read', 'trade', 'swap', 'launch'],
    tools: null,
    venues: null,
    token: async () => user.token,
  } as const;
  const placed = await api.request('POST', '/api/venue_b/order/', {
    token: user.token,
    body: FIVE_DOLLARS(TICKER),
  });
  const found: (readonly [string, boolean, number])[] = [];
  for (const [name, given] of everyCall(`size-${size.whole}`, String(placed.body['id']))) {
    const tool = tools.find((each) => each.name === name);
    if (tool === undefined) throw new Error(`no tool ${name}`);
    const { limit: _limit, ...others } = given;
    const taken = Object.entries(more).filter(([argument]) =>
      Object.hasOwn(Object(listedFor(tool, access).inputSchema.properties), argument),
    );
    const result = await call({
      tool,
      access,
      given: { ...(others as Record<string, JsonValue>), ...Object.fromEntries(taken) },
      requestId: 'req_1',
      confirmPage: null,
      traceparent: null,
    });
    const [first] = result.content;
    found.push([name, result.isError === true, tokens(first?.type === 'text' ? first.text : '')]);
  }
  return found;
}

describe('the tokens of a model, four characters each', () => {
  it('are 7,500 at most for the list of all tools', () => {
    const listed = tools.map((tool) => listedFor(tool, { venues: null }));
    const all = tokens(JSON.stringify(listed));
    console.log(`tools/list: ${listed.length} tools, ${all} tokens`);
    expect(all).toBeLessThanOrEqual(7_500);
  });

  it('are 1,200 at most for what any tool answers unless more is asked for, 500 for balances', async () => {
    const found = await answered(TYPICAL, {});
    console.log(found.map(([name, , each]) => `${name} ${each}`).join(', '));
    expect(found.filter(([, isError]) => isError)).toEqual([]);
    expect(found.filter(([, , each]) => each > 1_200)).toEqual([]);
    const [, , balances] = found.find(([name]) => name === 'balances_get') ?? [];
    expect(balances).toBeLessThanOrEqual(500);
  });

  it('are 5,000 at most, however much there is and whatever is asked for', async () => {
    const found = await answered(HUGE, { limit: 100, fields: 'all' });
    expect(found.filter(([, isError]) => isError)).toEqual([]);
    expect(found.filter(([, , each]) => each > 5_000)).toEqual([]);
  });
});
