import {
  createServer,
  request,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';
import { request as requestTls } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { WebSocket, WebSocketServer } from 'ws';
import { API } from '../../config/limits/api.ts';
import { routeTable } from '../../src/app/route-table.ts';
import { openCertificate, type RenewedCertificate } from '../../src/gateway/certificate.ts';
import { startGateway, type Gateway } from '../../src/gateway/gateway.ts';
import { watchOwners, type OwnersWatch } from '../../src/gateway/owner-watch.ts';
import { createShards } from '../../src/gateway/shards.ts';
import type { ShardOwner } from '../../src/ports/shard-owner.ts';

/** A call as an owner saw it. */
interface Seen {
  readonly owner: number;
  readonly line: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** A process that may own the shard. */
interface Owner {
  readonly row: ShardOwner;
  readonly sockets: WebSocketServer;
  readonly server: Server;
  /** Ends it with all its connections, as a kill does. */
  kill(): void;
}

const ORDER = '/api/venue_b/order/';

describe('a gateway', () => {
  const seen: Seen[] = [];
  let owners: Owner[] = [];
  let current: ShardOwner | null = null;
  let watch: OwnersWatch;
  let gateway: Gateway;
  let repeats = 0;
  let rejoins = 0;
  /** Whether the owner gives a sign of life. */
  let pulse: () => Promise<void>;
  /** How the owners answer a call. */
  let answer: (owner: number, response: ServerResponse) => void;

  const startOwner = async (epoch: number): Promise<Owner> => {
    const server = createServer(async (call, response) => {
      let body = '';
      for await (const chunk of call) body += String(chunk);
      seen.push({
        owner: epoch,
        line: `${call.method} ${call.url}`,
        headers: call.headers,
        body,
      });
      answer(epoch, response);
    });
    const sockets = new WebSocketServer({ server, path: '/ws' });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    return {
      row: { epoch, url: `http://127.0.0.1:${port}` },
      sockets,
      server,
      kill() {
        for (const socket of sockets.clients) socket.terminate();
        server.closeAllConnections();
        server.close();
      },
    };
  };

  beforeEach(async () => {
    seen.length = 0;
    repeats = 0;
    rejoins = 0;
    answer = (_owner, response) => void response.end('{}');
    pulse = async () => undefined;
    owners = [await startOwner(1), await startOwner(2)];
    current = owners[0]?.row ?? null;
    watch = watchOwners({
      read: async () => new Map(current === null ? [] : [[0, current]]),
      pulse: () => pulse(),
    });
    await watch.of(0).find(60_000);
    gateway = await openGateway(null);
  });
  const openGateway = (certificate: RenewedCertificate | null): Promise<Gateway> =>
    startGateway({
      host: '127.0.0.1',
      port: 0,
      shards: createShards(watch, () => []),
      routes: routeTable,
      trustedProxies: [],
      certificate,
      answerOwn: ({ url }) =>
        url === '/healthz' ? Promise.resolve({ status: 200, headers: {}, body: 'own' }) : null,
      nextRequestId: () => 'req_1',
      metrics: {
        count(name) {
          if (name === 'forward_retries_total') repeats += 1;
          if (name === 'gateway_sockets_rejoined_total') rejoins += 1;
        },
        gauge: () => undefined,
        beforeRead: () => undefined,
      },
      log: { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} },
    });
  afterEach(async () => {
    await gateway.close();
    await watch.close();
    for (const owner of owners) owner.kill();
  });

  const [one, two] = [0, 1].map((index) => (): Owner => {
    const owner = owners[index];
    if (owner === undefined) throw new Error('there are two');
    return owner;
  }) as [() => Owner, () => Owner];
  /** Has the second process take over. */
  const takeOver = (): void => {
    current = two().row;
  };
  const post = (headers: Record<string, string> = {}, path = ORDER): Promise<Response> =>
    fetch(`${gateway.url}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: '{"amount":"5"}',
    });

  it('hands a call on whole, with the address of its caller behind those of earlier proxies', async () => {
    answer = (_owner, response) => {
      response.writeHead(201, { 'set-cookie': ['a=1', 'b=2'], 'x-request-id': 'req_9' });
      response.end('{"id":"int_1"}');
    };
    const response = await post({ authorization: 'Bearer t', 'x-forwarded-for': '203.0.113.5' });
    expect([response.status, await response.json(), response.headers.getSetCookie()]).toEqual([
      201,
      { id: 'int_1' },
      ['a=1', 'b=2'],
    ]);
    expect(response.headers.get('x-request-id')).toBe('req_9');
    expect(seen).toEqual([
      expect.objectContaining({
        line: `POST ${ORDER}`,
        body: '{"amount":"5"}',
        headers: expect.objectContaining({
          authorization: 'Bearer t',
          host: new URL(gateway.url).host,
          'x-forwarded-for': '203.0.113.5, 127.0.0.1',
          'content-length': '14',
        }),
      }),
    ]);
  });

  it('repeats an order with its key at the next owner, where the first one ended with it', async () => {
    answer = (owner, response) => {
      if (owner === 2) return void response.end('{"id":"int_1"}');
      one().kill();
      takeOver();
    };
    const response = await post({ 'idempotency-key': 'once' });
    expect(await response.json()).toEqual({ id: 'int_1' });
    expect(seen.map(({ owner, headers }) => [owner, headers['idempotency-key']])).toEqual([
      [1, 'once'],
      [2, 'once'],
    ]);
    expect(repeats).toBeGreaterThan(0);
  });

  it.each([
    ['an order without a key', {}, ORDER],
    ['what the key does not make once', { 'idempotency-key': 'once' }, '/api/keys/'],
  ])('does not repeat %s: its answer is lost', async (_what, headers, path) => {
    answer = () => {
      one().kill();
      takeOver();
    };
    const response = await post(headers, path);
    expect([response.status, await response.json()]).toEqual([
      503,
      expect.objectContaining({ code: 'answer_lost', requestId: 'req_1' }),
    ]);
    expect(seen.length).toBe(1);
  });

  it('takes a call from an owner that was replaced while it does not answer', async () => {
    answer = (owner, response) => {
      if (owner === 2) response.end('{"page":1}');
      else takeOver();
    };
    const response = await fetch(`${gateway.url}/api/portfolio/`);
    expect(await response.json()).toEqual({ page: 1 });
  });

  it('refuses a body that no call has, before an owner sees it', async () => {
    const response = await fetch(`${gateway.url}${ORDER}`, {
      method: 'POST',
      body: 'x'.repeat(API.bodyMaximumBytes + 1),
    });
    expect([response.status, ((await response.json()) as { readonly code: string }).code]).toEqual([
      413,
      'body_too_large',
    ]);
    expect(seen).toEqual([]);
  });

  it.each([
    ['a name that not every owner reads', { X_A: '1' }, 400, 'invalid_request'],
    [
      'more headers than an owner takes',
      Object.fromEntries(Array.from({ length: 60 }, (_, index) => [`x-${index}`, '1'])),
      431,
      'headers_too_large',
    ],
  ])(
    'refuses %s, of a call and of a socket, before an owner sees it',
    async (_what, headers, status, code) => {
      const refused = await post(headers);
      expect([refused.status, await refused.json()]).toMatchObject([status, { code }]);
      const client = new WebSocket(`${gateway.url.replace('http', 'ws')}/ws`, { headers });
      client.on('error', () => undefined);
      const answered = await new Promise((resolve) =>
        client.once('unexpected-response', (_request, response) => resolve(response.statusCode)),
      );
      expect([answered, seen]).toEqual([status, []]);
    },
  );

  it('sends a stop of all to the next owner where the answer was lost', async () => {
    answer = (owner, response) => {
      if (owner === 2) return void response.end('{}');
      one().kill();
      takeOver();
    };
    const { status } = await post({}, '/internal/stop');
    expect([status, seen.map(({ owner }) => owner)]).toEqual([200, [1, 2]]);
  });

  it('refuses a whole address as the target of a call, before an owner sees it', async () => {
    const { port } = new URL(gateway.url);
    const status = await new Promise((resolve) => {
      request({ host: '127.0.0.1', port, path: 'http://evil.example/x' }, (response) =>
        resolve(response.statusCode),
      ).end();
    });
    expect([status, seen]).toEqual([400, []]);
  });

  it('answers for itself alone what is asked of it', async () => {
    expect(await (await fetch(`${gateway.url}/healthz`)).text()).toBe('own');
    expect(seen).toEqual([]);
  });

  it('keeps a socket over a take-over: it reads on from where it has heard', async () => {
    const heard: unknown[] = [];
    const asked: [number, Record<string, unknown>][] = [];
    for (const { row, sockets } of owners)
      sockets.on('connection', (socket) =>
        socket.on('message', (data) => {
          const message = JSON.parse(String(data));
          asked.push([row.epoch, message]);
          if (message.op !== 'subscribe') return;
          const { id, topics } = message;
          socket.send(JSON.stringify({ op: 'subscribed', id, topics, refused: [] }));
          socket.send(
            JSON.stringify({ topic: 'orders', kind: 'change', cursor: `c${row.epoch}`, data: {} }),
          );
        }),
      );
    const client = new WebSocket(`${gateway.url.replace('http', 'ws')}/ws`);
    client.on('message', (data) => heard.push(JSON.parse(String(data))));
    await new Promise((resolve) => client.once('open', resolve));
    client.send('{"op":"subscribe","topics":["orders"],"id":1}');
    await expect.poll(() => heard.length).toBe(2);

    one().kill();
    takeOver();
    await expect.poll(() => heard.length).toBe(3);
    expect(heard).toEqual([
      { op: 'subscribed', id: 1, topics: ['orders'], refused: [] },
      { topic: 'orders', kind: 'change', cursor: 'c1', data: {} },
      { topic: 'orders', kind: 'change', cursor: 'c2', data: {} },
    ]);
    expect(asked.map(([owner, { id: _id, ...message }]) => [owner, message])).toEqual([
      [1, { op: 'subscribe', topics: ['orders'] }],
      [2, { op: 'subscribe', topics: ['orders'], since: 'c1' }],
    ]);
    expect([client.readyState, rejoins]).toEqual([WebSocket.OPEN, 1]);
    client.terminate();
  });

  it.each(['gone', 'silent'] as const)(
    'says that a book is in doubt once its owner is %s, and shows the next one’s',
    async (how) => {
      const book = (owner: number): string =>
        `{"topic":"orderbook:venue_a:1","kind":"snapshot","epoch":${owner},"seq":4,"ageMs":20,"trusted":true,"data":{"marketId":"m","venueAtMs":7,"distrust":null,"bids":[],"asks":[]}}`;
      for (const { row, sockets } of owners)
        sockets.on('connection', (socket) =>
          socket.on('message', (data) => {
            const { id, topics } = JSON.parse(String(data));
            socket.send(JSON.stringify({ op: 'subscribed', id, topics, refused: [] }));
            socket.send(book(row.epoch));
          }),
        );
      const heard: string[] = [];
      const client = new WebSocket(`${gateway.url.replace('http', 'ws')}/ws`);
      client.on('message', (data) => heard.push(String(data)));
      await new Promise((resolve) => client.once('open', resolve));
      client.send('{"op":"subscribe","topics":["orderbook:venue_a:1"]}');
      await expect.poll(() => heard.length).toBe(2);
      if (how === 'gone') one().kill();
      else pulse = () => Promise.reject(new Error('no answer'));
      await expect.poll(() => heard.length).toBeGreaterThan(2);
      pulse = async () => undefined;
      takeOver();
      await expect.poll(() => heard.at(-1)).toBe(book(2));
      expect(JSON.parse(heard[2] ?? '')).toEqual({
        topic: 'orderbook:venue_a:1',
        kind: 'change',
        epoch: 1,
        seq: 5,
        ageMs: expect.any(Number),
        trusted: false,
        data: { venueAtMs: 7, distrust: 'disconnected', bids: [], asks: [] },
      });
    },
  );

  it('shows the next owner the newest token of a client that its head names', async () => {
    const heads: (string | undefined)[] = [];
    for (const { sockets } of owners)
      sockets.on('connection', (socket, { headers }) => {
        heads.push(headers.authorization);
        socket.send('{"op":"authenticated","userId":"usr_1"}');
        socket.on('message', (data) => {
          const { id } = JSON.parse(String(data));
          socket.send(JSON.stringify({ op: 'authenticated', id, userId: 'usr_1' }));
        });
      });
    const heard: unknown[] = [];
    const client = new WebSocket(`${gateway.url.replace('http', 'ws')}/ws`, {
      headers: { authorization: 'Bearer first' },
    });
    client.on('message', (data) => heard.push(JSON.parse(String(data))));
    await new Promise((resolve) => client.once('open', resolve));
    client.send('{"op":"auth","token":"second","id":1}');
    await expect.poll(() => heard.length).toBe(2);
    one().kill();
    takeOver();
    await expect.poll(() => heads).toEqual(['Bearer first', 'Bearer second']);
  });

  it('closes a socket as its owner does, where that was for what the client did', async () => {
    one().sockets.on('connection', (socket) => socket.close(4_401, 'token_invalid'));
    const client = new WebSocket(`${gateway.url.replace('http', 'ws')}/ws`);
    const closed = await new Promise((resolve) =>
      client.once('close', (code, reason) => resolve([code, String(reason)])),
    );
    expect(closed).toEqual([4_401, 'token_invalid']);
  });

  it('shows why an owner opens no socket, and opens none elsewhere', async () => {
    one().sockets.close();
    one().server.removeAllListeners('upgrade');
    one().server.on('upgrade', (_request, socket) =>
      socket.end('HTTP/1.1 403 Forbidden\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{}'),
    );
    const refusal = (path: string): Promise<number | undefined> =>
      new Promise((resolve) => {
        const client = new WebSocket(`${gateway.url.replace('http', 'ws')}${path}`);
        client.on('error', () => undefined);
        client.once('unexpected-response', (_request, response) => resolve(response.statusCode));
      });
    expect(await refusal('/ws')).toBe(403);
    expect(await refusal('/other')).toBe(404);
  });
  it('serves calls and sockets over TLS, and by a new certificate once there is one', async () => {
    const [first, second] = ['first', 'second'].map((name) => certificateOf(name)) as [
      RenewedCertificate,
      RenewedCertificate,
    ];
    let current = first;
    const secure = await openGateway({
      current: () => current.current(),
      renew: () => {
        current = second;
        return true;
      },
    });
    const call = (trusted: RenewedCertificate): Promise<number | undefined> =>
      new Promise((resolve, reject) => {
        const sent = requestTls(
          `${secure.url}/api/venue_b/markets/`,
          { ca: trusted.current().cert, agent: false },
          (response: IncomingMessage) => resolve(response.resume().statusCode),
        );
        sent.once('error', reject).end();
      });
    try {
      expect(secure.url).toMatch(/^https:/);
      expect(await call(first)).toBe(200);
      const client = new WebSocket(`${secure.url.replace('http', 'ws')}/ws`, {
        ca: first.current().cert,
      });
      await new Promise((resolve) => client.once('open', resolve));
      client.terminate();
      secure.renewCertificate();
      await expect(call(first)).rejects.toThrow('self-signed certificate');
      expect(await call(second)).toBe(200);
    } finally {
      await secure.close();
    }
  });
});

function certificateOf(name: string): RenewedCertificate {
  const [cert, key] = ['cert', 'key'].map((part) =>
    join(import.meta.dirname, 'certificates', `${name}.${part}.pem`),
  ) as [string, string];
  return openCertificate({ cert, key }, { info: () => undefined, warn: () => undefined });
}
