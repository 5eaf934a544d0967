import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createWallClock } from '../../../src/adapters/clock/wall-clock.ts';
import { createTokenIndex } from '../../../src/adapters/token-index/token-index.ts';
import { asId, type Address } from '../../../src/domain/ids.ts';
import { serveHttp, type Listening, type Reply } from '../../../src/sandbox/wire/http-server.ts';
import { createCountingMetrics } from '../../support/counting-metrics.ts';

const OWNER = asId<Address>('0x19E7E376E7C213B7E7e7e46cc70A5dD086DAff2A');
const PEPE = '0x6982508145454Ce325dDbE47a25d4ec3d2311933';
const LINK = '0x514910771AF9Ca656af840dff83E8264EcF986CA';
const NOTHING = `0x${'0'.repeat(64)}`;
const metrics = createCountingMetrics();
const clock = createWallClock();

/** The indexer's own wire: one POST of JSON-RPC to a network, the key at its end. */
let server: Listening;
let index: ReturnType<typeof createTokenIndex>;
const asked: { readonly path: string; readonly body: unknown }[] = [];
let reply: Reply;

const reported = (rows: readonly unknown[], address: string = OWNER): Reply => ({
  kind: 'json',
  status: 200,
  body: { jsonrpc: '2.0', id: 1, result: { address: address.toLowerCase(), tokenBalances: rows } },
});

beforeAll(async () => {
  server = await serveHttp({
    clock,
    routes: ['eth-mainnet', 'bnb-mainnet'].map((network) => ({
      method: 'POST' as const,
      path: `/${network}/v2/secret-key`,
      run({ body }: { readonly body: string }) {
        asked.push({ path: network, body: JSON.parse(body) });
        return reply;
      },
    })),
  });
  const baseUrl = `${server.url}/{network}/v2`;
  index = createTokenIndex({ baseUrl, key: 'secret-key', clock, metrics });
});
beforeEach(() => {
  asked.length = 0;
});
afterAll(async () => {
  await index.close();
  await server.close();
});

describe('an indexer of wallets', () => {
  it('names what is held on a network, in small letters, and leaves out what is not', async () => {
    reply = reported([
      { contractAddress: PEPE, tokenBalance: `0x${'0'.repeat(63)}5` },
      { contractAddress: LINK, tokenBalance: NOTHING },
      { contractAddress: `0x${'1'.repeat(40)}`, tokenBalance: null, error: 'execution reverted' },
      { contractAddress: `0x${'2'.repeat(40)}`, tokenBalance: '0x' },
    ]);
    expect(await index.held('ETHEREUM', OWNER)).toEqual([PEPE.toLowerCase()]);
    expect(await index.held('BSC', OWNER)).toEqual([PEPE.toLowerCase()]);
    const body = {
      jsonrpc: '2.0',
      id: 1,
      method: 'alchemy_getTokenBalances',
      params: [OWNER, 'erc20'],
    };
    expect(asked).toEqual([
      { path: 'eth-mainnet', body },
      { path: 'bnb-mainnet', body },
    ]);
  });

  it('is not asked of Solana, where a node tells of every token', async () => {
    expect([index.covers('SOLANA'), await index.held('SOLANA', OWNER), asked.length]).toEqual([
      false,
      [],
      0,
    ]);
  });

  it.each([
    ['of another wallet', reported([], `0x${'9'.repeat(40)}`)],
    ['of what is no address', reported([{ contractAddress: '0x12', tokenBalance: NOTHING }])],
    [
      'of more than any page has',
      reported(Array.from({ length: 1_001 }, () => ({ contractAddress: PEPE }))),
    ],
    ['nothing', { kind: 'json', status: 200, body: { jsonrpc: '2.0', id: 1, error: { code: 1 } } }],
    ['that it is busy', { kind: 'json', status: 429, body: {} }],
    ['half an answer', { kind: 'cut' }],
  ] satisfies readonly (readonly [string, Reply])[])(
    'that tells %s is reported, without its key',
    async (_what, given) => {
      reply = given;
      const error: unknown = await index.held('ETHEREUM', OWNER).catch((thrown: unknown) => thrown);
      expect(error).toMatchObject({ code: 'token_data_unavailable', retryable: true });
      expect(String(error)).not.toContain('secret-key');
    },
  );
});
