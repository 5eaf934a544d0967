import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { eventually } from '../../support/eventually.ts';
import { WebSocketServer, type WebSocket } from 'ws';
import {
  createVirtualClock,
  type VirtualClock,
} from '../../../src/adapters/clock/virtual-clock.ts';
import {
  openSocket,
  type SocketHandle,
  type SocketOptions,
} from '../../../src/adapters/wire/socket-frames.ts';

let server: WebSocketServer;
let peers: WebSocket[];
let heard: string[];
let clock: VirtualClock;
let sockets: SocketHandle[];

beforeEach(async () => {
  peers = [];
  heard = [];
  sockets = [];
  clock = createVirtualClock(1_000_000);
  server = new WebSocketServer({ host: '127.0.0.1', port: 0 });
  server.on('connection', (peer) => {
    peers.push(peer);
    peer.on('message', (data) => heard.push(String(data)));
  });
  await new Promise((resolve) => server.on('listening', resolve));
});
afterEach(async () => {
  for (const socket of sockets) socket.close();
  await new Promise((resolve) => server.close(resolve));
});

function url(): string {
  const address = server.address();
  return typeof address === 'object' && address !== null
    ? `ws://127.0.0.1:${address.port}/feed?token=secret`
    : '';
}

function open(change: Partial<SocketOptions> = {}) {
  const frames: string[] = [];
  const errors: unknown[] = [];
  const opened = vi.fn();
  const socket = openSocket(
    {
      url: url(),
      clock,
      maximumBytes: 1_024,
      handshakeTimeoutMs: 60_000,
      idleMs: null,
      opened,
      ...change,
    },
    {
      next: (frame) => frames.push(frame.toString('latin1')),
      error: (cause) => errors.push(cause),
    },
  );
  sockets.push(socket);
  return {
    socket,
    frames,
    errors,
    isOpen: () => eventually(() => expect(opened).toHaveBeenCalledTimes(1)),
  };
}

const ping = { text: 'PING', everyMs: 10_000, answer: 'PONG', answerWithinMs: 30_000 };

describe('a socket', () => {
  it('sends after it is open, and gives frames in order, bytes that are no UTF-8 too', async () => {
    const { socket, frames, isOpen } = open();
    expect(socket.send('too early')).toBe(false);
    await isOpen();
    expect(socket.send('subscribe')).toBe(true);
    await eventually(() => expect(heard).toEqual(['subscribe']));
    for (const peer of peers) {
      peer.send('one');
      peer.send(Buffer.from([0xff, 0xfe]), { binary: false });
      peer.send('two');
    }
    await eventually(() => expect(frames).toEqual(['one', '\xff\xfe', 'two']));
  });

  it('pings as text and keeps the answers from the listener', async () => {
    const { frames, isOpen } = open({ ping });
    await isOpen();
    await clock.advance(10_000);
    await eventually(() => expect(heard).toEqual(['PING']));
    for (const peer of peers) {
      peer.send('PONG');
      peer.send('data');
    }
    await eventually(() => expect(frames).toEqual(['data']));
  });

  it('is lost, once and retryable, when the pings stay unanswered', async () => {
    const { errors, isOpen } = open({ ping });
    await isOpen();
    await clock.advance(40_000);
    expect(errors).toEqual([
      expect.objectContaining({
        code: 'venue_unavailable',
        retryable: true,
        message: expect.stringContaining('no PONG'),
      }),
    ]);
    await clock.advance(100_000);
    expect(errors).toHaveLength(1);
  });

  it('silent-stall: is lost after silence although pings are answered', async () => {
    const { errors, frames, isOpen } = open({ ping, idleMs: 25_000 });
    await isOpen();
    for (const peer of peers) peer.send('data');
    await eventually(() => expect(frames).toEqual(['data']));
    await clock.advance(24_999);
    for (const peer of peers) peer.send('PONG');
    expect(errors).toEqual([]);
    await clock.advance(1);
    expect(errors).toEqual([
      expect.objectContaining({ message: expect.stringContaining('silent for 25000 ms') }),
    ]);
  });

  it('L12: is lost when the peer closes, with a message that hides the query', async () => {
    const { errors, isOpen } = open();
    await isOpen();
    for (const peer of peers) peer.close(4_001, 'go away');
    await eventually(() =>
      expect(errors).toEqual([
        expect.objectContaining({
          message: expect.stringMatching(/\/feed: closed with code 4001 go away$/),
        }),
      ]),
    );
  });

  it('is lost on a frame over the limit', async () => {
    const { errors, isOpen } = open();
    await isOpen();
    for (const peer of peers) peer.send('x'.repeat(1_025));
    await eventually(() => expect(errors).toHaveLength(1));
  });

  it('is lost when no server listens', async () => {
    const { errors } = open({ url: 'ws://127.0.0.1:9' });
    await eventually(() =>
      expect(errors).toEqual([
        expect.objectContaining({ code: 'venue_unavailable', retryable: true }),
      ]),
    );
  });

  it('counts silence, pings and their answers in wall time on a clock that runs ten times as fast', async () => {
    const fast = createVirtualClock(1_000_000, { speed: 10 });
    const { errors, isOpen } = open({ clock: fast, ping, idleMs: 25_000 });
    await isOpen();
    await fast.advance(99_999);
    expect(heard).toEqual([]);
    await fast.advance(1);
    await eventually(() => expect(heard).toEqual(['PING']));
    await fast.advance(149_999);
    expect(errors).toEqual([]);
    await fast.advance(1);
    expect(errors).toEqual([
      expect.objectContaining({ message: expect.stringContaining('silent for 25000 ms') }),
    ]);
  });

  it('says nothing after it was closed here', async () => {
    const { socket, errors, frames, isOpen } = open({ ping, idleMs: 1_000 });
    await isOpen();
    socket.close();
    for (const peer of peers) peer.send('late');
    await eventually(() => expect(server.clients.size).toBe(0));
    await clock.advance(100_000);
    expect([errors, frames, socket.send('more')]).toEqual([[], [], false]);
  });
});
