import {
  createServer,
  type IncomingHttpHeaders,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import { SignJWT } from 'jose';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { WebSocket, WebSocketServer } from 'ws';
import { routeTable } from '../../src/app/route-table.ts';
import { SLOTS, slotText } from '../../src/domain/slot.ts';
import { startGateway, type Gateway } from '../../src/gateway/gateway.ts';
import { watchOwners, type OwnersWatch } from '../../src/gateway/owner-watch.ts';
import { createShards } from '../../src/gateway/shards.ts';
import type { ShardOwner } from '../../src/ports/shard-owner.ts';

/** Even slots are shard 0's, odd ones shard 1's. */
const DEALT: readonly number[] = Array.from({ length: SLOTS }, (_, slot) => slot % 2);

const tokenOf = (slot: number): Promise<string> =>
  new SignJWT({ sub: `usr_${slotText(slot)}0123` })
    .setProtectedHeader({ alg: 'HS256' })
    .sign(new Uint8Array(32));

describe('a gateway before two shards', () => {
  const seen: {
    readonly shard: number;
    readonly line: string;
    readonly headers: IncomingHttpHeaders;
  }[] = [];
  let servers: { readonly server: Server; readonly sockets: WebSocketServer }[] = [];
  const rows = new Map<number, ShardOwner>();
  let watch: OwnersWatch;
  let gateway: Gateway;
  let slots = DEALT;
  let answer: (shard: number, response: ServerResponse) => void;
  const shardsAsked = (): readonly number[] => seen.map(({ shard }) => shard);

  beforeEach(async () => {
    seen.length = 0;
    slots = DEALT;
    answer = (_shard, response) => void response.end('{}');
    rows.clear();
    servers = [];
    for (const shard of [0, 1]) {
      const server = createServer((call, response) => {
        seen.push({ shard, line: `${call.method} ${call.url}`, headers: call.headers });
        call.resume().once('end', () => answer(shard, response));
      });
      const sockets = new WebSocketServer({ server, path: '/ws' });
      servers.push({ server, sockets });
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      const { port } = server.address() as AddressInfo;
      rows.set(shard, { epoch: 1, url: `http://127.0.0.1:${port}` });
    }
    watch = watchOwners({ read: async () => rows, pulse: async () => undefined });
    await watch.of(1).find(60_000);
    gateway = await startGateway({
      host: '127.0.0.1',
      port: 0,
      shards: createShards(watch, () => slots),
      routes: routeTable,
      trustedProxies: [],
      certificate: null,
      answerOwn: () => null,
      nextRequestId: () => 'req_1',
      metrics: { count: () => undefined, gauge: () => undefined, beforeRead: () => undefined },
      log: { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} },
    });
  });
  afterEach(async () => {
    await gateway.close();
    await watch.close();
    for (const { server, sockets } of servers) {
      for (const socket of sockets.clients) socket.terminate();
      server.closeAllConnections();
      server.close();
    }
  });

  const get = async (path: string, headers: Record<string, string> = {}): Promise<Response> =>
    fetch(`${gateway.url}${path}`, { headers });

  it('hands a call to the shard of the user whose token it shows', async () => {
    for (const slot of [4, 7, 1_023])
      await get('/api/portfolio/', { authorization: `Bearer ${await tokenOf(slot)}` });
    expect(shardsAsked()).toEqual([0, 1, 1]);
  });

  it('hands calls without a token of one address to one shard', async () => {
    for (let count = 0; count < 3; count += 1) await get('/api/markets/');
    expect(new Set(shardsAsked()).size).toBe(1);
  });

  it('follows a shard to that of a slot, with what it has found of the caller', async () => {
    const [first = 0] = (await get('/api/markets/'), shardsAsked());
    const other = 1 - first;
    seen.length = 0;
    answer = (shard, response) => {
      if (shard === other) return void response.end('{"userId":"usr_1"}');
      response.writeHead(421, {
        'predictd-slot': String(other),
        'predictd-assertion': 'proof.mac',
      });
      response.end();
    };
    const response = await get('/api/auth/otp/verify', {
      'predictd-assertion': 'forged',
      'predictd-slot': '4',
    });
    expect(await response.json()).toEqual({ userId: 'usr_1' });
    expect(seen.map(({ shard, headers }) => [shard, headers['predictd-assertion']])).toEqual([
      [first, undefined],
      [other, 'proof.mac'],
    ]);
    expect(seen.map(({ headers }) => headers['predictd-slot'])).toEqual([undefined, undefined]);
  });

  it('refuses a call that shards hand to each other', async () => {
    answer = (shard, response) => {
      response.writeHead(421, { 'predictd-slot': String(1 - shard) });
      response.end();
    };
    const response = await get('/api/markets/');
    expect([response.status, response.headers.get('predictd-slot')]).toEqual([503, null]);
    expect(seen.length).toBe(3);
  });

  it('has a stop of all committed by each shard, and says so where one refuses', async () => {
    const stop = (): Promise<Response> =>
      fetch(`${gateway.url}/internal/stop`, { method: 'POST', body: '{"reason":"x"}' });
    answer = (shard, response) => void response.end(`{"shard":${shard}}`);
    expect(await (await stop()).json()).toEqual({ shard: 0 });
    expect(shardsAsked().toSorted()).toEqual([0, 1]);
    answer = (shard, response) => {
      response.statusCode = shard === 0 ? 401 : 200;
      response.end('{}');
    };
    expect((await stop()).status).toBe(401);
  });

  it('has a stop of one user committed by their shard, however many are asked', async () => {
    answer = (shard, response) => {
      if (shard === 0) response.writeHead(421, { 'predictd-slot': '1' });
      response.end(`{"shard":${shard}}`);
    };
    const response = await fetch(`${gateway.url}/internal/stop`, { method: 'POST', body: '{}' });
    expect([response.status, await response.json()]).toEqual([200, { shard: 1 }]);
  });

  it('stops what can be stopped where a shard has no owner, and says that it is not all', async () => {
    rows.delete(0);
    await expect.poll(() => watch.of(0).current()).toBeNull();
    const stopped = fetch(`${gateway.url}/internal/stop`, { method: 'POST', body: '{}' });
    await expect.poll(shardsAsked).toEqual([1]);
    const response = await stopped;
    expect([response.status, ((await response.json()) as { readonly code: string }).code]).toEqual([
      503,
      'answer_lost',
    ]);
  });

  it('says that shards differ where one is stopped and another one is not', async () => {
    let other = true;
    answer = (shard, response) => {
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify({ stopped: shard === 0 || other, changedAtMs: shard }));
    };
    const read = (): Promise<Response> => get('/internal/stop');
    expect(await (await read()).json()).toEqual({ stopped: true, changedAtMs: 0 });
    other = false;
    const response = await read();
    expect([response.status, ((await response.json()) as { readonly code: string }).code]).toEqual([
      409,
      'conflict',
    ]);
  });

  it('shows the public keys of all shards', async () => {
    answer = (shard, response) => {
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify({ keys: [{ kid: `k${shard}` }] }));
    };
    const response = await get('/.well-known/jwks.json');
    expect(await response.json()).toEqual({ keys: [{ kid: 'k0' }, { kid: 'k1' }] });
    expect(seen.map(({ headers }) => headers['accept-encoding'])).toEqual([undefined, undefined]);
    // A shard that was split has its keys in both.
    answer = (shard, response) =>
      void response.end(JSON.stringify({ keys: [{ kid: 'both' }, { kid: `k${shard}` }] }));
    expect(await (await get('/.well-known/jwks.json')).json()).toEqual({
      keys: [{ kid: 'both' }, { kid: 'k0' }, { kid: 'k1' }],
    });
  });

  it('takes the call and the socket of a user to the shard that a split has made, once that is owned', async () => {
    const asked: [number, Record<string, unknown>][] = [];
    for (const [shard, { sockets }] of servers.entries())
      sockets.on('connection', (socket) =>
        socket.on('message', (data) => {
          const message = JSON.parse(String(data));
          asked.push([shard, message]);
          const { id, op, topics } = message;
          if (op === 'auth') socket.send(JSON.stringify({ op: 'authenticated', id }));
          else {
            socket.send(JSON.stringify({ op: 'subscribed', id, topics, refused: [] }));
            const change = { topic: 'orders', kind: 'change', cursor: `j.${asked.length}` };
            socket.send(JSON.stringify(change));
          }
        }),
      );
    // Shard 1 is not there yet.
    const made = rows.get(1);
    rows.delete(1);
    slots = DEALT.map(() => 0);
    await expect.poll(() => watch.of(1).current()).toBeNull();
    const token = await tokenOf(1);
    const client = new WebSocket(`${gateway.url.replace('http', 'ws')}/ws`);
    const heard: Record<string, unknown>[] = [];
    client.on('message', (data) => heard.push(JSON.parse(String(data))));
    await new Promise((resolve) => client.once('open', resolve));
    client.send(JSON.stringify({ op: 'auth', token }));
    client.send('{"op":"subscribe","topics":["orders"]}');
    await expect.poll(() => heard.length).toBe(3);

    // The owner of shard 0 ends; the next one has divided it, and is owned first.
    const former = rows.get(0);
    rows.delete(0);
    await expect.poll(() => watch.of(0).current()).toBeNull();
    for (const socket of servers[0]?.sockets.clients ?? []) socket.terminate();
    const called = get('/api/portfolio/', { authorization: `Bearer ${token}` });
    slots = DEALT;
    if (former !== undefined) rows.set(0, { ...former, epoch: 2 });
    await expect.poll(() => watch.of(0).current()?.epoch).toBe(2);
    answer = (shard, response) => {
      if (shard === 0) response.writeHead(421, { 'predictd-slot': '1' });
      response.end(`{"shard":${shard}}`);
    };
    if (made !== undefined) rows.set(1, { ...made, epoch: 2 });
    expect(await (await called).json()).toEqual({ shard: 1 });
    await expect.poll(() => asked.filter(([shard]) => shard === 1).length).toBe(2);
    expect(asked.map(([shard, { op, since }]) => [shard, op, since])).toEqual([
      [0, 'auth', undefined],
      [0, 'subscribe', undefined],
      [1, 'auth', undefined],
      [1, 'subscribe', 'j.2'],
    ]);
    expect(client.readyState).toBe(WebSocket.OPEN);
    client.terminate();
  });

  it('takes a socket to the shard of the user it shows a token of, with what it reads', async () => {
    const asked: [number, Record<string, unknown>][] = [];
    for (const [shard, { sockets }] of servers.entries())
      sockets.on('connection', (socket) =>
        socket.on('message', (data) => {
          const message = JSON.parse(String(data));
          asked.push([shard, message]);
          const { id, op, topics } = message;
          socket.send(
            JSON.stringify(
              op === 'auth'
                ? { op: 'authenticated', id }
                : { op: 'subscribed', id, topics, refused: [] },
            ),
          );
        }),
      );
    const client = new WebSocket(`${gateway.url.replace('http', 'ws')}/ws`);
    const heard: unknown[] = [];
    client.on('message', (data) => heard.push(JSON.parse(String(data))));
    await new Promise((resolve) => client.once('open', resolve));
    client.send('{"op":"subscribe","topics":["book"],"id":1}');
    await expect.poll(() => heard.length).toBe(1);
    const first = asked[0]?.[0] ?? 0;
    const token = await tokenOf(1 - first);
    client.send(JSON.stringify({ op: 'auth', token, id: 2 }));
    client.send('{"op":"subscribe","topics":["orders"],"id":3}');
    await expect.poll(() => heard.length).toBe(3);
    expect(heard).toEqual([
      { op: 'subscribed', id: 1, topics: ['book'], refused: [] },
      { op: 'authenticated', id: 2 },
      { op: 'subscribed', id: 3, topics: ['orders'], refused: [] },
    ]);
    expect(asked.map(([shard, { op, topics }]) => [shard, op, topics])).toEqual([
      [first, 'subscribe', ['book']],
      [1 - first, 'subscribe', ['book']],
      [1 - first, 'auth', undefined],
      [1 - first, 'subscribe', ['orders']],
    ]);
    expect(client.readyState).toBe(WebSocket.OPEN);
    client.terminate();
  });
});
