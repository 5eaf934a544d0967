import { once } from 'node:events';
import { createServer } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { WebSocket, WebSocketServer } from 'ws';
import {
  createVirtualClock,
  type VirtualClock,
} from '../../../src/adapters/clock/virtual-clock.ts';
import { eventually } from '../../support/eventually.ts';
import { startProxy, type Proxy } from './proxy.ts';
import { SWAP_WAIT_MS } from './swap.ts';
import { CALM, type Fault, type Unit, type FaultSchedule } from './fault-schedule.ts';

/** Answers every request with its own method, path and body, and remembers it. */
interface Echo {
  readonly port: number;
  readonly requests: string[];
  readonly broken: string[];
  readonly sockets: WebSocket[];
  readonly frames: string[];
  close(): Promise<void>;
}

let clock: VirtualClock;
let echo: Echo;
let proxy: Proxy;
let struck: string[];
const clients: (Socket | WebSocket)[] = [];

beforeEach(async () => {
  clock = createVirtualClock(0);
  echo = await startEcho();
  struck = [];
  proxy = await startProxy({
    name: 'echo',
    target: () => ({ host: '127.0.0.1', port: echo.port }),
    clock,
    onBlow: ({ connection, number, way, carries }, { fault }) =>
      void struck.push(`${fault} ${carries} ${connection}.${number} ${way}`),
  });
});
afterEach(async () => {
  for (const client of clients.splice(0))
    if (client instanceof WebSocket) client.terminate();
    else client.destroy();
  await proxy.close();
  await echo.close();
});

