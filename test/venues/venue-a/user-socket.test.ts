import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { eventually } from '../../support/eventually.ts';
import { WebSocketServer, type WebSocket } from 'ws';
import { createVirtualClock } from '../../../src/adapters/clock/virtual-clock.ts';
import type { Accounts } from '../../../src/venues/venue-a/accounts.ts';
import { createUserSocket } from '../../../src/venues/venue-a/user-socket.ts';
import { AppError } from '../../../src/domain/errors.ts';
import { asId, type Address, type UserId } from '../../../src/domain/ids.ts';
import type { UserEvent } from '../../../src/ports/order-gateway.ts';
import { silentMetrics } from '../../support/fixtures/wire-venue.ts';

const ADA = asId<UserId>('usr_ada');
const ADDRESS = asId<Address>('0xAA00000000000000000000000000000000000001');
let server: WebSocketServer;
let peers: WebSocket[];
let heard: unknown[];

beforeEach(async () => {
  peers = [];
  heard = [];
  server = new WebSocketServer({ host: '127.0.0.1', port: 0 });
  server.on('connection', (peer) => {
    peers.push(peer);
    peer.on('message', (data) => heard.push(JSON.parse(String(data))));
  });
  await new Promise((resolve) => server.on('listening', resolve));
});
afterEach(async () => {
  for (const peer of peers) peer.terminate();
  await new Promise((resolve) => server.close(resolve));
});

async function watch(
  accountOf: Accounts['accountOf'] = async () => ({
    address: ADDRESS,
    credentials: { key: 'key-me', secret: 's', passphrase: 'p' },
  }),
) {
  const events: UserEvent[] = [];
  const errors: unknown[] = [];
  // a TCP server that listens has one
  const url = `ws://127.0.0.1:${(server.address() as AddressInfo).port}/ws/user`;
  const accounts: Accounts = {
    accountOf,
    openAccount: () => expect.unreachable(),
    heldAccount: () => null,
    open: async () => undefined,
    deposits: async () => [],
    collateral: async () => expect.unreachable(),
    refreshBalance: async () => undefined,
  };
  const stop = createUserSocket({
    url,
    clock: createVirtualClock(0),
    metrics: silentMetrics,
    accounts,
    funderOf: () => ADDRESS,
  })(ADA, { next: (event) => events.push(event), error: (cause) => errors.push(cause) });
  return {
    events,
    errors,
    stop,
    send: (frame: string) => peers.forEach((peer) => peer.send(frame)),
  };
}

const order = {
  event_type: 'order',
  type: 'UPDATE',
  id: '0x01',
  status: 'LIVE',
  size_matched: '2.5',
};

describe('the user channel', () => {
  it('greets with the credentials for all markets, then tells orders one by one or in lists', async () => {
    const { events, stop, send } = await watch();
    await eventually(() =>
      expect(heard).toEqual([
        { auth: { apiKey: 'key-me', secret: 's', passphrase: 'p' }, type: 'user' },
      ]),
    );
    send(JSON.stringify(order));
    send(
      JSON.stringify([
        { ...order, event_type: undefined, type: 'CANCELLATION', status: 'CANCELED' },
      ]),
    );
    await eventually(() =>
      expect(events).toEqual([
        { kind: 'connected' },
        {
          kind: 'order',
          order: { orderId: '0x01', status: 'live', matchedShares: 2_500_000, reason: null },
        },
        {
          kind: 'order',
          order: { orderId: '0x01', status: 'cancelled', matchedShares: 2_500_000, reason: null },
        },
      ]),
    );
    stop();
  });

  it.each([
    '{"event_type":"trade","id":"t"}',
    '{"event_type":"orde',
    '{"event_type":"order","id":"0x01","status":"PARKED","size_matched":"0"}',
    '{"hello":1}',
  ])('schema-drift: asks for a re-read after %s, since it may have been a fill', async (frame) => {
    const { events, errors, stop, send } = await watch();
    await eventually(() => expect(heard).toHaveLength(1));
    send(frame);
    await eventually(() => expect(events).toEqual([{ kind: 'connected' }, { kind: 'connected' }]));
    expect(errors).toEqual([]);
    stop();
  });

  it('ignores words that are no events', async () => {
    const { events, stop, send } = await watch();
    await eventually(() => expect(heard).toHaveLength(1));
    send('INVALID MESSAGE');
    send(JSON.stringify(order));
    await eventually(() => expect(events.map(({ kind }) => kind)).toEqual(['connected', 'order']));
    stop();
  });

  it('tells when the account cannot be opened', async () => {
    const { errors } = await watch(() =>
      Promise.reject(new AppError('venue_unavailable', 'no keys now', { retryable: true })),
    );
    await eventually(() =>
      expect(errors).toEqual([
        expect.objectContaining({ code: 'venue_unavailable', retryable: true }),
      ]),
    );
  });

  it('opens no socket when it was stopped before the account was there', async () => {
    let opened: () => void = () => undefined;
    const account = new Promise<void>((resolve) => {
      opened = resolve;
    }).then(() => ({ address: ADDRESS, credentials: { key: 'k', secret: 's', passphrase: 'p' } }));
    const { stop, errors } = await watch(() => account);
    stop();
    opened();
    await account;
    expect([peers.length, errors]).toEqual([0, []]);
  });
});
