import { Keypair } from '@solana/web3.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { startSolanaNode, type SolanaNode } from '../../../support/fixtures/solana-node.ts';

describe('the Solana node on its wire', () => {
  let node: SolanaNode;
  const key = Keypair.generate().publicKey.toBase58();
  beforeAll(async () => {
    node = await startSolanaNode();
  });
  afterAll(() => node.close());

  async function post(
    body: unknown,
    path = '/',
  ): Promise<{ readonly status: number; readonly body: unknown }> {
    const response = await fetch(`${node.url}${path}`, {
      method: 'POST',
      body: typeof body === 'string' ? body : JSON.stringify(body),
    });
    const text = await response.text();
    return {
      status: response.status,
      body: text.startsWith('{') || text.startsWith('[') ? JSON.parse(text) : text,
    };
  }
  const call = (method: string, ...params: unknown[]) => ({
    jsonrpc: '2.0',
    id: 7,
    method,
    params,
  });
  const errorOf = async (body: unknown) =>
    ((await post(body)).body as { error?: { code: number } }).error?.code ?? null;

  it('echoes ids, answers batches in order, and leaves notifications unanswered', async () => {
    expect((await post({ ...call('getHealth'), id: 'abc' })).body).toEqual({
      jsonrpc: '2.0',
      id: 'abc',
      result: 'ok',
    });
    const { body } = await post([
      call('getHealth'),
      { jsonrpc: '2.0', method: 'ping' },
      { ...call('getBalance', key), id: 8 },
      { ...call('nothing'), id: 9 },
    ]);
    expect(body).toMatchObject([
      { id: 7, result: 'ok' },
      { id: 8, result: { value: 0 } },
      { id: 9, error: { code: -32601 } },
    ]);
  });

  it.each([
    ['text that is no JSON', '{', -32700],
    ['a number', 7, -32600],
    ['an empty batch', [], -32600],
    ['a batch of 51', Array.from({ length: 51 }, () => call('getHealth')), -32600],
    ['another version', { id: 1, method: 'getHealth' }, -32600],
    ['a name of every object', call('constructor'), -32601],
    ['an invalid address', call('getBalance', 'abc'), -32602],
    ['no address', call('getBalance'), -32602],
    [
      '101 addresses',
      call(
        'getMultipleAccounts',
        Array.from({ length: 101 }, () => key),
      ),
      -32602,
    ],
    ['an invalid transaction', call('sendTransaction', 'AAAA', { encoding: 'base64' }), -32602],
    ['an empty transaction', call('sendTransaction', '', { encoding: 'base64' }), -32602],
    [
      'a transaction over 1232 bytes',
      call('sendTransaction', 'A'.repeat(1_648), { encoding: 'base64' }),
      -32602,
    ],
    ['an invalid message', call('getFeeForMessage', 'AAAA'), -32602],
    ['an unknown mint', call('getTokenAccountsByOwner', key, { mint: key }), -32602],
    ['another program', call('getTokenAccountsByOwner', key, { programId: key }), -32602],
    ['a gift over the limit', call('requestAirdrop', key, 100_000_000_001), -32602],
    ['a slot of the future', call('getBalance', key, { minContextSlot: 9_000_000_000 }), -32016],
  ])('refuses %s', async (_name, body, code) => {
    expect(await errorOf(body)).toBe(code);
  });

  it('refuses other methods, other paths and bodies over its limit', async () => {
    expect((await fetch(node.url)).status).toBe(405);
    expect((await post(call('getHealth'), '/elsewhere')).status).toBe(404);
    expect((await post(' '.repeat(262_145))).status).toBe(413);
  });

  it('gives lamports and test USDC, and refuses gifts that are none', async () => {
    const [first, second] = await node.give(key, { lamports: '1000000000', usdc: '12.5' });
    expect(first).not.toBe(second);
    expect((await post(call('getBalance', key))).body).toMatchObject({
      result: { value: 1_000_000_000 },
    });
    expect((await post({ address: key, usdc: '1.0000001' }, '/faucet')).status).toBe(400);
    expect((await post({ address: 'abc', usdc: '1' }, '/faucet')).status).toBe(400);
    expect((await post({ address: key, lamports: '0' }, '/faucet')).status).toBe(400);
    expect((await post('{', '/faucet')).status).toBe(400);
  });

  it('gives once by a name, however often it is asked', async () => {
    const named = { address: key, usdc: '2', name: 'first money' };
    const [first, second] = [await post(named, '/faucet'), await post(named, '/faucet')];
    expect([first.status, second.body]).toEqual([200, first.body]);
    const other = await post({ ...named, name: 'more' }, '/faucet');
    expect(other.body).not.toEqual(first.body);
  });

  it('fails as a crowded or broken provider does while that fault is set', async () => {
    node.faults.arm('feed-rate-limited', { times: 1, match: { path: '/solana' } });
    expect((await post(call('getHealth'))).status).toBe(429);
    node.faults.arm('feed-bad-gateway', { times: 1, match: { path: '/solana' } });
    expect((await post(call('getHealth'))).status).toBe(502);
    expect((await post(call('getHealth'))).status).toBe(200);
  });

  it('tells a socket of slots until it has heard enough, and lets no socket hold more than a hundred subscriptions', async () => {
    const socket = new WebSocket(node.socketUrl);
    const heard: { id?: number; result?: unknown; method?: string; error?: { code: number } }[] =
      [];
    socket.on('message', (data) => heard.push(JSON.parse(String(data))));
    await new Promise((resolve) => socket.once('open', resolve));
    const seen = async (check: () => boolean) => {
      while (!check()) await new Promise((resolve) => socket.once('message', resolve));
    };
    socket.send(JSON.stringify(call('slotSubscribe')));
    await seen(() => heard.filter(({ method }) => method === 'slotNotification').length >= 2);
    socket.send(JSON.stringify(call('slotUnsubscribe', heard[0]?.result)));
    await seen(() => heard.at(-1)?.result === true);
    const signature = '5'.repeat(88);
    for (let index = 0; index < 101; index += 1)
      socket.send(JSON.stringify({ ...call('signatureSubscribe', signature), id: 1_000 + index }));
    await seen(() => heard.some(({ id }) => id === 1_100));
    expect(
      heard
        .filter(({ id, error }) => (id ?? 0) >= 1_000 && error !== undefined)
        .map(({ id }) => id),
    ).toEqual([1_100]);
    socket.send(JSON.stringify(call('slotUnsubscribe', 999_999)));
    await seen(() => heard.at(-1)?.error?.code === -32602);
    socket.terminate();
  });
});
