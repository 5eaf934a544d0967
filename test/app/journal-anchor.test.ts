import { expect, it } from 'vitest';
import { JOURNAL } from '../../config/limits/journal.ts';
import { createVirtualClock } from '../../src/adapters/clock/virtual-clock.ts';
import { createMemoryStore } from '../../src/adapters/memory/memory-store.ts';
import { createJournalAnchor } from '../../src/app/journal-anchor.ts';
import { asId } from '../../src/domain/ids.ts';
import type { Address, UserId } from '../../src/domain/ids.ts';
import { createKeptLog } from '../support/quiet.ts';

it('notes the head at once, then every minute, and tells the log when it has moved', async () => {
  const clock = createVirtualClock(1_000);
  const store = createMemoryStore();
  const log = createKeptLog();
  const { lines } = log;
  const anchor = createJournalAnchor({ store, clock, log });
  const turns = async (): Promise<void> => { anchor(); await clock.advance(0); };
  const append = () => store.write((tx) => tx.append({ type: 'user.created', userId: asId<UserId>('u'), atMs: 1, address: asId<Address>('0x1') }));
  await turns();
  await append();
  await turns();
  await clock.advance(JOURNAL.anchorIntervalMs);
  await turns();
  await clock.advance(JOURNAL.anchorIntervalMs);
  await turns();
  expect(lines.map(({ event, fields }) => [event, fields['seq']])).toEqual([['journal.anchored', 0], ['journal.anchored', 1]]);
  expect(lines[1]?.fields['hash']).toBe(store.readChain(0, 1)[0]?.hash);
});