async function startEcho(): Promise<Echo> {
  const requests: string[] = [];
  const broken: string[] = [];
  const frames: string[] = [];
  const sockets: WebSocket[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => void chunks.push(chunk));
    request.on('error', () => void broken.push(request.url ?? ''));
    request.on('end', () => {
      const text =
        `${request.method ?? ''} ${request.url ?? ''} ${Buffer.concat(chunks).toString('utf8')}`.trim();
      requests.push(text);
      // with a length, and in chunks
      if (request.url?.startsWith('/chunks') === true) response.write(text.slice(0, 3));
      response.end(request.url?.startsWith('/chunks') === true ? text.slice(3) : text);
    });
  });
  server.on('clientError', (_error, socket) => {
    broken.push('half a request');
    socket.destroy();
  });
  const socketServer = new WebSocketServer({ server });
  socketServer.on('connection', (socket) => {
    sockets.push(socket);
    socket.on('message', (data) => void frames.push(String(data)));
    socket.on('error', () => undefined);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    requests,
    broken,
    sockets,
    frames,
    close: () =>
      new Promise((resolve) => {
        for (const socket of sockets) socket.terminate();
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** Weather with one fault, at the given units and no others. */
function only(fault: Fault, at: Partial<Unit>, share = 0.5): FaultSchedule {
  const wanted = Object.entries(at);
  return {
    blowAt: (unit) =>
      wanted.every(([name, value]) => unit[name as keyof Unit] === value)
        ? { fault, delayMs: 3_000, share }
        : null,
  }; // the names are a unit's
}

/** A raw client: what it hears, and how its connection ended. */
interface RawClient {
  readonly socket: Socket;
  heard(): string;
  ended(): 'open' | 'closed' | 'reset';
}

async function rawClient(): Promise<RawClient> {
  const socket = connect(proxy.port, '127.0.0.1');
  clients.push(socket);
  let text = '';
  let end: 'open' | 'closed' | 'reset' = 'open';
  socket.on('data', (bytes: Buffer) => void (text += bytes.toString('latin1')));
  socket.on(
    'error',
    (error) => void (end = 'code' in error && error.code === 'ECONNRESET' ? 'reset' : 'closed'),
  );
  socket.on('close', () => void (end = end === 'reset' ? 'reset' : 'closed'));
  await once(socket, 'connect');
  return { socket, heard: () => text, ended: () => end };
}

function request(path: string, body = ''): string {
  return `POST ${path} HTTP/1.1\r\nHost: echo\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
}

async function openSocket(): Promise<{
  readonly socket: WebSocket;
  readonly heard: string[];
  ended(): boolean;
}> {
  const socket = new WebSocket(`ws://127.0.0.1:${proxy.port}`);
  clients.push(socket);
  const heard: string[] = [];
  let isEnded = false;
  socket.on('message', (data) => void heard.push(String(data)));
  socket.on('error', () => undefined);
  socket.on('close', () => void (isEnded = true));
  await once(socket, 'open');
  return { socket, heard, ended: () => isEnded };
}

/** The server's side of the newest socket. */
async function serverSide(): Promise<WebSocket> {
  return eventually(() => {
    const socket = echo.sockets.at(-1);
    if (socket === undefined) throw new Error('no client has come yet');
    return socket;
  });
}

describe('the chaos proxy without faults', () => {
  it('passes requests and answers on byte for byte, with lengths and in chunks, over one connection', async () => {
    const direct = connect(echo.port, '127.0.0.1');
    clients.push(direct);
    let wanted = '';
    direct.on('data', (bytes: Buffer) => void (wanted += bytes.toString('latin1')));
    const client = await rawClient();
    for (const [index, path] of ['/a', '/chunks', '/c'].entries()) {
      for (const socket of [direct, client.socket]) socket.write(request(path, 'kept'));
      await eventually(() => expect(echo.requests).toHaveLength((index + 1) * 2));
      await eventually(() =>
        expect(
          [wanted, client.heard()].map(
            (text) => text.includes(`${path} kept`) || text.includes('ST /chunks kept'),
          ),
        ).toEqual([true, true]),
      );
    }
    const dateless = (text: string): string => text.replaceAll(/Date: [^\r]+/g, 'Date');
    await eventually(() => expect(dateless(client.heard())).toBe(dateless(wanted)));
  });

  it('passes a request that comes in pieces, and frames of all sizes both ways', async () => {
    const client = await rawClient();
    const bytes = Buffer.from(request('/pieces', 'piece by piece'));
    for (let at = 0; at < bytes.length; at += 7) {
      client.socket.write(bytes.subarray(at, at + 7));
      await new Promise((resolve) => setImmediate(resolve));
    }
    await eventually(() => expect(echo.requests).toEqual(['POST /pieces piece by piece']));
    const { socket, heard } = await openSocket();
    const texts = [10, 200, 70_000].map((length) => 'x'.repeat(length));
    const server = await serverSide();
    for (const text of texts) {
      socket.send(text);
      server.send(text);
    }
    await eventually(() => expect([echo.frames, heard]).toEqual([texts, texts]));
  });

  it('ends a connection that speaks neither HTTP nor WebSocket', async () => {
    const client = await rawClient();
    client.socket.write('EHLO unknown\r\n\r\n');
    await eventually(() => expect(client.ended()).toBe('reset'));
    expect(echo.requests).toEqual([]);
  });
});

describe('faults of the chaos proxy on HTTP', () => {
  it('drops a request: the server never hears of it and the client of nothing; the next connection is fair', async () => {
    proxy.setFaultSchedule(only('drop', { carries: 'request', connection: 1 }));
    const client = await rawClient();
    client.socket.write(request('/lost'));
    await eventually(() => expect(struck).toEqual(['drop request 1.1 there']));
    const other = await rawClient();
    other.socket.write(request('/there'));
    await eventually(() => expect(other.heard()).toContain('POST /there'));
    expect([echo.requests, client.heard(), client.ended()]).toEqual([['POST /there'], '', 'open']);
  });

  it('drops an answer: the server has done its work and the client hears nothing', async () => {
    proxy.setFaultSchedule(only('drop', { carries: 'answer' }));
    const client = await rawClient();
    client.socket.write(request('/done'));
    await eventually(() => expect(struck).toEqual(['drop answer 1.1 back']));
    expect([echo.requests, client.heard(), client.ended()]).toEqual([['POST /done'], '', 'open']);
  });

  it('delays a request until its time has come, also when its sender has gone', async () => {
    proxy.setFaultSchedule(only('delay', { carries: 'request' }));
    const client = await rawClient();
    client.socket.write(request('/late'));
    await eventually(() => expect(struck).toEqual(['delay request 1.1 there']));
    client.socket.destroy();
    await clock.advance(2_999);
    expect(echo.requests).toEqual([]);
    await clock.advance(1);
    await eventually(() => expect(echo.requests).toEqual(['POST /late']));
  });

  it('delays an answer until its time has come', async () => {
    proxy.setFaultSchedule(only('delay', { carries: 'answer' }));
    const client = await rawClient();
    client.socket.write(request('/late'));
    await eventually(() => expect(struck).toEqual(['delay answer 1.1 back']));
    await clock.advance(2_999);
    expect(client.heard()).toBe('');
    await clock.advance(1);
    await eventually(() => expect(client.heard()).toContain('POST /late'));
  });

  it.each([
    ['the first answer', 0.9],
    ['the answer to the copy', 0.1],
  ])(
    'doubles a request, the same bytes twice, and the client hears one answer, %s',
    async (_which, share) => {
      proxy.setFaultSchedule(only('duplicate', { carries: 'request' }, share));
      const client = await rawClient();
      client.socket.write(request('/twice', 'same'));
      await eventually(() =>
        expect(echo.requests).toEqual(['POST /twice same', 'POST /twice same']),
      );
      await eventually(() =>
        expect(client.heard().match(/POST \/twice same/g)).toEqual(['POST /twice same']),
      );
      proxy.setFaultSchedule(only('drop', { connection: 99 }));
      client.socket.write(request('/once'));
      await eventually(() => expect(client.heard().match(/200 OK/g)).toHaveLength(2));
      expect(echo.requests.at(-1)).toBe('POST /once');
    },
  );

  it('swaps two requests of different connections, and lets one pass that no other follows', async () => {
    proxy.setFaultSchedule(only('reorder', { carries: 'request', connection: 1 }));
    const first = await rawClient();
    first.socket.write(request('/first'));
    await eventually(() => expect(clock.pending).toBe(1));
    const second = await rawClient();
    second.socket.write(request('/second'));
    await eventually(() =>
      expect([first.heard(), second.heard()].map((text) => text.includes('200 OK'))).toEqual([
        true,
        true,
      ]),
    );
    expect([[...echo.requests].sort(), struck]).toEqual([
      ['POST /first', 'POST /second'],
      ['reorder request 1.1 there'],
    ]);
    first.socket.write(request('/alone'));
    await eventually(() => expect(clock.pending).toBe(1));
    await clock.advance(SWAP_WAIT_MS);
    await eventually(() => expect(echo.requests.at(-1)).toBe('POST /alone'));
    expect(struck).toHaveLength(1);
  });

  it('truncates a request: the server gets half of it and never acts on it', async () => {
    proxy.setFaultSchedule(only('truncate', { carries: 'request' }, 0.9));
    const client = await rawClient();
    client.socket.write(request('/half', 'x'.repeat(500)));
    await eventually(() =>
      expect([client.ended(), echo.broken]).toEqual([
        'closed',
        expect.arrayContaining(['half a request']),
      ]),
    );
    expect(echo.requests).toEqual([]);
  });

  it('truncates an answer: the client gets half of it and the connection closes', async () => {
    proxy.setFaultSchedule(only('truncate', { carries: 'answer' }));
    const client = await rawClient();
    client.socket.write(request('/half'));
    await eventually(() => expect(client.ended()).toBe('closed'));
    expect([
      echo.requests,
      client.heard().startsWith('HTTP/1.1 200 OK'),
      client.heard().includes('POST /half'),
    ]).toEqual([['POST /half'], true, false]);
  });

  it.each([
    ['before', 'request', []],
    ['after', 'answer', ['POST /cut']],
  ] as const)(
    'resets the connection %s the server has done its work',
    async (_when, carries, requests) => {
      proxy.setFaultSchedule(only('reset', { carries }));
      const client = await rawClient();
      client.socket.write(request('/cut'));
      await eventually(() => expect(client.ended()).toBe('reset'));
      expect([echo.requests, client.heard()]).toEqual([requests, '']);
    },
  );

  it('stalls: the connection stays open and nothing passes on it any more', async () => {
    proxy.setFaultSchedule(only('stall', { carries: 'request', number: 1, connection: 1 }));
    const client = await rawClient();
    client.socket.write(request('/silent'));
    await eventually(() => expect(struck).toEqual(['stall request 1.1 there']));
    client.socket.write(request('/silent-too'));
    const other = await rawClient();
    other.socket.write(request('/there'));
    await eventually(() => expect(other.heard()).toContain('POST /there'));
    expect([echo.requests, client.heard(), client.ended()]).toEqual([['POST /there'], '', 'open']);
  });
});

describe('faults of the chaos proxy on WebSocket frames', () => {
  /** Three frames from the server, of which the fault schedule meets the first. */
  async function threeBack(
    fault: Fault,
    share = 0.5,
  ): Promise<Awaited<ReturnType<typeof openSocket>>> {
    proxy.setFaultSchedule(only(fault, { carries: 'frame', way: 'back', number: 1 }, share));
    const client = await openSocket();
    const server = await serverSide();
    for (const text of ['one', 'two', 'three']) server.send(text);
    return client;
  }

  it.each([
    ['drop', ['two', 'three']],
    ['duplicate', ['one', 'one', 'two', 'three']],
    ['reorder', ['two', 'one', 'three']],
  ] as const)('%s reaches the client as it should', async (fault, wanted) => {
    const { heard } = await threeBack(fault);
    await eventually(() => expect(heard).toEqual(wanted));
    expect(struck).toEqual([`${fault} frame 1.1 back`]);
  });

  it.each([
    ['drop', ['two', 'three']],
    ['duplicate', ['one', 'one', 'two', 'three']],
    ['reorder', ['two', 'one', 'three']],
  ] as const)('%s reaches the server as it should', async (fault, wanted) => {
    proxy.setFaultSchedule(only(fault, { carries: 'frame', way: 'there', number: 1 }));
    const { socket } = await openSocket();
    for (const text of ['one', 'two', 'three']) socket.send(text);
    await eventually(() => expect(echo.frames).toEqual(wanted));
  });

  it('delays a frame and all behind it, as a line does', async () => {
    const { heard } = await threeBack('delay');
    await eventually(() => expect(struck).toEqual(['delay frame 1.1 back']));
    await clock.advance(2_999);
    expect(heard).toEqual([]);
    await clock.advance(1);
    await eventually(() => expect(heard).toEqual(['one', 'two', 'three']));
  });

  it.each(['truncate', 'reset'] as const)(
    '%s ends the socket before the frame is whole',
    async (fault) => {
      const { heard, ended } = await threeBack(fault);
      await eventually(() => expect(ended()).toBe(true));
      expect(heard).toEqual([]);
    },
  );

  it('stalls: the socket stays open, also when the server leaves', async () => {
    const { heard, ended } = await threeBack('stall');
    await eventually(() => expect(struck).toEqual(['stall frame 1.1 back']));
    (await serverSide()).terminate();
    proxy.setFaultSchedule(CALM);
    const other = await openSocket();
    await eventually(() => expect(echo.sockets).toHaveLength(2));
    (await serverSide()).send('fair');
    await eventually(() => expect(other.heard).toEqual(['fair']));
    expect([heard, ended()]).toEqual([[], false]);
  });
});
