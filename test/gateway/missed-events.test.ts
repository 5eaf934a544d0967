import { expect, it, onTestFinished } from 'vitest';
import { routeTable } from '../../src/app/route-table.ts';
import type { DomainEvent } from '../../src/domain/events.ts';
import { startGateway } from '../../src/gateway/gateway.ts';
import { watchOwners } from '../../src/gateway/owner-watch.ts';
import { createShards } from '../../src/gateway/shards.ts';
import { START_MS } from '../http/api.ts';
import { openSocket } from '../http/live/socket-client.ts';
import { useApi } from '../http/use-api.ts';
import { eventually } from '../support/eventually.ts';

const api = await useApi();

it('a client of a gateway hears its own events in their order, also what it missed between two owners', async () => {
  let epoch = 1;
  let isOwned = true;
  const watch = watchOwners({
    read: async () => new Map(isOwned ? [[0, { epoch, url: api.url }]] : []),
    pulse: async () => undefined,
  });
  await watch.of(0).find(60_000);
  const gateway = await startGateway({
    host: '127.0.0.1',
    port: 0,
    shards: createShards(watch, () => []),
    routes: routeTable,
    trustedProxies: [],
    certificate: null,
    answerOwn: () => null,
    nextRequestId: () => 'req_1',
    metrics: { count: () => undefined, gauge: () => undefined, beforeRead: () => undefined },
    log: { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} },
  });
  onTestFinished(async () => {
    await gateway.close();
    await watch.close();
  });
  const user = await api.signIn();
  const about = { userId: user.userId, atMs: START_MS };
  let made = 0;
  const happen = async (): Promise<void> => {
    const events: readonly DomainEvent[] = [
      { type: 'trading.stopped', ...about, by: 'user', reason: '' },
      { type: 'notifications.read', ...about, upTo: (made += 1), unread: 0 },
      { type: 'trading.resumed', ...about, by: 'user', reason: '' },
    ];
    const seqs = await api.store.write((tx) => events.map((event) => tx.append(event)));
    await api.store.flushed();
    api.publish(events.map((event, index) => ({ seq: seqs[index] ?? 0, event })));
  };

  const client = await openSocket(gateway.url, { authorization: `Bearer ${user.token}` });
  // the order of the topics is the other one than that of what happens
  client.send({ op: 'subscribe', topics: ['notifications', 'agents'] });
  const heard = (): readonly number[] =>
    client.heard.flatMap(({ kind, cursor }) =>
      kind === 'change' ? [Number(String(cursor).split('.')[1])] : [],
    );
  await eventually(() => expect(client.heard).toHaveLength(4));
  for (const owners of [1, 2, 3]) {
    await happen();
    await eventually(() => expect(heard()).toHaveLength(owners * 6 - 3));
    isOwned = false;
    epoch += 1;
    await happen();
    isOwned = true;
    await eventually(() => expect(heard()).toHaveLength(owners * 6));
  }
  expect(heard()).toEqual([...heard()].sort((one, other) => one - other));
  expect(new Set(heard())).toHaveLength(18);
  client.close();
});
