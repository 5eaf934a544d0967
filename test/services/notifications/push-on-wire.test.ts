import { afterEach, expect, it } from 'vitest';
import { createWallClock } from '../../../src/adapters/clock/wall-clock.ts';
import { createDigests } from '../../../src/adapters/identity/sign-in-secrets.ts';
import { createMemoryStore } from '../../../src/adapters/memory/memory-store.ts';
import { createSeededRandom } from '../../../src/adapters/random/seeded-random.ts';
import { openVapidKeys } from '../../../src/adapters/web-push/vapid-keys.ts';
import { createWebPush } from '../../../src/adapters/web-push/web-push.ts';
import { asId, type DecisionId } from '../../../src/domain/ids.ts';
import { createFaultBoard } from '../../../src/sandbox/faults.ts';
import { startPush } from '../../../src/sandbox/identity/push/push.ts';
import { createPushQueue } from '../../../src/services/notifications/push-queue.ts';
import { createPushSubscriptions } from '../../../src/services/notifications/push-subscriptions.ts';
import { NOTIFICATIONS } from '../../../src/services/notifications/tables.ts';
import { aMarketBuy, aMarketSell } from '../../support/builders.ts';
import { anEnabledAgent } from '../../support/worlds/enabled-agent.ts';
import { eventually } from '../../support/eventually.ts';
import { messagesOf, subscribeBrowser } from '../../support/fakes/push-browsers.ts';
import { aFundedLife, during, ordersOf } from '../../support/worlds/trading-world.ts';

const origin = (purpose: 'entry' | 'exit') =>
  ({
    kind: 'agent',
    agentId: 'btc_5min',
    decisionId: asId<DecisionId>('dec_00000000000000000000000001'),
    purpose,
  }) as const;
const ends: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (let end = ends.pop(); end !== undefined; end = ends.pop()) await end();
});

async function aTraderWithABrowser() {
  const { world, life, store } = await aFundedLife();
  await anEnabledAgent(life, world.user);
  const faults = createFaultBoard(createSeededRandom(1));
  const server = await startPush({ clock: createWallClock(), faults });
  ends.push(() => server.close());
  const vault = { seal: (text: string) => text, unseal: (text: string) => text };
  const keys = await openVapidKeys({
    store: createMemoryStore(),
    vault,
    random: createSeededRandom('push'),
    given: null,
  });
  const push = createWebPush({
    keys,
    contact: 'mailto:tests@predictd.invalid',
    hosts: [],
    sandboxOrigin: server.url,
  });
  ends.push(() => push.close());
  const deps = { store, commit: life.commit, clock: world.clock, vault, push };
  const subscriptions = createPushSubscriptions({
    ...deps,
    random: createSeededRandom('s'),
    digests: createDigests(new Uint8Array(32)),
  });
  const browser = await subscribeBrowser(server.url, push.publicKey);
  await subscriptions.subscribe(world.user, browser);
  const queue = createPushQueue({ ...deps, bus: life.bus, log: life.log, metrics: life.metrics });
  await queue.start();
  return { world, life, store, faults, server, push, browser, queue };
}

it("an agent's entry and exit each reach the browser once, in words it alone can read", async () => {
  const { world, life, server, browser, queue } = await aTraderWithABrowser();
  await during(world, life.orders.place(world.user, aMarketBuy({ origin: origin('entry') })));
  await world.clock.advance(10_000);
  await during(world, life.orders.place(world.user, aMarketSell(20, { origin: origin('exit') })));
  await world.clock.advance(10_000);
  await eventually(async () =>
    expect((await messagesOf(server.url, browser, true)).length).toBe(2),
  );
  const shown = await messagesOf(server.url, browser, true);
  expect(
    shown.map(({ text, topic, urgency }) => [
      JSON.parse(text ?? '') as { title: string; tag: string },
      topic,
      urgency,
    ]),
  ).toEqual([
    [
      expect.objectContaining({ title: 'BTC 5-minute bought shares', tag: 'ntf_2', kind: 'trade' }),
      'ntf_2',
      'high',
    ],
    [
      expect.objectContaining({ title: 'BTC 5-minute sold shares', tag: 'ntf_3', kind: 'trade' }),
      'ntf_3',
      'high',
    ],
  ]);
  await queue.stop();
});

it('trading goes on while the push service hangs, and no trade waits for it', async () => {
  const { world, life, store, faults, push, queue } = await aTraderWithABrowser();
  faults.arm('push-hangs');
  await during(world, life.orders.place(world.user, aMarketBuy({ origin: origin('entry') })));
  await world.clock.advance(10_000);
  await during(world, life.orders.place(world.user, aMarketSell(20, { origin: origin('exit') })));
  await world.clock.advance(10_000);
  expect([
    ordersOf(store).map(({ state }) => state),
    store.range(NOTIFICATIONS).map(({ value }) => value.push.waiting),
  ]).toEqual([
    ['filled', 'filled'],
    [0, 1, 1],
  ]);
  const stopping = queue.stop();
  await world.clock.advance(2_000);
  await stopping;
  await push.close();
  expect(store.range(NOTIFICATIONS).map(({ value }) => value.push)).toEqual([
    { waiting: 0, sent: 0, dropped: 0 },
    { waiting: 0, sent: 0, dropped: 1 },
    { waiting: 0, sent: 0, dropped: 1 },
  ]);
});
