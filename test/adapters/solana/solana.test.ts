import { afterAll, describe, expect, it } from 'vitest';
import { createSolanaCalls } from '../../../src/adapters/solana/calls.ts';
import { createSolanaNode } from '../../../src/adapters/solana/node.ts';
import { createSolana } from '../../../src/adapters/solana/solana.ts';
import { solanaContract } from '../../contracts/solana.ts';
import { createCountingMetrics } from '../../support/counting-metrics.ts';
import { startSolanaNode } from '../../support/fixtures/solana-node.ts';
import { startStubServer, type StubAnswer } from '../../support/fixtures/stub-server.ts';

const WALLET = 'GmaDrppBC7P5ARKV8g3djiwP89vz1jLK23V2GBjuAEGB';
const closing: (() => Promise<unknown>)[] = [];
afterAll(async () => {
  for (const close of closing.reverse()) await close();
});

/** Calls that wait for an answer as long as a busy machine may take, unless it is said. */
function callsTo(rpcUrl: string, timeoutMs = 60_000) {
  const metrics = createCountingMetrics();
  const calls = createSolanaCalls({ rpcUrl, metrics, timeoutMs });
  closing.push(() => calls.close());
  return { calls, metrics };
}

solanaContract('the sandbox node', async () => {
  const node = await startSolanaNode();
  closing.push(() => node.close());
  return {
    solana: createSolana(callsTo(node.url).calls, createCountingMetrics()),
    give: node.give,
    loseNext: () => node.faults.arm('solana-transaction-lost', { times: 1 }),
  };
});

describe('a node that misbehaves', () => {
  async function answering(answer: StubAnswer | 'hang' | 'reset') {
    const stub = await startStubServer({ answer: () => answer });
    closing.push(() => stub.close());
    const { calls, metrics } = callsTo(
      `${stub.httpUrl}/v1?api-key=secret`,
      answer === 'hang' ? 500 : undefined,
    );
    return { stub, metrics, solana: createSolana(calls, metrics), node: createSolanaNode(calls) };
  }

  it.each<[string, StubAnswer | 'hang' | 'reset']>([
    ['an error page', { status: 502, body: '<html>' }],
    ['no answer', 'hang'],
    ['a cut connection', 'reset'],
    ['what is no JSON-RPC', { status: 200, body: { hello: 1 } }],
    ['no JSON', { status: 200, body: '<html>' }],
  ])('is unavailable, without a word about its address, for %s', async (_what, answer) => {
    const { solana, node, stub } = await answering(answer);
    const failure = await solana.lamports(WALLET).then(
      () => null,
      (error: unknown) => error,
    );
    expect(failure).toMatchObject({ code: 'chain_unavailable', retryable: true });
    expect(String(failure)).not.toContain('secret');
    await expect(node.ask('getSlot', [])).rejects.toMatchObject({ code: 'chain_unavailable' });
    expect(stub.requests.map(({ path }) => path)).toEqual([
      '/v1?api-key=secret',
      '/v1?api-key=secret',
    ]);
  });

  it('leaves the status of what was sent open when the answer is lost', async () => {
    const { solana } = await answering('reset');
    expect(await solana.send(new Uint8Array(100))).toMatchObject({ kind: 'unknown' });
  });

  it('says when the node wants slower calls', async () => {
    const { solana, metrics } = await answering({
      status: 429,
      headers: { 'retry-after': '7' },
      body: {},
    });
    await expect(solana.blockHeight()).rejects.toMatchObject({
      code: 'rate_limited',
      retryable: true,
      retryAfterMs: 7_000,
    });
    expect(metrics.counts).toEqual({ 'chain_calls_total chain=solana outcome=failed': 1 });
  });

  it('hands on the error of a question as the node said it', async () => {
    const { node } = await answering({
      status: 200,
      body: { jsonrpc: '2.0', id: 1, error: { code: -32602, message: 'Invalid param' } },
    });
    expect(await node.ask('getBalance', ['x'])).toEqual({
      kind: 'error',
      code: -32602,
      message: 'Invalid param',
      data: undefined,
    });
  });
});
