import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type {
  PushMessage,
  PushOutcome,
  PushService,
  PushSubscription,
} from '../../src/ports/push.ts';

/** What a push service can be made to do with the next message. */
type PushFault = 'unavailable' | 'busy' | 'lost';

/** A push service under test, and the levers of its world. */
export interface PushUnderTest {
  readonly push: PushService;
  subscribe(): Promise<PushSubscription>;
  unsubscribe(subscription: PushSubscription): Promise<void>;
  /** Messages a browser shows: those of one topic replace each other. */
  shown(subscription: PushSubscription): Promise<readonly (string | null)[]>;
  arm(fault: PushFault): void;
  end(): Promise<void>;
}

const aMessage = (payload: string, topic = 'ntf_1'): PushMessage => ({
  payload,
  topic,
  lifeMs: 60_000,
});

/** What every sender of messages to browsers behind the port must do. */
export function describePush(name: string, open: () => Promise<PushUnderTest>): void {
  describe(`the push service on ${name}`, () => {
    let under: PushUnderTest;
    let browser: PushSubscription;
    beforeEach(async () => {
      under = await open();
      browser = await under.subscribe();
    });
    afterEach(() => under.end());
    const send = (message: PushMessage, to = browser): Promise<PushOutcome> =>
      under.push.send(to, message, new AbortController().signal);

    it('finds nothing wrong with a subscription, and each fault where it lies', () => {
      const { endpoint, keys } = browser;
      const paths = (subscription: PushSubscription) =>
        under.push.faults(subscription).map(({ path }) => path);
      expect([
        paths(browser),
        paths({ endpoint: 'https://elsewhere.example/1', keys }),
        paths({ endpoint, keys: { ...keys, p256dh: 'AAAA' } }),
        paths({ endpoint, keys: { ...keys, auth: 'AAAA' } }),
      ]).toEqual([[], ['/endpoint'], ['/keys/p256dh'], ['/keys/auth']]);
    });

    it('brings a message to its browser and to no other, letter for letter', async () => {
      const other = await under.subscribe();
      const text = JSON.stringify({ title: 'BTC 5-minute bought', body: '„Up“ – 東京 😀 \u202e' });
      expect([
        await send(aMessage(text)),
        await under.shown(browser),
        await under.shown(other),
      ]).toEqual([{ kind: 'taken' }, [text], []]);
    });

    it('takes the largest message there is room for', async () => {
      const text = 'x'.repeat(3_900);
      expect([await send(aMessage(text)), await under.shown(browser)]).toEqual([
        { kind: 'taken' },
        [text],
      ]);
    });

    it('replaces an earlier message of the same topic, and no other', async () => {
      await send(aMessage('one', 'ntf_1'));
      await send(aMessage('two', 'ntf_2'));
      await send(aMessage('one again', 'ntf_1'));
      expect(await under.shown(browser)).toEqual(['two', 'one again']);
    });

    it('says so when the browser no longer listens', async () => {
      await under.unsubscribe(browser);
      expect(await send(aMessage('x'))).toEqual({ kind: 'unsubscribed' });
    });

    it('says later where a message was surely not taken', async () => {
      under.arm('unavailable');
      under.arm('busy');
      expect([
        await send(aMessage('x')),
        await send(aMessage('x')),
        await under.shown(browser),
      ]).toMatchObject([
        { kind: 'later', retryAfterMs: null },
        { kind: 'later', retryAfterMs: 1_000 },
        [],
      ]);
    });

    it('L2: says unknown where the answer was lost, since the message may have been taken', async () => {
      under.arm('lost');
      expect([(await send(aMessage('x'))).kind, await under.shown(browser)]).toEqual([
        'unknown',
        ['x'],
      ]);
    });
  });
}
