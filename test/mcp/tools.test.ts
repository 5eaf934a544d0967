import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { startApi } from '../http/api.ts';
import { MARKET_ID } from '../http/samples.ts';
import { IMAGE_ID } from '../support/fakes/fake-launches.ts';
import { QUOTE_ID } from '../support/fakes/fake-swaps.ts';
import { TOOLS } from '../../src/mcp/tool-table.ts';
import { calmTurns, callTool, connect, FIVE_DOLLARS, makeKey, ORDER_TOOL } from './mcp-client.ts';

const api = await startApi({ turns: calmTurns(), tools: [...TOOLS, ORDER_TOOL] });
afterAll(() => api.close());
beforeEach(() => api.clock.advance(60_000));
const user = await api.signIn();
/** A market of venue_b. */
const TICKER = 'KXHIGHNY-26NOV24-B52';
const TOKEN = { name: 'Coffee', symbol: 'BREW', description: '', imageId: IMAGE_ID };
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

  it('are listed in less than 64 KB, for a model reads them whole, with units, bounds and examples', async () => {
    const { tools } = await (await connect(api.url, trader)).listTools();
    const text = JSON.stringify(tools.filter(({ name }) => name !== ORDER_TOOL.name));
    expect(text.length).toBeLessThan(64_000);
    const { properties } = tools.find(({ name }) => name === 'orders_create')?.inputSchema ?? {};
    expect(properties).toMatchObject({
      price: { description: expect.stringContaining('Whole cents from 1 to 99') },
      clientRequestId: { maxLength: 128, examples: [expect.any(String)] },
    });
    expect(text).not.toMatch(/"maximum":9007199254740991/);
  });

  it.each(['modern', 'legacy', 'older'] as const)('answer a %s client', async (generation) => {
    const client = await connect(api.url, trader, generation);
    await client.listTools();
    const answers = [
      await callTool(client, 'venue_a_markets', { limit: 1 }),
      await callTool(client, 'venue_a_events', { limit: 1 }),
      await callTool(client, 'balances_get'),
      await callTool(client, 'wallet_addresses'),
      await callTool(client, 'agents_stop_all'),
      await callTool(client, 'markets_list', { limit: 1 }),
      await callTool(client, 'events_list', { limit: 1 }),
      await callTool(client, 'orders_create', { ...FIVE_DOLLARS(TICKER), preview: true }),
      await callTool(client, 'orders_create', {
        ...FIVE_DOLLARS(TICKER),
        clientRequestId: `${generation}-1`,
      }),
      await callTool(client, 'orders_list'),
      await callTool(client, 'positions_list'),
      await callTool(client, 'position_close', { marketId: TICKER, preview: true }),
      await callTool(client, 'position_close', {
        marketId: TICKER,
        clientRequestId: `${generation}-2`,
      }),
      await callTool(client, 'swap_quote', {
        fromChain: 'POLYGON',
        toChain: 'BASE',
        sellTokenTicker: 'USDC',
        buyTokenTicker: 'ETH',
        amount: '25',
      }),
      await callTool(client, 'swap_execute', {
        quoteId: QUOTE_ID,
        clientRequestId: `${generation}-3`,
      }),
      await callTool(client, 'memelaunch_launch_token', { ...TOKEN, preview: true }),
      await callTool(client, 'memelaunch_launch_token', {
        ...TOKEN,
        clientRequestId: `${generation}-4`,
      }),
      await callTool(client, 'trending_tokens', { limit: 2 }),
      await callTool(client, 'token_search', { query: 'doge', limit: 2 }),
      await callTool(client, 'test_order', { ...FIVE_DOLLARS(MARKET_ID), preview: true }),
      await callTool(client, 'test_order', FIVE_DOLLARS(MARKET_ID)),
    ];
    const nothing = [
      await callTool(client, 'market_get', { ticker: TICKER }),
      await callTool(client, 'token_info', { chain: 'SOLANA', token: 'SOL' }),
    ];
    expect(nothing.map(({ isError, text }) => [isError, text.split(':')[0]])).toEqual([
      [true, 'not_found'],
      [true, 'not_found'],
    ]);
    expect(answers.filter(({ isError }) => isError)).toEqual([]);
    expect(answers.map(({ text, value }) => text === JSON.stringify(value))).toEqual(
      answers.map(() => true),
    );
    const [markets, , , addresses] = answers;
    const [preview, order] = answers.slice(-2);
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
    expect(order?.value).toMatchObject({ outcome: 'done', preview: null, result: { side: 'yes' } });
  });
});
