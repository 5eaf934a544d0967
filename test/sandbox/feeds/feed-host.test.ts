import { connect } from 'node:net';
import { expect, it } from 'vitest';
import { createSeededRandom } from '../../../src/adapters/random/seeded-random.ts';
import { createFaultBoard } from '../../../src/sandbox/faults.ts';
import { json, startFeedHost } from '../../../src/sandbox/feeds/feed-host.ts';

it('outlives clients that are refused a socket and reset the connection', async () => {
  const host = await startFeedHost(0, createFaultBoard(createSeededRandom(1)), {
    answer: () => json(200, { ok: true }),
    admit: () => json(401, { error: 'no key' }),
  });
  for (let client = 0; client < 5; client += 1)
    expect(await refusedAndReset(Number(new URL(host.url).port))).toContain('HTTP/1.1 401');
  expect(await (await fetch(host.url)).json()).toEqual({ ok: true });
  await host.close();
});

/** Asks for a socket, and ends the connection with a reset as soon as the refusal is there. */
function refusedAndReset(port: number): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1');
    socket.on('error', reject);
    socket.once('data', (answer) => {
      socket.resetAndDestroy();
      resolve(answer.toString());
    });
    socket.write(
      'GET / HTTP/1.1\r\nHost: feed\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n',
    );
  });
}
