import { createHash } from 'node:crypto';
import {
  copyFileSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { STORE } from '../../../config/limits/store.ts';
import { openLmdbStore } from '../../../src/adapters/lmdb/lmdb-store.ts';
import type { RedoDraft } from '../../../src/adapters/lmdb/redo-log.ts';
import { readRedoLog, RedoLog } from '../../../src/adapters/lmdb/redo-log.ts';
import type { Table } from '../../../src/ports/store.ts';

const BLOCK_BYTES = 4_096;
const FILE_BYTES = 4 * BLOCK_BYTES;
const NOTES: Table<string> = { name: 'notes' };
let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'predictd-log-'));
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

const aRedo = (index: number): RedoDraft => ({
  firstSeq: index,
  head: '00',
  texts: [],
  records: [['notes', ['key', index], 1, `note ${index}`]],
});
const notesIn = (done = 0): readonly unknown[] =>
  readRedoLog(folder, done).redos.map(({ records }) => records[0]?.[3]);
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
    for (const [index, text] of texts.entries())
      await log.append({ ...aRedo(index + 1), records: [['notes', ['key', index], 1, text]] });
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
      writeFileSync(
        file(2),
        Buffer.concat([whole.subarray(0, cut), Buffer.alloc(whole.length - cut)]),
      );
      expect(notesIn()).toEqual(['note 1', 'note 2', 'note 3']);
      truncateSync(file(2), cut);
      expect(notesIn()).toEqual(['note 1', 'note 2', 'note 3']);
    }
  });

  it('leaves out a last commit of several blocks, whichever of them did not come to disk', async () => {
    const log = await RedoLog.start(folder, 0, FILE_BYTES);
    await log.append(aRedo(1));
    await log.append({
      ...aRedo(2),
      records: [['notes', ['key', 2], 1, 'x'.repeat(2 * BLOCK_BYTES)]],
    });
    log.close();
    const whole = readFileSync(file(1));
    expect(notesIn()).toHaveLength(2);
    for (let missing = 1; missing < 8; missing += 1) {
      const torn = Buffer.from(whole);
      for (const block of [0, 1, 2])
        if ((missing >> block) % 2 === 1)
          torn.fill(0, (1 + block) * BLOCK_BYTES, (2 + block) * BLOCK_BYTES);
      writeFileSync(file(1), torn);
      expect(notesIn()).toEqual(['note 1']);
    }
  });

  it('refuses a log whose commit before the last one has lost its first block', async () => {
    await fourCommits();
    const torn = readFileSync(file(2)).fill(0, 0, BLOCK_BYTES);
    writeFileSync(file(2), torn);
    expect(() => notesIn()).toThrow(
      expect.objectContaining({
        code: 'store_corrupt',
        message: expect.stringContaining('redo.2.log is damaged at byte 0'),
      }),
    );
  });

  it('reads a log of before commits began at blocks, each close behind the last', () => {
    let bytes = Buffer.alloc(0);
    for (const index of [1, 2, 3]) {
      const content = Buffer.from(
        JSON.stringify({ firstSeq: index, events: [], records: aRedo(index).records }),
      );
      const digest = createHash('sha256')
        .update(`1:${bytes.length}:${content.length}:`)
        .update(content)
        .digest()
        .subarray(0, 8);
      const length = Buffer.alloc(4);
      length.writeUInt32LE(content.length);
      bytes = Buffer.concat([bytes, length, digest, content]);
    }
    writeFileSync(file(1), Buffer.concat([bytes, Buffer.alloc(FILE_BYTES - bytes.length)]));
    expect(notesIn()).toEqual(['note 1', 'note 2', 'note 3']);
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
    writeFileSync(
      file(1),
      Buffer.concat([first.subarray(0, cut.end - 3), Buffer.alloc(first.length - cut.end + 3)]),
    );
    expect(() => notesIn()).toThrow(
      expect.objectContaining({
        code: 'store_corrupt',
        message: expect.stringContaining('redo.1.log'),
      }),
    );
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
    await expect(openLmdbStore({ path: folder })).rejects.toMatchObject({
      code: 'store_corrupt',
      message: expect.stringContaining('redo.9.log is damaged at byte 0'),
    });
  });
});
