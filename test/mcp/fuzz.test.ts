import * as fc from 'fast-check';
import { afterAll, expect, it } from 'vitest';
import { ERROR_RESPONSES } from '../../src/http/errors.ts';
import { TOOLS } from '../../src/mcp/tool-table.ts';
import { startApi } from '../http/api.ts';
import { MARKET_ID } from '../http/samples.ts';
import { callTool, connect, makeKey } from './mcp-client.ts';

const api = await startApi();
afterAll(() => api.close());
const user = await api.signIn();
const { key } = await makeKey(api, user.token, { scopes: ['read', 'trade', 'swap', 'launch'] });
const client = await connect(api.url, key);

const NAMES = [
  'marketId side amount orderType price orderMode action ticker limit cursor search state tokenId',
  'chain token query preview clientRequestId __proto__ constructor toString expiresAtMs',
]
  .join(' ')
  .split(' ');
const value = fc.oneof(
  fc.constantFrom<unknown>('yes', 'market', 'limit', '5', MARKET_ID, '../..', '%2e%2e', '1e400'),
  fc.jsonValue({ maxDepth: 3 }),
  fc.string({ unit: 'binary', maxLength: 300 }),
);
const given = fc.dictionary(fc.oneof(fc.constantFrom(...NAMES), fc.string()), value, {
  maxKeys: 8,
});

it('whatever the arguments, a tool answers as it says or refuses by a code of the table', async () => {
  const { tools } = await client.listTools();
  expect(tools.length).toBe(TOOLS.length);
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...tools.map(({ name }) => name)),
      given,
      async (name, args) => {
        await api.clock.advance(6_000);
        const { isError, text, value: answer } = await callTool(client, name, args);
        const code = text.split(':')[0] ?? '';
        if (isError) expect([code, code in ERROR_RESPONSES]).toEqual([code, true]);
        else expect(text).toBe(JSON.stringify(answer));
        expect(code).not.toBe('internal');
      },
    ),
    { numRuns: 150 },
  );
  expect(api.errors).toEqual([]);
});
