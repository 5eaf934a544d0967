import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import type { HttpResponse, Listener, ServerSocket } from '../../../src/http/listener/listener.ts';
import { openListener } from '../../../src/http/listener/open-listener.ts';
import { serverUnderTest } from '../server-under-test.ts';

const kind = serverUnderTest();
const BACKLOG = 1 << 20;

/** What a socket is opened with. */
interface Data {
  readonly name: string;
}

/** What happened to calls and sockets, in order. */
const seen: string[] = [];
const sockets = new Map<string, ServerSocket<Data>>();
const waiting = new Map<string, (response: HttpResponse) => void>();
let listener: Listener;
let port = 0;

beforeAll(async () => {
  listener = await openListener(kind);
  listener.onSockets<Data>(['/ws'], {
    limits: {
      payloadMaximumBytes: 1_000,
      // the least that uWebSockets.js takes is 8
      idleSeconds: kind === 'uws' ? 8 : 1,
      backlogMaximumBytes: BACKLOG,
    },
    upgrade(response, request, accept) {
      const name = request.getQuery() ?? '';
      if (name === '') response.writeStatus('403 Forbidden').end('no name', true);
      else accept({ name });
    },
    open: (socket) => void sockets.set(socket.getUserData().name, socket),
    message(socket, message, isBinary) {
      const text = Buffer.from(message).toString('utf8');
      seen.push(`${socket.getUserData().name} says ${isBinary ? 'bytes' : text}`);
      if (text === 'end') socket.end(4_000, 'as asked');
      else if (text.startsWith('+')) socket.subscribe(text.slice(1));
      else if (text.startsWith('-')) socket.unsubscribe(text.slice(1));
      if (text !== 'end') socket.send(`heard ${text}`, false);
    },
    close: (socket) => void seen.push(`${socket.getUserData().name} closed`),
  });
  listener.onCalls({ call, unreadable: (response) => response.close() });
  port = (await listener.listen('127.0.0.1', 0)) ?? 0;
});

afterAll(() => {
  listener.stopListening();
  listener.close();
});

/** Answers `/echo` with the body, `/wait/…` when the test says so, and all else at once. */
function call(
  response: HttpResponse,
  request: { getUrl(): string; getCaseSensitiveMethod(): string },
): void {
  const path = request.getUrl();
  seen.push(`${request.getCaseSensitiveMethod()} ${path}`);
  const chunks: Buffer[] = [];
  response.onAborted(() => void seen.push(`aborted ${path}`));
  if (path.startsWith('/echo'))
    response.onData((chunk, isLast) => {
      chunks.push(Buffer.from(Buffer.from(chunk)));
      if (isLast) response.cork(() => void answer(response, Buffer.concat(chunks)));
    });
  else if (path.startsWith('/wait/')) waiting.get(path)?.(response);
  else if (path === '/nothing') response.writeStatus('204 No Content').endWithoutBody();
  else if (path === '/stream') stream(response);
  else answer(response, path);
}

function answer(response: HttpResponse, body: string | Uint8Array): void {
  response.writeStatus('200 OK').writeHeader('X-A', 'b').end(body);
}

/** Writes until the reader does not keep up. */
function stream(response: HttpResponse): void {
  response.writeStatus('200 OK').writeHeader('Content-Type', 'text/event-stream');
  const part = 'a'.repeat(65_536);
  const more = (): void => {
    let isWritten = true;
    response.cork(() => void (isWritten = response.write(part)));
    if (isWritten) return void setImmediate(more);
    seen.push('reader is behind');
    response.close();
  };
  more();
}

/** The response to the next call of a path, while it waits. */
function arrival(path: string): Promise<HttpResponse> {
  return new Promise((resolve) => waiting.set(path, resolve));
}

/** A connection and what comes back on it. */
interface Line {
  readonly socket: Socket;
  readonly closed: Promise<string>;
  /** Waits until what came back matches. */
  until(pattern: RegExp): Promise<string>;
}

function dial(bytes: string): Line {
  const socket = connect(port, '127.0.0.1', () => socket.write(bytes, 'latin1'));
  let text = '';
  socket.setEncoding('latin1').on('data', (part) => (text += String(part)));
  socket.on('error', () => undefined);
  return {
    socket,
    closed: once(socket, 'close').then(() => text),
    async until(pattern) {
      while (!pattern.test(text)) await once(socket, 'data');
      return text;
    },
  };
}

async function open(name: string): Promise<WebSocket> {
  const socket = new WebSocket(`ws://127.0.0.1:${port}/ws?${name}`);
  await once(socket, 'open');
  return socket;
}

/** Says something and waits until it was heard. */
async function say(socket: WebSocket, text: string): Promise<string> {
  socket.send(text);
  const [heard] = await once(socket, 'message');
  return String(heard);
}

function serverSocket(name: string): ServerSocket<Data> {
  const socket = sockets.get(name);
  if (socket === undefined) throw new Error(`${name} is not open`);
  return socket;
}

const GET = (path: string, more = ''): string => `GET ${path} HTTP/1.1\r\nHost: a\r\n${more}\r\n`;

