import { describe, expect, it } from 'vitest';
import { createMemoryStore } from '../../../src/adapters/memory/memory-store.ts';
import type { UserId } from '../../../src/domain/ids.ts';
import { assertAdopted } from '../../../src/services/adoption/lacking-users.ts';
import { ADOPTIONS, RESTORES, STOPS } from '../../../src/services/books/tables.ts';
import type { StopScope } from '../../../src/services/orders/stop-check.ts';
import { USERS, type UserRecord } from '../../../src/services/sign-in/tables.ts';
import { aUserId, T0 } from '../../support/builders.ts';

const [ada, bob] = [aUserId(1), aUserId(2)];

describe('L6: after a restore, a stop of the operator', () => {
  const all: StopScope = { kind: 'all' };
  const [ofAda, ofBob]: readonly StopScope[] = [
    { kind: 'user', userId: ada },
    { kind: 'user', userId: bob },
  ];

  /** A store restored up to T0, of whose two users those named are adopted. */
  async function restored(adopted: readonly UserId[], adoptedAtMs: number | null = null) {
    const store = createMemoryStore();
    await store.write((tx) => {
      for (const userId of [ada, bob]) tx.put(USERS, [userId], { userId } as UserRecord); // its name is all that is read
      tx.put(RESTORES, ['newest'], { upToMs: T0, madeAtMs: T0, adoptedAtMs });
      for (const userId of adopted) tx.put(ADOPTIONS, [userId], { upToMs: T0, atMs: T0 });
    });
    return store;
  }

  it('L6: is not lifted before adopting is done, by everybody or by one user', async () => {
    const store = await restored([ada]);
    for (const scope of [all, ofBob])
      expect(() => scope && assertAdopted(store, scope)).toThrow(
        expect.objectContaining({
          code: 'conflict',
          message: expect.stringContaining(`the books of user ${bob} may lack`),
        }),
      );
    expect(() => ofAda && assertAdopted(store, ofAda)).not.toThrow();
    expect(() => assertAdopted(store, { kind: 'self', userId: bob })).not.toThrow();
  });

  it('L6: goes once all is adopted, or each user who lacks something is stopped alone', async () => {
    const done = await restored([], T0);
    expect(() => assertAdopted(done, all)).not.toThrow();
    const store = await restored([ada]);
    await store.write((tx) =>
      tx.put(STOPS, ['user', bob], { stopped: true, reason: 'left', atMs: T0, policy: 'keep' }),
    );
    expect(() => assertAdopted(store, all)).not.toThrow();
  });
});
