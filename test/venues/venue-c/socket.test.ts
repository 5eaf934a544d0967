import { describe, expect, it } from 'vitest';
import { VENUE_C } from '../../../config/limits/venue-c.ts';
import type { AccountToken } from '../../../src/venues/venue-c/auth.ts';
import { openMarketsSocket } from '../../../src/venues/venue-c/socket.ts';
import { aWire } from './wire.ts';

async function begin(account: AccountToken | null = null) {
  const wire = aWire({});
  const heard: unknown[] = [];
  const socket = openMarketsSocket(
    { ...wire, url: 'ws://venue', account, openSocket: wire.transport.openSocket },
    {
      joined: () => heard.push('joined'),
      event: (name, payload) => heard.push([name, payload]),
      unreadable: () => heard.push('unreadable'),
      lost: (cause) => heard.push(cause),
    },
  );
  await wire.clock.settle();
  const [server] = wire.sockets;
  if (server === undefined) return expect.unreachable();
  return { ...wire, socket, server, heard };
}

describe('a socket of venue_c', () => {
  it('joins the namespace, answers pings and gives events', async () => {
    const { server, heard, socket } = await begin();
    server.say('0{"sid":"a"}');
    server.say('40/markets,{"sid":"b"}');
    server.say('2');
    server.say('42/markets,["tx",{"status":"CONFIRMED"}]');
    socket.emit('subscribe_transactions', {});
    expect(server.sent).toEqual(['40/markets,', '3', '42/markets,["subscribe_transactions",{}]']);
    expect(heard).toEqual(['joined', ['tx', { status: 'CONFIRMED' }]]);
  });

  it('of an account is signed anew at each opening', async () => {
    const account = { tokenId: 'token-1', secret: Buffer.from('a secret').toString('base64') };
    const { server } = await begin(account);
    // openssl dgst -sha256 -hmac 'a secret' -binary, as base64
    expect(server.headers).toEqual({
      'lmts-api-key': 'token-1',
      'lmts-timestamp': '2026-01-01T12:00:00.000Z',
      'lmts-signature': 'EjJTemkoihgXmSGV/V2T3kh6a4XIn+VVfiVVv5vUneQ=',
    });
  });

  it.each([
    ['44/markets,{"message":"Invalid HMAC signature"}', { code: 'venue_restricted' }],
    ['41/markets,', { code: 'venue_unavailable', retryable: true }],
    ['1', { code: 'venue_unavailable', retryable: true }],
  ])('is lost after %s', async (frame, cause) => {
    const { server, heard } = await begin();
    server.say(frame);
    expect([heard.length, heard[0]]).toMatchObject([1, cause]);
    expect(server.isClosed).toBe(true);
  });

  it('is lost where the namespace lets it not in', async () => {
    const { heard, clock } = await begin();
    await clock.advance(VENUE_C.joinTimeoutMs);
    expect(heard).toMatchObject([{ code: 'venue_unavailable', retryable: true }]);
  });

  it('says nothing more once it was closed', async () => {
    const { server, heard, socket, clock } = await begin();
    socket.close();
    server.say('42/markets,["tx",{}]');
    server.lose(new Error('reset'));
    await clock.advance(VENUE_C.joinTimeoutMs);
    expect([heard, server.isClosed]).toEqual([[], true]);
  });
});