describe('calls', () => {
  it('are answered on one connection, one after the other, with and without a body', async () => {
    const line = dial(GET('/nothing'));
    expect(await line.until(/\r\n\r\n$/)).toMatch(/^HTTP\/1\.1 204 No Content\r\n/);
    line.socket.write('POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhel');
    line.socket.write('lo');
    expect(await line.until(/hello$/)).toMatch(/x-a: b/i);
    line.socket.write(GET('/end', 'Connection: close\r\n'));
    expect(await line.until(/\/end$/)).toMatch(/content-length: 4\r\n/i);
    line.socket.destroy();
  });

  it('end their connection where the next one comes before the answer', async () => {
    const arrived = arrival('/wait/pipelined');
    const { closed } = dial(GET('/wait/pipelined') + GET('/never/pipelined'));
    await arrived;
    expect(await closed).toBe('');
    expect(seen).toContain('aborted /wait/pipelined');
    expect(seen).not.toContain('GET /never/pipelined');
  });

  it('run nothing that follows an answer that ends its connection', async () => {
    const arrived = arrival('/wait/last');
    const line = dial(GET('/wait/last'));
    const response = await arrived;
    response.cork(() => void response.writeStatus('400 Bad Request').end('no', true));
    line.socket.write(GET('/never/last'));
    expect(await line.closed).toMatch(/^HTTP\/1\.1 400 [\s\S]*connection: close[\s\S]*no$/i);
    expect(seen).not.toContain('GET /never/last');
  });

  it.each([
    ['before its body has come', 'POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\nhel'],
    ['before it is answered', GET('/wait/left')],
  ])('are aborted once where the sender leaves %s', async (_when, bytes) => {
    const [, path = ''] = bytes.split(' ');
    const before = seen.length;
    const arrived = arrival(path);
    const { socket } = dial(bytes);
    if (path.startsWith('/wait')) await arrived;
    await until(() => seen.slice(before).some((each) => each.endsWith(path)));
    socket.destroy();
    await until(() => seen.slice(before).includes(`aborted ${path}`));
    expect(seen.slice(before).filter((each) => each === `aborted ${path}`)).toHaveLength(1);
  });

  it('know a stream whose reader does not keep up', async () => {
    const { socket, closed } = dial(GET('/stream'));
    socket.pause();
    await until(() => seen.includes('reader is behind'));
    socket.resume();
    await closed;
  });

  it('are answered where they ask for an upgrade that does not exist', async () => {
    const bytes =
      'POST /echo/h2c HTTP/1.1\r\nHost: a\r\nConnection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQAoAAAAAIAAAAA\r\nContent-Length: 5\r\n\r\nhe';
    const line = dial(bytes);
    await until(() => seen.includes('POST /echo/h2c'));
    line.socket.write('llo');
    expect(await line.until(/hello$/)).toMatch(/^HTTP\/1\.1 200 OK/);
    line.socket.destroy();
  });
});

describe('sockets', () => {
  it('are refused as calls are', async () => {
    const line = dial(
      GET(
        '/ws',
        'Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n',
      ),
    );
    expect(await line.closed).toMatch(/^HTTP\/1\.1 403 Forbidden[\s\S]*no name$/);
  });

  it('hear what is published on their channels, in order with what is sent to them', async () => {
    const socket = await open('reader');
    const other = await open('other');
    await say(socket, '+book');
    await say(other, '+price');
    const heard: string[] = [];
    socket.on('message', (text) => heard.push(String(text)));
    const long = 'b'.repeat(70_000);
    listener.publish('book', Buffer.from('one'));
    listener.publish('price', Buffer.from('not for it'));
    serverSocket('reader').send('two', false);
    listener.publish('book', Buffer.from('3'.repeat(200)));
    listener.publish('book', Buffer.from(long));
    serverSocket('reader').send(Buffer.from('é'), false);
    await until(() => heard.length >= 5);
    expect(heard).toEqual(['one', 'two', '3'.repeat(200), long, 'é']);
    await say(socket, '-book');
    listener.publish('book', Buffer.from('gone'));
    expect(await say(socket, 'last')).toBe('heard last');
    socket.terminate();
    other.terminate();
  });

  it('are cut off where they do not read', async () => {
    const socket = await open('slow');
    await say(socket, '+flood');
    socket.pause();
    const part = Buffer.alloc(BACKLOG / 4, 97);
    await until(() => {
      if (!seen.includes('slow closed')) listener.publish('flood', part);
      return seen.includes('slow closed');
    });
    const closed = once(socket, 'close');
    socket.resume();
    expect((await closed)[0]).toBe(1006);
  });

  it('end with the code they are given, and are closed once', async () => {
    const socket = await open('ended');
    socket.send('end');
    const [code, reason] = await once(socket, 'close');
    expect([code, String(reason)]).toEqual([4_000, 'as asked']);
    expect(seen.filter((each) => each === 'ended closed')).toHaveLength(1);
  });

  it('end for a message beyond the limit', async () => {
    const socket = await open('large');
    socket.send('a'.repeat(2_000));
    // uWebSockets.js cuts, ws says why
    expect([1006, 1009]).toContain((await once(socket, 'close'))[0]);
    await until(() => seen.includes('large closed'));
  });

  it('tell text from bytes', async () => {
    const socket = await open('bytes');
    socket.send(Buffer.from([1, 2]));
    await once(socket, 'message');
    expect(seen).toContain('bytes says bytes');
    socket.terminate();
  });

  it('are cut off where their pings are not answered', async () => {
    const socket = new WebSocket(`ws://127.0.0.1:${port}/ws?idle`, { autoPong: false });
    expect((await once(socket, 'close'))[0]).toBe(1006);
  });
});

describe('binding', () => {
  it('gives null where the port is taken', async () => {
    const second = await openListener(kind);
    expect(await second.listen('127.0.0.1', port)).toBeNull();
    second.close();
  });

  it('names the server', () => {
    expect(listener.kind).toBe(kind);
  });
});

/** Waits, in turns of the event loop, until something was seen. */
async function until(isSeen: () => boolean): Promise<void> {
  while (!isSeen()) await new Promise((resolve) => setImmediate(resolve));
}
