import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { eventually } from '../../support/eventually.ts';
import {
  createHttpCalls,
  type HttpCall,
  type HttpCalls,
} from '../../../src/adapters/wire/http-calls.ts';

/** Longer than a busy machine pauses. */
const PATIENT_MS = 60_000;
let server: Server;
let calls: HttpCalls;
let requests: string[];
let sockets: Set<Socket>;
let answer: (socket: Socket) => void;

const ok = (body: string, headers = ''): string =>
  `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\n${headers}\r\n${body}`;
const get = (change: Partial<HttpCall> = {}) =>
  calls.send({ method: 'GET', path: '/x', timeoutMs: PATIENT_MS, ...change });

beforeEach(async () => {
  requests = [];
  sockets = new Set();
  answer = (socket) => socket.write(ok('{}'));
  server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.on('close', () => sockets.delete(socket));
    socket.on('data', (data) => {
      requests.push(data.toString());
      answer(socket);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo; // a TCP server that listens has one
  calls = createHttpCalls({
    baseUrl: `http://127.0.0.1:${port}/base`,
    connectionsMaximum: 4,
    keepAliveMs: 1_000,
    connectTimeoutMs: PATIENT_MS,
    answerMaximumBytes: 1_000,
  });
});
afterEach(async () => {
  for (const socket of sockets) socket.destroy();
  await calls.close();
  await new Promise((resolve) => server.close(resolve));
});

describe('a call', () => {
  it('sends exactly the body it was given, behind the base path', async () => {
    const body = '{"b":1,"a":2}';
    expect(
      await calls.send({
        method: 'POST',
        path: '/order?x=1',
        body,
        headers: { POLY_ADDRESS: '0x1' },
        timeoutMs: PATIENT_MS,
      }),
    ).toEqual({ kind: 'answered', status: 200, text: '{}', retryAfterMs: null });
    expect(requests.join('')).toMatch(/^POST \/base\/order\?x=1 HTTP\/1\.1\r\n/);
    expect(requests.join('').endsWith(`\r\n\r\n${body}`)).toBe(true);
  });

  it('reads Retry-After in seconds and ignores its other form', async () => {
    answer = (socket) => socket.write(ok('{}', 'retry-after: 7\r\n'));
    expect(await get()).toMatchObject({ retryAfterMs: 7_000 });
    answer = (socket) => socket.write(ok('{}', 'retry-after: Wed, 21 Oct 2026 07:28:00 GMT\r\n'));
    expect(await get()).toMatchObject({ retryAfterMs: null });
  });

  it('L2: is lost when the connection is reset after the request went out, and is not repeated', async () => {
    answer = (socket) => socket.resetAndDestroy();
    expect(
      await calls.send({ method: 'POST', path: '/order', body: '{}', timeoutMs: PATIENT_MS }),
    ).toMatchObject({ kind: 'lost' });
    expect(requests).toHaveLength(1);
  });

  it('L2: is lost when the answer breaks off', async () => {
    answer = (socket) => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 50\r\n\r\n{"success":true');
    expect(await get()).toMatchObject({ kind: 'lost' });
  });

  it('L2: is lost when no answer comes in time', async () => {
    answer = () => undefined;
    expect(await get({ timeoutMs: 50 })).toEqual({ kind: 'lost', cause: 'no answer in 50 ms' });
  });

  it('is lost when the caller gives up', async () => {
    answer = () => undefined;
    const giveUp = new AbortController();
    const outcome = get({ signal: giveUp.signal });
    await eventually(() => expect(requests).toHaveLength(1));
    giveUp.abort();
    expect(await outcome).toMatchObject({ kind: 'lost' });
  });

  it('is lost when the answer is over the limit', async () => {
    answer = (socket) => socket.write(ok('x'.repeat(1_001)));
    expect(await get()).toEqual({
      kind: 'lost',
      cause: 'an answer over 1000 bytes',
      isOversized: true,
    });
  });

  it('is unsent when no server listens', async () => {
    const nowhere = createHttpCalls({
      baseUrl: 'http://127.0.0.1:9',
      connectionsMaximum: 1,
      keepAliveMs: 1_000,
      connectTimeoutMs: PATIENT_MS,
      answerMaximumBytes: 1_000,
    });
    expect(
      await nowhere.send({ method: 'POST', path: '/order', body: '{}', timeoutMs: PATIENT_MS }),
    ).toEqual({ kind: 'unsent', cause: 'ECONNREFUSED' });
    await nowhere.close();
  });
});
