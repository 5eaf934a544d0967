import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { JOURNAL } from '../../config/limits/journal.ts';
import { createVirtualClock } from '../../src/adapters/clock/virtual-clock.ts';
import { openLmdbStore } from '../../src/adapters/lmdb/lmdb-store.ts';
import { createPinoLog } from '../../src/adapters/log/pino-log.ts';
import { createMemoryStore } from '../../src/adapters/memory/memory-store.ts';
import { TREE_HASHES } from '../../src/adapters/memory/tree-hashes.ts';
import { createJournalAnchor } from '../../src/app/journal-anchor.ts';
import { runVerifyCommand } from '../../src/tools/verify/verify-journal-command.ts';
import { PublicHash } from '../../src/ports/log.ts';
import { createJournalTree } from '../../src/services/journal-tree.ts';
import { appendFacts } from '../support/journal-facts.ts';
import { createKeptLog } from '../support/quiet.ts';

it('notes the head at once, then every minute, and tells the log when it has moved', async () => {
  const clock = createVirtualClock(1_000);
  const store = createMemoryStore();
  const tree = createJournalTree({ store, hashes: TREE_HASHES, clock });
  const log = createKeptLog();
  const { lines } = log;
  const anchor = createJournalAnchor({ store, tree, clock, log });
  const turns = async (): Promise<void> => {
    anchor();
    await clock.advance(0);
  };
  await turns();
  await appendFacts(store, 1);
  await turns();
  await clock.advance(JOURNAL.anchorIntervalMs);
  await turns();
  await clock.advance(JOURNAL.anchorIntervalMs);
  await turns();
  expect(lines.map(({ event, fields }) => [event, fields['seq'], fields['entries']])).toEqual([
    ['journal.anchored', 0, undefined],
    ['journal.anchored', 1, 1],
  ]);
  const hash = store.readChain(0, 1)[0]?.hash ?? '';
  expect(lines[1]?.fields).toMatchObject({
    hash: new PublicHash(hash),
    root: new PublicHash(TREE_HASHES.leaf(hash)),
  });
  expect(tree.prove(1)).toEqual({
    anchor: { entries: 1, root: TREE_HASHES.leaf(hash), atMs: 1_000 + JOURNAL.anchorIntervalMs },
    path: [],
  });
});

it('writes a line that the journal can be checked against later, over starts between anchors', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'predictd-anchor-'));
  try {
    const clock = createVirtualClock(1_000);
    let line = '';
    for (const count of [1, 600, 300]) {
      const store = await openLmdbStore({ path: join(folder, 'store') });
      await appendFacts(store, count);
      line = await new Promise<string>((resolve) => {
        const log = createPinoLog({ level: 'info', write: resolve });
        const tree = createJournalTree({ store, hashes: TREE_HASHES, clock });
        createJournalAnchor({ store, tree, clock, log })();
      });
      await appendFacts(store, 1);
      await store.close();
    }
    const { event, seq, hash, entries, root } = JSON.parse(line) as Readonly<
      Record<string, unknown>
    >;
    expect([event, seq, entries]).toEqual(['journal.anchored', 903, 903]);
    const said: string[] = [];
    const verify = (...words: string[]) =>
      runVerifyCommand(['--data', folder, ...words], folder, (text) => void said.push(text));
    expect([
      await verify('--head', `${String(seq)}:${String(hash)}`),
      await verify('--head', `${String(seq)}:${'0'.repeat(64)}`),
      await verify('--root', `${String(entries)}:${String(root)}`),
      await verify('--root', `${String(entries)}:${'0'.repeat(64)}`),
      await verify('--root', `5000:${'0'.repeat(64)}`),
    ]).toEqual([0, 1, 0, 1, 1]);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
