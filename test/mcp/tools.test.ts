import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { startApi } from '../http/api.ts';
import { aBook, MARKET_ID, TOKEN_ID } from '../http/samples.ts';
import { TOOLS } from '../../src/mcp/tool-table.ts';
import { everyCall } from './every-call.ts';
import { callTool, connect, FIVE_DOLLARS, makeKey, ORDER_TOOL, type Called } from './mcp-client.ts';

const api = await startApi({ tools: [...TOOLS, ORDER_TOOL] });
afterAll(() => api.close());
beforeEach(() => api.clock.advance(60_000));
api.books.set(TOKEN_ID, aBook());
const user = await api.signIn();
const { key: trader } = await makeKey(api, user.token, {
  scopes: ['read', 'trade', 'swap', 'launch'],
});
const { key: reader } = await makeKey(api, user.token, { scopes: ['read'] });

describe('the tools', () => {
  it.each(['modern', 'legacy', 'older'] as const)(
    'are listed in full to a %s client, with schemas, and only those its key may call',
    async (generation) => {
      const [all, some] = await Promise.all([
        connect(api.url, trader, generation),
        connect(api.url, reader, generation),
      ]);
      const { tools } = await all.listTools();
      expect(tools.map(({ name }) => name)).toEqual([...TOOLS, ORDER_TOOL].map(({ name }) => name));
      expect((await some.listTools()).tools.map(({ name }) => name)).toEqual(
        TOOLS.filter(({ scope }) => scope === 'read').map(({ name }) => name),
      );
      expect(
        tools.filter(
          ({ annotations, inputSchema, outputSchema }) =>
            ['readOnlyHint', 'destructiveHint', 'idempotentHint', 'openWorldHint'].some(
              (hint) => typeof Object(annotations)[hint] !== 'boolean',
            ) ||
            inputSchema.type !== 'object' ||
            outputSchema?.type !== 'object',
        ),
      ).toEqual([]);
    },
  );

  it('are listed in less than 70 KB, for a model reads them whole, with units, bounds and examples', async () => {
    const { tools } = await (await connect(api.url, trader)).listTools();
    const text = JSON.stringify(tools.filter(({ name }) => name !== ORDER_TOOL.name));
    expect(text.length).toBeLessThan(70_000);
    const { properties } = tools.find(({ name }) => name === 'orders_create')?.inputSchema ?? {};
    expect(properties).toMatchObject({
      price: { description: expect.stringContaining('Whole cents from 1 to 99') },
      clientRequestId: { maxLength: 128, examples: [expect.any(String)] },
    });
    expect(text).not.toMatch(/"maximum":9007199254740991/);
  });

  it.each(['modern', 'legacy', 'older'] as const)(
    'answer a %s client, every one of them',
    async (generation) => {
      const client = await connect(api.url, trader, generation);
      await client.listTools();
      const calls = everyCall(generation);
      const answers: Called[] = [];
      for (const [name, given] of calls) answers.push(await callTool(client, name, given));
      answers.push(
        await callTool(client, 'test_order', { ...FIVE_DOLLARS(MARKET_ID), preview: true }),
        await callTool(client, 'test_order', FIVE_DOLLARS(MARKET_ID)),
      );
      expect(new Set(calls.map(([name]) => name))).toEqual(new Set(TOOLS.map(({ name }) => name)));
      expect(answers.filter(({ isError }) => isError)).toEqual([]);
      expect(answers.map(({ text, value }) => text === JSON.stringify(value))).toEqual(
        answers.map(() => true),
      );
      const of = (name: string) => answers[calls.findIndex(([each]) => each === name)];
      const [markets, addresses] = [of('venue_a_markets'), of('wallet_addresses')];
      const [preview, order] = answers.slice(-2);
      // a key has no fresh sign-in, and the model of swaps wants one
      expect(of('swap_execute')?.value).toMatchObject({
        outcome: 'preview',
        result: null,
        preview: {
          minimumOut: '0.0124001875',
          left: { dailyOutUsd: '0', keyDay: '75' },
          refusal: { code: 'fresh_sign_in_required' },
        },
      });
      expect(markets?.value).toMatchObject({
        items: [{ marketId: expect.any(String) }],
        untrustedText: expect.arrayContaining(['/items/*/question']),
      });
      expect(Object.keys(Object(addresses?.value['items'])[0] ?? {})).toEqual([
        'chain',
        'walletType',
        'address',
      ]);
      expect(preview?.value).toMatchObject({
        outcome: 'preview',
        untrustedText: expect.not.arrayContaining(['/outcome']),
        result: null,
        preview: { worstPrice: expect.any(String), fee: {}, left: {} },
      });
      expect(order?.value).toMatchObject({
        outcome: 'done',
        preview: null,
        result: { side: 'yes' },
      });
    },
  );
});
