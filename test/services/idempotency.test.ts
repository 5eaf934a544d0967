import { describe, expect, it } from 'vitest';
import { API } from '../../config/limits/api.ts';
import { createVirtualClock } from '../../src/adapters/clock/virtual-clock.ts';
import { createMemoryStore, type MemoryStore } from '../../src/adapters/memory/memory-store.ts';
import { asId, type UserId } from '../../src/domain/ids.ts';
import { ORDER_KEYS } from '../../src/services/books/tables.ts';
import { createCommit } from '../../src/services/commit.ts';
import {
  createIdempotency,
  IDEMPOTENCY_EXPIRY,
  IDEMPOTENCY_KEYS,
} from '../../src/services/idempotency.ts';
import { TRANSACTION_KEYS } from '../../src/services/transactions/tables.ts';

const CALL = { userId: asId<UserId>('usr_1'), key: 'k', fingerprint: 'f' };
const ANSWER = { status: 201, contentType: 'application/json', body: '{"id":1}' };

function open(store: MemoryStore = createMemoryStore(), nowMs = 1_000) {
  const clock = createVirtualClock(nowMs);
  const commit = createCommit({
    store,
    bus: { publish: () => {}, subscribe: () => () => {} },
    metrics: {
      count: () => {},
      gauge: () => {},
      observe: () => {},
      startTimer: () => () => {},
      beforeRead: () => {},
    },
  });
  const attempts: string[] = [];
  const produce = async (attemptKey: string) => {
    attempts.push(attemptKey);
    return { answer: ANSWER, keep: true };
  };
  return {
    store,
    clock,
    attempts,
    produce,
    idempotency: createIdempotency({ store, commit, clock, made: [ORDER_KEYS, TRANSACTION_KEYS] }),
  };
}

describe('idempotency', () => {
  it('runs a call once and replays its answer, also after a restart', async () => {
    const { idempotency, produce, attempts, store } = open();
    const first = await idempotency.run(CALL, produce);
    const second = await idempotency.run(CALL, produce);
    const after = open(store.crash());
    const third = await after.idempotency.run(CALL, after.produce);
    expect([first.isReplay, second, third, attempts, after.attempts]).toEqual([
      false,
      { answer: ANSWER, isReplay: true },
      { answer: ANSWER, isReplay: true },
      ['k:1000'],
      [],
    ]);
  });

  it('refuses the key for another call, and while the first one runs', async () => {
    const { idempotency, produce } = open();
    let finish: () => void = () => {};
    const first = idempotency.run(
      CALL,
      () =>
        new Promise((resolve) => {
          finish = () => resolve({ answer: ANSWER, keep: true });
        }),
    );
    await expect(idempotency.run(CALL, produce)).rejects.toMatchObject({
      code: 'request_in_progress',
      retryable: true,
    });
    finish();
    await first;
    await expect(idempotency.run({ ...CALL, fingerprint: 'g' }, produce)).rejects.toMatchObject({
      code: 'idempotency_mismatch',
    });
    expect(
      await idempotency.run({ ...CALL, userId: asId<UserId>('usr_2'), fingerprint: 'g' }, produce),
    ).toMatchObject({ isReplay: false });
  });

  it('runs again under the same attempt key when the process died in between (L1)', async () => {
    const { idempotency, store } = open();
    let attempted = '';
    void idempotency.run(CALL, (attemptKey) => {
      attempted = attemptKey;
      return new Promise(() => {});
    });
    await new Promise((resolve) => setImmediate(resolve));
    const after = open(store.crash({ keptCommits: 1 }), 9_000);
    await after.idempotency.run(CALL, after.produce);
    expect(after.attempts).toEqual([attempted]);
  });

  it('L1: keeps no refusal: the key is free for any call, which runs under the same attempt key', async () => {
    const { idempotency, produce, attempts, clock, store } = open();
    const refuse = async () => ({ answer: { ...ANSWER, status: 409 }, keep: false });
    await idempotency.run(CALL, refuse);
    await clock.advance(API.idempotencyKeptMs - 1);
    await idempotency.run({ ...CALL, fingerprint: 'g' }, refuse);
    await clock.advance(API.idempotencyKeptMs - 1);
    expect(await idempotency.run(CALL, produce)).toEqual({ answer: ANSWER, isReplay: false });
    await clock.advance(API.idempotencyKeptMs - 1);
    expect([(await idempotency.run(CALL, produce)).isReplay, attempts]).toEqual([true, ['k:1000']]);
    const other = { ...CALL, key: 'k2' };
    await expect(idempotency.run(other, () => Promise.reject(new Error('broke')))).rejects.toThrow(
      'broke',
    );
    expect([(await idempotency.run(other, produce)).isReplay, attempts.length]).toEqual([false, 2]);
    expect(store.range(IDEMPOTENCY_EXPIRY).length).toBe(2);
  });

  it.each([ORDER_KEYS.name, TRANSACTION_KEYS.name])(
    'L1: of a call that broke after it had made something keeps it: the same call finds it, and is a replay, another is refused (%s)',
    async (name) => {
      const { idempotency, produce, attempts, store } = open();
      await idempotency.run(CALL, async (attemptKey) => {
        await store.write((tx) => tx.put({ name }, [CALL.userId, attemptKey], {}));
        return { answer: { ...ANSWER, status: 503 }, keep: false };
      });
      await expect(idempotency.run({ ...CALL, fingerprint: 'g' }, produce)).rejects.toMatchObject({
        code: 'idempotency_mismatch',
      });
      const refuse = async () => ({ answer: { ...ANSWER, status: 409 }, keep: false });
      expect((await idempotency.run(CALL, refuse)).isReplay).toBe(false);
      expect([(await idempotency.run(CALL, produce)).isReplay, attempts]).toEqual([
        true,
        ['k:1000'],
      ]);
    },
  );

  it('forgets keys after a day, and sweeps them', async () => {
    const { idempotency, produce, attempts, clock, store } = open();
    for (let call = 0; call < 10; call += 1)
      await idempotency.run({ ...CALL, key: `k${call}` }, produce);
    await clock.advance(API.idempotencyKeptMs);
    expect(
      (await idempotency.run({ ...CALL, key: 'k9', fingerprint: 'other' }, produce)).isReplay,
    ).toBe(false);
    for (let call = 10; call < 13; call += 1)
      await idempotency.run({ ...CALL, key: `k${call}` }, produce);
    expect([
      attempts.length,
      store.range(IDEMPOTENCY_KEYS).length,
      store.range(IDEMPOTENCY_EXPIRY).length,
    ]).toEqual([14, 4, 4]);
  });
});
