import { once } from 'node:events';
import { connect } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { NODE_SERVER } from '../../../config/limits/node-server.ts';
import type { CallerAddresses } from '../../../src/http/caller-address.ts';
import type { Listener } from '../../../src/http/listener/listener.ts';
import { createNodeListener } from '../../../src/http/listener/node-listener.ts';

/** Loopback is all a test has: here it is bounded like any other. */
const bounded: CallerAddresses = { of: (peer) => peer, isUnbounded: () => false };
let listener: Listener;
let port = 0;

beforeAll(async () => {
  listener = createNodeListener(bounded);
  listener.onCalls({
    call: (response) => void response.writeStatus('200 OK').end('here'),
    unreadable: (response) => response.close(),
  });
  port = (await listener.listen('127.0.0.1', 0)) ?? 0;
});
afterAll(() => listener.close());

const open = async () => {
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  return socket;
};

it('cuts connections of an address beyond its share, and takes one again once another has gone', async () => {
  const held = await Promise.all(
    Array.from({ length: NODE_SERVER.connectionsPerAddressMaximum }, open),
  );
  const last = held.at(-1) ?? expect.unreachable();
  last.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
  await once(last, 'data');
  const cut = await open();
  await once(cut, 'close');
  last.destroy();
  const answer = async (): Promise<string> => {
    const socket = await open();
    socket.write('GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n');
    const text = await new Promise<string>((resolve) => {
      let read = '';
      socket.on('data', (data) => (read += String(data)));
      socket.on('close', () => resolve(read));
    });
    return text === '' ? answer() : text;
  };
  expect(await answer()).toContain('200 OK');
  for (const socket of held) socket.destroy();
});
