import { createWallClock } from '../../src/adapters/clock/wall-clock.ts';
import { createMemoryStore } from '../../src/adapters/memory/memory-store.ts';
import { createSeededRandom } from '../../src/adapters/random/seeded-random.ts';
import { openVapidKeys } from '../../src/adapters/web-push/vapid-keys.ts';
import { createWebPush } from '../../src/adapters/web-push/web-push.ts';
import { createFaultBoard } from '../../src/sandbox/faults.ts';
import { startPush } from '../../src/sandbox/identity/push/push.ts';
import { createFakePush } from '../support/fakes/fake-push.ts';
import { browserOf, messagesOf, subscribeBrowser } from '../support/fakes/push-browsers.ts';
import { describePush } from './push.ts';

describePush('a working model', async () => {
  const push = createFakePush();
  return {
    push,
    subscribe: async () => push.subscribe(),
    unsubscribe: async ({ endpoint }) => push.unsubscribe(endpoint),
    shown: async ({ endpoint }) => push.shown(endpoint),
    arm: (fault) =>
      void push.armed.push(
        fault === 'lost'
          ? 'lost'
          : { kind: 'later', retryAfterMs: fault === 'busy' ? 1_000 : null, reason: fault },
      ),
    end: async () => undefined,
  };
});

describePush("the sandbox's push service over the wire", async () => {
  const faults = createFaultBoard(createSeededRandom(1));
  const server = await startPush({ clock: createWallClock(), faults });
  const plain = { seal: (text: string) => text, unseal: (text: string) => text };
  const keys = await openVapidKeys({
    store: createMemoryStore(),
    vault: plain,
    random: createSeededRandom('push'),
    given: null,
  });
  const push = createWebPush({
    keys,
    contact: 'mailto:tests@predictd.invalid',
    hosts: ['push.example'],
    sandboxOrigin: server.url,
  });
  return {
    push,
    subscribe: () => subscribeBrowser(server.url, push.publicKey),
    unsubscribe: async (subscription) =>
      void (await fetch(`${server.url}/browsers/${browserOf(subscription)}`, { method: 'DELETE' })),
    shown: async (subscription) =>
      (await messagesOf(server.url, subscription)).map(({ text }) => text),
    arm: (fault) => faults.arm(`push-${fault}`, { times: 1 }),
    async end() {
      await push.close();
      await server.close();
    },
  };
});
