import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { JOURNAL } from '../../config/limits/journal.ts';
import { createVirtualClock } from '../../src/adapters/clock/virtual-clock.ts';
import { openLmdbStore } from '../../src/adapters/lmdb/lmdb-store.ts';
import { createPinoLog } from '../../src/adapters/log/pino-log.ts';
import { createMemoryStore } from '../../src/adapters/memory/memory-store.ts';
import { createJournalAnchor } from '../../src/app/journal-anchor.ts';
import { runVerifyCommand } from '../../src/app/verify-journal-cli.ts';
import { asId } from '../../src/domain/ids.ts';
import type { Address, UserId } from '../../src/domain/ids.ts';
import { PublicHash } from '../../src/ports/log.ts';
import { createKeptLog } from '../support/quiet.ts';

it('notes the head at once, then every minute, and tells the log when it has moved', async () => {
  const clock = createVirtualClock(1_000);
  const store = createMemoryStore();
  const log = createKeptLog();
  const { lines } = log;
  const anchor = createJournalAnchor({ store, clock, log });
  const turns = async (): Promise<void> => {
    anchor();
    await clock.advance(0);
  };
  const append = () =>
    store.write((tx) =>
      tx.append({
        type: 'user.created',
        userId: asId<UserId>('u'),
        atMs: 1,
        address: asId<Address>('0x1'),
      }),
    );
  await turns();
  await append();
  await turns();
  await clock.advance(JOURNAL.anchorIntervalMs);
  await turns();
  await clock.advance(JOURNAL.anchorIntervalMs);
  await turns();
  expect(lines.map(({ event, fields }) => [event, fields['seq']])).toEqual([
    ['journal.anchored', 0],
    ['journal.anchored', 1],
  ]);
  expect(lines[1]?.fields['hash']).toEqual(new PublicHash(store.readChain(0, 1)[0]?.hash ?? ''));
});

it('writes a line that the journal can be checked against later', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'predictd-anchor-'));
  try {
    const clock = createVirtualClock(1_000);
    const written: string[] = [];
    const store = await openLmdbStore({ path: join(folder, 'store') });
    await store.write((tx) =>
      tx.append({
        type: 'user.created',
        userId: asId<UserId>('u'),
        atMs: 1,
        address: asId<Address>('0x1'),
      }),
    );
    const wrote = new Promise<void>((resolve) => {
      const log = createPinoLog({
        level: 'info',
        write: (line) => {
          written.push(line);
          resolve();
        },
      });
      createJournalAnchor({ store, clock, log })();
    });
    await wrote;
    await store.close();
    const { event, seq, hash } = JSON.parse(written[0] ?? '') as {
      event: string;
      seq: number;
      hash: string;
    };
    expect(event).toBe('journal.anchored');
    const said: string[] = [];
    const verify = (head: string) =>
      runVerifyCommand(['--data', folder, '--head', head], folder, (line) => void said.push(line));
    expect([await verify(`${seq}:${hash}`), await verify(`${seq}:${'0'.repeat(64)}`)]).toEqual([
      0, 1,
    ]);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
