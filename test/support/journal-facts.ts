import type { DomainEvent } from '../../src/domain/events.ts';
import { asId, type Address, type UserId } from '../../src/domain/ids.ts';
import type { Store } from '../../src/ports/store.ts';

const FACT: DomainEvent = {
  type: 'user.created',
  userId: asId<UserId>('u'),
  atMs: 1,
  address: asId<Address>('0x1'),
};

/** Adds facts of no matter to the journal, all in one commit. */
export async function appendFacts(store: Pick<Store, 'write'>, count: number): Promise<void> {
  await store.write((tx) => {
    for (let added = 0; added < count; added += 1) tx.append(FACT);
  });
}
