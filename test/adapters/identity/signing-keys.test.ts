import { describe, expect, it } from 'vitest';
import { TOKENS } from '../../../config/limits/identity.ts';
import { SIGN_IN } from '../../../config/limits.ts';
import { createVirtualClock } from '../../../src/adapters/clock/virtual-clock.ts';
import { SIGNING_KEYS, openSigningKeys } from '../../../src/adapters/identity/signing-keys.ts';
import { createMemoryStore } from '../../../src/adapters/memory/memory-store.ts';
import { createSeededRandom } from '../../../src/adapters/random/seeded-random.ts';
import { eventually } from '../../support/eventually.ts';
import { createKeptLog } from '../../support/quiet.ts';

const START_MS = 1_800_000_000_000;
/** Seals by hiding in plain sight: what is sealed is another test's matter. */
const vault = {
  seal: (text: string) => `sealed ${text}`,
  unseal: (text: string) => text.slice('sealed '.length),
};

async function open(store = createMemoryStore(), nowMs = START_MS, seed = 1) {
  const clock = createVirtualClock(nowMs);
  const log = createKeptLog();
  const keys = await openSigningKeys({
    store,
    vault,
    random: createSeededRandom(seed),
    clock,
    log,
  });
  const names = () => ({
    signing: keys.ring().signing.keyId,
    accepted: keys.ring().accepted.map(({ keyId }) => keyId),
  });
  return { store, clock, keys, log, names };
}

describe('signing keys', () => {
  it('are published, then sign, then are forgotten, by themselves and in this order', async () => {
    const { clock, names, keys, store } = await open();
    const first = names();
    expect(first.accepted).toEqual([first.signing]);
    await clock.advance(TOKENS.signingKeyLifeMs - TOKENS.publishAheadMs);
    // Making a key takes a turn of a real thread, which no virtual clock waits for.
    await eventually(() => expect(names().accepted).toHaveLength(2));
    const published = names();
    const [, second = ''] = published.accepted;
    expect([published.signing, published.accepted]).toEqual([
      first.signing,
      [first.signing, second],
    ]);
    await clock.advance(TOKENS.publishAheadMs - 1);
    expect(names().signing).toBe(first.signing);
    await clock.advance(1);
    expect(names()).toEqual({ signing: second, accepted: [first.signing, second] });
    await clock.advance(SIGN_IN.accessTokenLifeMs + TOKENS.skewMs - 1);
    expect(names().accepted).toEqual([first.signing, second]);
    await clock.advance(1);
    expect(names()).toEqual({ signing: second, accepted: [second] });
    await clock.advance(TOKENS.rotationCheckMs);
    await eventually(() =>
      expect(store.range(SIGNING_KEYS).map(({ key }) => key[1])).toEqual([second]),
    );
    keys.stop();
  });

  it('are the same after a restart, also in the middle of a change', async () => {
    const one = await open();
    await one.clock.advance(TOKENS.signingKeyLifeMs - 1_000);
    await eventually(() => expect(one.names().accepted).toHaveLength(2));
    one.keys.stop();
    const nowMs = one.clock.nowMs();
    const two = await open(one.store.crash(), nowMs, 2);
    expect([two.names().accepted.length, two.names()]).toEqual([2, one.names()]);
    two.keys.stop();
  });

  it('let an old key sign on after a long sleep, until its successor has been published long enough', async () => {
    const one = await open();
    one.keys.stop();
    const nowMs = START_MS + 3 * TOKENS.signingKeyLifeMs;
    const two = await open(one.store, nowMs, 2);
    const woken = two.names();
    await two.clock.advance(TOKENS.publishAheadMs);
    expect([woken.signing, woken.accepted.length, two.names().signing]).toEqual([
      one.names().signing,
      2,
      woken.accepted[1],
    ]);
    two.keys.stop();
  });

  it('go on with the keys at hand when a new one cannot be stored, and try again', async () => {
    const { store, clock, names, keys, log } = await open();
    const write = store.write;
    const failing = { left: 2 };
    Object.assign(store, {
      write: (change: Parameters<typeof write>[0]) =>
        failing.left-- > 0
          ? Promise.reject(new Error('the disk is full'))
          : write.call(store, change),
    });
    const failures = (): number =>
      log.lines.filter(({ event }) => event === 'signing_keys.rotation_failed').length;
    await clock.advance(TOKENS.signingKeyLifeMs - TOKENS.publishAheadMs);
    // Making a key takes a turn of a real thread, which no virtual clock waits for.
    for (const count of [1, 2]) {
      await eventually(() => expect(failures()).toBe(count));
      expect(names().accepted).toHaveLength(1);
      await clock.advance(TOKENS.rotationCheckMs);
    }
    await eventually(() => expect(names().accepted).toHaveLength(2));
    expect(failures()).toBe(2);
    keys.stop();
  });

  it('are stored sealed', async () => {
    const { store, keys } = await open();
    expect(store.range(SIGNING_KEYS).map(({ value }) => Object.keys(value))).toEqual([['sealed']]);
    keys.stop();
  });
});
