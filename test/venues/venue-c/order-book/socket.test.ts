import { describe, expect, it } from 'vitest';
import { AppError } from '../../../../src/domain/errors.ts';
import { asId } from '../../../../src/domain/ids.ts';
import type { UserEvent } from '../../../../src/ports/order-gateway.ts';
import { createOrderSocket } from '../../../../src/venues/venue-c/order-book/socket.ts';
import { aMarket } from '../../../support/builders.ts';
import { createCountingMetrics } from '../../../support/counting-metrics.ts';
import { eventually } from '../../../support/eventually.ts';
import { ADA, CLIENT_ID, ORDER_ID, YES } from '../intents.ts';
import { aMatch, aStatedOrder, anExecution } from '../order-answers.ts';
import { aWire } from '../wire.ts';

const OTHER_ID = '3f0c8c1e-0f27-4b8a-9d0d-5d1c5a3c7e10';
const MARKET = aMarket(1);
const matching = (type: string, remainingSize: number, orderId = ORDER_ID) => ({
  source: 'OME',
  orderId,
  remainingSize,
  type,
});
const traded = aStatedOrder({
  execution: anExecution(
    { settlementStatus: 'MATCHED', tradeEventId: 't' },
    { contractsGross: '4000000', usdGross: '2000000' },
  ),
  makerMatches: [aMatch('m1', 4, ORDER_ID)],
});

async function watched(stated: object = traded) {
  const bodies: string[][] = [];
  const wire = aWire({});
  wire.answers['/orders/status/batch'] = () => {
    const asked = JSON.parse(String(wire.asked.at(-1)?.body)).items.map(
      ({ orderId }: { orderId: string }) => orderId,
    );
    bodies.push(asked);
    return {
      results: asked.map((orderId: string, index: number) =>
        orderId === ORDER_ID
          ? { index, status: 'found', orderId, data: stated }
          : { index, status: 'not_found', orderId },
      ),
    };
  };
  const metrics = createCountingMetrics();
  const refused: string[] = [];
  const events: UserEvent[] = [];
  const lost: unknown[] = [];
  const watch = createOrderSocket({
    client: wire.client,
    accounts: {
      accountOf: async () => ({
        tokenId: 'token',
        secret: 'c2VjcmV0',
        ownerId: 7,
        feeRateBps: 300,
        address: asId('0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266'),
      }),
      refused: (userId) => void refused.push(userId),
    },
    catalogue: { marketOfToken: async (tokenId) => (tokenId === YES ? MARKET : null) },
    metrics,
    url: 'ws://venue',
    clock: wire.clock,
    wallClock: wire.wallClock,
    openSocket: wire.transport.openSocket,
  });
  const stop = watch(ADA, {
    next: (event) => events.push(event),
    error: (cause) => lost.push(cause),
  });
  const server = await eventually(() => wire.sockets[0] ?? expect.unreachable('no socket'));
  server.say('40/markets,{"sid":"b"}');
  const say = (payload: object, name = 'orderEvent') =>
    server.say(`42/markets,${JSON.stringify([name, payload])}`);
  return { wire, metrics, refused, events, lost, stop, server, say, bodies };
}

const orders = (events: readonly UserEvent[]) =>
  events.flatMap((event) =>
    event.kind === 'order' ? [[event.order.status, event.order.matchedShares]] : [],
  );
const fills = (events: readonly UserEvent[]) =>
  events.flatMap((event) =>
    event.kind === 'fill' ? [[event.fill.tradeId, event.fill.marketId, event.fill.word]] : [],
  );

