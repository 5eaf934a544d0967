import { copyFileSync, mkdtempSync, readFileSync, readdirSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { STORE } from '../../../config/limits/store.ts';
import { openLmdbStore } from '../../../src/adapters/lmdb/lmdb-store.ts';
import type { RedoDraft } from '../../../src/adapters/lmdb/redo-log.ts';
import { readRedoLog, RedoLog } from '../../../src/adapters/lmdb/redo-log.ts';
import type { Table } from '../../../src/ports/store.ts';

const FILE_BYTES = 4_096;
const NOTES: Table<string> = { name: 'notes' };
let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'predictd-log-'));
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

const aRedo = (index: number): RedoDraft => ({ firstSeq: index, head: '00', texts: [], records: [['notes', ['key', index], 1, `note ${index}`]] });
const notesIn = (done = 0): readonly unknown[] => readRedoLog(folder, done).redos.map(({ records }) => records[0]?.[3]);
const file = (number: number): string => join(folder, `redo.${number}.log`);

/** A log of two files with two commits each, the second with a spare behind it. */
async function fourCommits(): Promise<void> {
  const log = await RedoLog.start(folder, 0, FILE_BYTES);
  for (const index of [1, 2]) await log.append(aRedo(index));
  await log.prepare();
  expect(log.goOn()).toBe(true);
  for (const index of [3, 4]) await log.append(aRedo(index));
  await log.prepare();
  log.close();
}

/** Where the last commit of a file begins: its text is the last thing in it that is not zero. */
function lastFrameOf(bytes: Buffer): { readonly begin: number; readonly end: number } {
  const end = bytes.findLastIndex((byte) => byte !== 0) + 1;
  return { begin: bytes.lastIndexOf('{"firstSeq"') - 12, end };
}

describe('the redo log', () => {
  it('gives back its commits in order, whatever files they lie in', async () => {
    await fourCommits();
    expect(notesIn()).toEqual(['note 1', 'note 2', 'note 3', 'note 4']);
    expect(readRedoLog(folder, 0).last).toBe(3);
  });

  it('gives back a commit larger than the memory that is kept for one, and the small ones around it, letters of every width in them', async () => {
    const log = await RedoLog.start(folder, 0, FILE_BYTES);
    const texts = ['short', 'é€𝄞'.repeat(STORE.frameBytes), 'short again'];
    for (const [index, text] of texts.entries()) await log.append({ ...aRedo(index + 1), records: [['notes', ['key', index], 1, text]] });
    log.close();
    expect(notesIn()).toEqual(texts);
  });

  it('leaves out files that are done with, and removes them when it is told to', async () => {
    await fourCommits();
    expect(notesIn(1)).toEqual(['note 3', 'note 4']);
    const log = await RedoLog.start(folder, 3, FILE_BYTES);
    log.forget(3);
    log.close();
    expect(readdirSync(folder)).toEqual(['redo.4.log']);
  });

  it('leaves out a last commit that was cut short, at whatever byte, even when an unused file lies behind it', async () => {
    await fourCommits();
    const whole = readFileSync(file(2));
    const { begin, end } = lastFrameOf(whole);
    for (let cut = begin; cut < end; cut += 1) {
      writeFileSync(file(2), Buffer.concat([whole.subarray(0, cut), Buffer.alloc(whole.length - cut)]));
      expect(notesIn()).toEqual(['note 1', 'note 2', 'note 3']);
      truncateSync(file(2), cut);
      expect(notesIn()).toEqual(['note 1', 'note 2', 'note 3']);
    }
  });

  it('refuses to read past damage: a flipped bit before the last commit, or a cut in a file that others follow', async () => {
    await fourCommits();
    const whole = readFileSync(file(2));
    const { begin } = lastFrameOf(whole);
    for (let at = 4; at < begin; at += 7) {
      const damaged = Buffer.from(whole);
      damaged[at] = (damaged[at] ?? 0) ^ 1;
      writeFileSync(file(2), damaged);
      expect(() => notesIn()).toThrow(expect.objectContaining({ code: 'store_corrupt' }));
    }
    writeFileSync(file(2), whole);
    const first = readFileSync(file(1));
    const cut = lastFrameOf(first);
    writeFileSync(file(1), Buffer.concat([first.subarray(0, cut.end - 3), Buffer.alloc(first.length - cut.end + 3)]));
    expect(() => notesIn()).toThrow(expect.objectContaining({ code: 'store_corrupt', message: expect.stringContaining('redo.1.log') }));
  });

  it('refuses a commit that was copied from elsewhere in the log', async () => {
    await fourCommits();
    copyFileSync(file(2), file(1));
    expect(() => notesIn()).toThrow(expect.objectContaining({ code: 'store_corrupt' }));
  });
});

describe('a store and its log', () => {
  it('does not take older changes from a file that LMDB is done with, should it come back', async () => {
    const store = await openLmdbStore({ path: folder });
    await store.write((tx) => tx.put(NOTES, ['a'], 'old'));
    copyFileSync(file(1), join(folder, 'kept'));
    await store.close();
    const again = await openLmdbStore({ path: folder });
    await again.write((tx) => tx.put(NOTES, ['a'], 'new'));
    await again.close();
    copyFileSync(join(folder, 'kept'), file(1));
    const last = await openLmdbStore({ path: folder });
    expect(last.get(NOTES, ['a'])).toMatchObject({ value: 'new', version: 2 });
    await last.close();
  });

  it('does not start over a damaged log', async () => {
    const store = await openLmdbStore({ path: folder });
    for (const text of ['one', 'two']) await store.write((tx) => tx.put(NOTES, [text], text));
    const log = readFileSync(file(1));
    await store.close();
    log[20] = (log[20] ?? 0) ^ 1;
    writeFileSync(file(9), log);
    await expect(openLmdbStore({ path: folder })).rejects.toMatchObject({ code: 'store_corrupt', message: expect.stringContaining('redo.9.log is damaged at byte 0') });
  });
});
