import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { startApi } from '../http/api.ts';
import { aBook, MARKET_ID, TOKEN_ID } from '../http/samples.ts';
import { TOOLS } from '../../src/mcp/tool-table.ts';
import { everyCall, openOrder } from './every-call.ts';
import { callTool, connect, FIVE_DOLLARS, makeKey, ORDER_TOOL, type Called } from './mcp-client.ts';

const api = await startApi({ tools: [...TOOLS, ORDER_TOOL] });
afterAll(() => api.close());
beforeEach(() => api.clock.advance(60_000));
api.books.set(TOKEN_ID, aBook());
const user = await api.signIn();
const { key: trader } = await makeKey(api, user.token, {
  scopes: ['read', 'trade', 'swap', 'launch'],
});
const { key: atVenueA } = await makeKey(api, user.token, {
  scopes: ['read', 'trade'],
  venues: ['venue_a'],
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
      const hints = ['readOnlyHint', 'destructiveHint', 'idempotentHint', 'openWorldHint'];
      expect(
        tools.filter(
          ({ annotations, inputSchema }) =>
            (annotations?.readOnlyHint === true ? hints.slice(0, 1) : hints).some(
              (hint) => typeof Object(annotations)[hint] !== 'boolean',
            ) || inputSchema.type !== 'object',
        ),
      ).toEqual([]);
      expect(
        tools.flatMap(({ name, outputSchema }) => (outputSchema === undefined ? [] : [name])),
      ).toEqual([
        'orders_create',
        'position_close',
        'swap_execute',
        'memelaunch_launch_token',
        'test_order',
      ]);
    },
  );

  it('are listed with units, and by schemas that strict mappers take', async () => {
    const { tools } = await (await connect(api.url, trader)).listTools();
    const text = JSON.stringify(tools);
    const { inputSchema, outputSchema } = Object(
      tools.find(({ name }) => name === 'orders_create'),
    );
    expect(inputSchema.properties).toMatchObject({
      price: { description: expect.stringContaining('whole cents') },
      venue: { enum: ['venue_a', 'venue_b', 'venue_c'], default: 'venue_b' },
    });
    expect(outputSchema.properties.result.properties).toMatchObject({
      averagePrice: { description: 'USDC a share, fees not in it' },
      feesUsdc: { description: expect.stringContaining('USDC') },
    });
    expect(/"type":\[|"anyOf"|"\$ref"|9007199254740991/.exec(text)).toBeNull();
  });

  it('of a venue that a key may not trade at are not listed, nor is that venue named', async () => {
    const client = await connect(api.url, atVenueA);
    const { tools } = await client.listTools();
    const names = tools.map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(['venue_a_markets', 'orders_create']));
    expect(names).not.toEqual(expect.arrayContaining(['events_list']));
    expect(names).not.toEqual(expect.arrayContaining(['price_history']));
    const venue = Object(
      tools.find(({ name }) => name === 'orders_create')?.inputSchema.properties?.['venue'],
    );
    expect(venue).toMatchObject({ enum: ['venue_a'], default: 'venue_a' });
    const orders = await callTool(client, 'orders_list', { venue: 'venue_b' });
    expect(orders.text).toContain('/venue: must be one of venue_a');
    expect((await callTool(client, 'orders_list')).isError).toBe(false);
  });

  it.each(['modern', 'legacy', 'older'] as const)(
    'answer a %s client, every one of them',
    async (generation) => {
      const client = await connect(api.url, trader, generation);
      await client.listTools();
      const calls = everyCall(generation, await openOrder(client));
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
        preview: { worstPrice: expect.any(String), fee: {}, left: {} },
      });
      expect(order?.value).toMatchObject({
        outcome: 'done',
        result: { side: 'yes' },
      });
    },
  );
});