describe("a user's channel at venue_c", () => {
  it('subscribes to orders and transactions once it has joined', async () => {
    const { server, events } = await watched();
    expect(server.sent).toEqual([
      '42/markets,["subscribe_order_events",{}]',
      '42/markets,["subscribe_transactions",{}]',
    ]);
    expect(events).toEqual([{ kind: 'connected' }]);
  });

  it('reads an order that is named, and tells of it all that matching said, and its fills', async () => {
    const { say, events } = await watched();
    say(matching('PLACEMENT', 10_000_000));
    say(matching('UPDATE', 6_000_000));
    say(matching('CANCELLATION', 6_000_000));
    await eventually(() =>
      expect(orders(events)).toEqual([
        ['live', 0],
        ['live', 4_000_000],
        ['cancelled', 4_000_000],
      ]),
    );
    expect(fills(events)).toContainEqual(['m1', MARKET.marketId, 'matched']);
  });

  it('names an order as it was sent, for its id may not have come yet', async () => {
    const { say, events } = await watched();
    say(matching('UPDATE', 6_000_000));
    await eventually(() =>
      expect(events).toContainEqual({
        kind: 'order',
        order: expect.objectContaining({ orderId: ORDER_ID, attemptId: CLIENT_ID }),
      }),
    );
  });

  it.each([
    ['matched', 'UPDATE', 0, 4_000_000, ['matched', 10_000_000]],
    ['ended with a part', 'EXECUTION', 0, 4_000_000, ['cancelled', 4_000_000]],
    ['filled at once', 'EXECUTION', 0, 10_000_000, ['matched', 10_000_000]],
    ['killed', 'EXECUTION', 0, 0, ['unmatched', 0]],
  ] as const)('tells one that was %s', async (_what, type, remaining, gross, order) => {
    const { say, events } = await watched(
      aStatedOrder({ execution: anExecution({}, { contractsGross: String(gross) }) }),
    );
    say(matching(type, remaining));
    await eventually(() => expect(orders(events)).toEqual([[...order]]));
  });

  it('reads fills again as they settle: by the order that is named, then by the transaction', async () => {
    const { say, bodies } = await watched();
    say({ source: 'SETTLEMENT', type: 'MINED', orderId: ORDER_ID, txHash: '0xaa' });
    await eventually(() => expect(bodies).toEqual([[ORDER_ID]]));
    say({ status: 'CONFIRMED', txHash: '0xbb' }, 'tx');
    say({ status: 'CONFIRMED', txHash: '0xaa' }, 'tx');
    await eventually(() => expect(bodies).toEqual([[ORDER_ID], [ORDER_ID]]));
  });

  it('asks about many orders at once, and tells nothing of those the venue does not know', async () => {
    const { say, events, bodies } = await watched();
    say(matching('UPDATE', 6_000_000, OTHER_ID));
    for (const orderId of [ORDER_ID, OTHER_ID]) say(matching('UPDATE', 6_000_000, orderId));
    await eventually(() => expect(orders(events)).toHaveLength(1));
    expect(bodies).toEqual([[OTHER_ID], [ORDER_ID, OTHER_ID]]);
  });

  it('has everything read again after what cannot be read, and counts it', async () => {
    const { server, say, events, metrics } = await watched();
    server.say('x');
    say({ source: 'OME' });
    say({ source: 'SETTLEMENT', type: 'MINED' });
    expect(events).toEqual(Array.from({ length: 4 }, () => ({ kind: 'connected' })));
    const dropped = 'venue_dropped_total venue=venue_c channel=user';
    expect(metrics.counts).toEqual({
      [`${dropped} reason=not_json`]: 1,
      [`${dropped} reason=schema`]: 2,
    });
  });

  it('has everything read again where the venue does not answer', async () => {
    const { wire, say, events } = await watched();
    wire.answers['/orders/status/batch'] = [500, { message: 'down' }];
    say(matching('UPDATE', 6_000_000));
    await eventually(() => expect(events).toHaveLength(2));
    expect(events[1]).toEqual({ kind: 'connected' });
  });

  it('has the account read anew where it is refused', async () => {
    const { server, lost, refused } = await watched();
    server.say('44/markets,{"message":"Invalid API token"}');
    expect([lost, refused]).toEqual([[expect.any(AppError)], [ADA]]);
  });

  it('says nothing more once it has stopped', async () => {
    const { server, say, stop, events } = await watched();
    say(matching('UPDATE', 6_000_000));
    stop();
    await eventually(() => expect(server.isClosed).toBe(true));
    expect(events).toEqual([{ kind: 'connected' }]);
  });
});
