import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { STORE } from '../../../config/limits/store.ts';
import { NO_FRAME } from '../../../src/adapters/lmdb/frames.ts';
import { openLmdbStore } from '../../../src/adapters/lmdb/lmdb-store.ts';
import { SegmentLog } from '../../../src/adapters/lmdb/segment-log.ts';
import { commitsAfter, packSegments, tailOf } from '../../../src/adapters/lmdb/segments.ts';
import { FIRST_LINK } from '../../../src/adapters/memory/journal-chain.ts';
import type { CommitLog } from '../../../src/ports/commit-log.ts';
import type { Table } from '../../../src/ports/store.ts';

const BLOCK_BYTES = 4_096;
const NOTES: Table<string> = { name: 'notes' };
let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'predictd-log-'));
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

const openLog = (fileBytes = 4 * BLOCK_BYTES): Promise<SegmentLog> =>
  SegmentLog.open({ folder, fileBytes, againMs: 3_600_000 }, tailOf(folder));
/** Adds a frame of a block that says a note, and the number of facts before it. */
const add = (log: CommitLog, note: string, firstFact = 1): Promise<number> =>
  log.append({
    seq: log.head().seq + 1,
    previous: log.head().hash,
    firstFact,
    link: FIRST_LINK,
    facts: [],
    records: [['notes', ['key'], 1, note]],
  });
const notesIn = (seq = 0): readonly unknown[] =>
  [...commitsAfter(folder, { seq, hash: null })].map(({ records }) => records[0]?.[3]);
const file = (number: number): string => join(folder, `segment.${number}.log`);
const files = (): readonly string[] => readdirSync(folder).toSorted();

/** A log of two files with two frames each, the second with one behind it that was made ready. */
async function fourFrames(): Promise<void> {
  // Each frame fills a file, and waits for the next one.
  const log = await openLog(1);
  for (const index of [1, 2, 3, 4]) await add(log, `note ${index}`);
  await log.close();
  const frames = [1, 2, 3, 4].map((number) => readFileSync(file(number)));
  for (const name of files()) rmSync(join(folder, name));
  const spare = Buffer.alloc(2 * BLOCK_BYTES);
  const contents = [frames.slice(0, 2), [...frames.slice(2), spare], [spare]];
  for (const [index, each] of contents.entries())
    writeFileSync(file(index + 1), Buffer.concat(each));
}

/** Where the last frame of a file begins: its text is the last thing in it that is not zero. */
function lastFrameOf(bytes: Buffer): { readonly begin: number; readonly end: number } {
  const end = bytes.findLastIndex((byte) => byte !== 0) + 1;
  return { begin: Math.floor((end - 1) / BLOCK_BYTES) * BLOCK_BYTES, end };
}

describe('the log in segments', () => {
  it('gives back its frames in order, chained, whatever files they lie in', async () => {
    await fourFrames();
    expect(notesIn()).toEqual(['note 1', 'note 2', 'note 3', 'note 4']);
    expect(notesIn(2)).toEqual(['note 3', 'note 4']);
    const frames = [...commitsAfter(folder, NO_FRAME)];
    expect(frames.map(({ seq }) => seq)).toEqual([1, 2, 3, 4]);
    expect(frames.map(({ previous }) => previous)).toEqual([
      FIRST_LINK,
      ...frames.slice(0, 3).map(({ hash }) => hash),
    ]);
    expect(tailOf(folder).map(({ seq }) => seq)).toEqual([1, 2, 3, 4]);
  });

  it('takes no frame that does not follow its head, and goes on', async () => {
    const log = await openLog();
    await add(log, 'first');
    const { hash } = log.head();
    const next = { firstFact: 1, link: FIRST_LINK, facts: [], records: [] };
    for (const wrong of [
      { seq: 1, previous: hash },
      { seq: 3, previous: hash },
      { seq: 2, previous: FIRST_LINK },
    ])
      await expect(log.append({ ...next, ...wrong })).rejects.toMatchObject({ failure: 'refused' });
    expect(log.head()).toEqual({ seq: 1, hash });
    await add(log, 'second');
    expect([...log.read(0)].map(({ seq }) => seq)).toEqual([1, 2]);
    expect([...log.read(2)]).toEqual([]);
    await log.close();
  });

  it('gives back a frame larger than the memory that is kept for one, and the small ones around it, letters of every width in them', async () => {
    const log = await openLog();
    const texts = ['short', 'é€𝄞'.repeat(STORE.frameBytes), 'short again'];
    for (const text of texts) await add(log, text);
    await log.close();
    expect(notesIn()).toEqual(texts);
  });

  it('keeps what is full and made small, frame for frame, and goes on behind it at the next start', async () => {
    await fourFrames();
    const before = [...commitsAfter(folder, NO_FRAME)];
    const raw = Buffer.concat([
      readFileSync(file(1)),
      readFileSync(file(2)).subarray(0, 2 * BLOCK_BYTES),
    ]);
    packSegments(folder, 3, true);
    expect(files()).toEqual(['segment.1-2.gz', 'segment.2.log', 'segment.3.log']);
    expect([...commitsAfter(folder, NO_FRAME)]).toEqual(before);
    const again = await openLog();
    expect(again.head()).toMatchObject({ seq: 4, hash: before[3]?.hash });
    await add(again, 'note 5');
    await again.close();
    expect(files()).toEqual(['segment.1-2.gz', 'segment.2.log', 'segment.3.log']);
    expect(notesIn()).toEqual(['note 1', 'note 2', 'note 3', 'note 4', 'note 5']);
    const small = gunzipSync(readFileSync(join(folder, 'segment.1-2.gz')));
    expect(Buffer.concat([small, readFileSync(file(2))]).equals(raw)).toBe(true);
    packSegments(folder, 5, false);
    expect(files()).toEqual(['segment.1-2.gz', 'segment.3-5.gz']);
    expect(notesIn()).toEqual(['note 1', 'note 2', 'note 3', 'note 4', 'note 5']);
  });

  it('makes no file small that is written to or that has a frame not yet taken in', async () => {
    await fourFrames();
    packSegments(folder, 1, true);
    packSegments(folder, 1, false);
    expect(files()).toEqual([1, 2, 3].map((number) => `segment.${number}.log`));
    packSegments(folder, 4, true);
    expect(files()).toEqual(['segment.1-2.gz', 'segment.2.log', 'segment.3.log']);
  });

  it('L9: is the same where making files small was cut off before the old ones were gone', async () => {
    await fourFrames();
    const kept = [1, 2].map((number) => readFileSync(file(number)));
    packSegments(folder, 4, false);
    expect(files()).toEqual(['segment.1-4.gz']);
    writeFileSync(join(folder, 'segment.new'), 'half');
    for (const [index, bytes] of kept.entries()) {
      writeFileSync(file(index + 1), bytes);
      expect(notesIn()).toEqual(['note 1', 'note 2', 'note 3', 'note 4']);
    }
    const log = await openLog();
    expect(log.head().seq).toBe(4);
    await add(log, 'note 5');
    await log.close();
    expect(notesIn()).toEqual(['note 1', 'note 2', 'note 3', 'note 4', 'note 5']);
  });

  it('L1: leaves out a last frame that was cut short, at whatever byte, even when an unused file lies behind it', async () => {
    await fourFrames();
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
    const log = await openLog();
    // What the last run wrote is on disk anew, without the half frame.
    expect(readFileSync(file(2)).equals(whole.subarray(0, begin))).toBe(true);
    await add(log, 'instead');
    await log.close();
    expect(notesIn()).toEqual(['note 1', 'note 2', 'note 3', 'instead']);
  });

  it('L1: leaves out a last frame of several blocks, whichever of them did not come to disk', async () => {
    const log = await openLog(4 * BLOCK_BYTES);
    await add(log, 'note 1');
    await add(log, 'x'.repeat(2 * BLOCK_BYTES));
    await log.close();
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

  it('refuses a log whose frame before the last one has lost its first block', async () => {
    await fourFrames();
    writeFileSync(file(2), readFileSync(file(2)).fill(0, 0, BLOCK_BYTES));
    expect(() => notesIn()).toThrow(
      expect.objectContaining({
        code: 'store_corrupt',
        message: expect.stringContaining('segment.2.log is damaged at byte 0'),
      }),
    );
  });

  it('refuses to read past damage: a flipped bit in any byte before the last frame, or a cut in a file that others follow', async () => {
    await fourFrames();
    const whole = readFileSync(file(2));
    const { end } = lastFrameOf(whole.subarray(0, BLOCK_BYTES));
    for (let at = 0; at < end; at += 1) {
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
        message: expect.stringContaining('segment.1.log'),
      }),
    );
  });

  it('reads on past half a frame where the next file goes on from the frame before it', async () => {
    await fourFrames();
    const first = readFileSync(file(1));
    writeFileSync(file(1), Buffer.concat([first, Buffer.alloc(BLOCK_BYTES, 'half')]));
    expect(notesIn()).toEqual(['note 1', 'note 2', 'note 3', 'note 4']);
  });

  it('refuses files that were copied over others, swapped, taken away, or are not what was made small', async () => {
    await fourFrames();
    const refused = (): void =>
      expect(() => notesIn()).toThrow(expect.objectContaining({ code: 'store_corrupt' }));
    const [first, second] = [readFileSync(file(1)), readFileSync(file(2))];
    copyFileSync(file(2), file(1));
    refused();
    writeFileSync(file(2), first);
    refused();
    writeFileSync(file(2), second);
    rmSync(file(1));
    refused();
    writeFileSync(file(1), first);
    packSegments(folder, 4, true);
    const small = readFileSync(join(folder, 'segment.1-2.gz'));
    for (const bytes of [small.subarray(0, small.length - 20), Buffer.alloc(0)]) {
      writeFileSync(join(folder, 'segment.1-2.gz'), bytes);
      refused();
    }
    rmSync(join(folder, 'segment.1-2.gz'));
    refused();
  });
});

describe('a store and its log', () => {
  const log = (): string => join(folder, 'journal');

  it('does not take changes twice from a file that was made small, should it come back', async () => {
    const store = await openLmdbStore({ path: folder });
    await store.write((tx) => tx.put(NOTES, ['a'], 'old'));
    copyFileSync(join(log(), 'segment.1.log'), join(folder, 'kept'));
    await store.close();
    const again = await openLmdbStore({ path: folder });
    await again.write((tx) => tx.put(NOTES, ['a'], 'new'));
    await again.close();
    copyFileSync(join(folder, 'kept'), join(log(), 'segment.1.log'));
    const last = await openLmdbStore({ path: folder });
    expect(last.get(NOTES, ['a'])).toMatchObject({ value: 'new', version: 2 });
    await last.close();
  });

  it('does not start over a damaged log, nor change anything in it', async () => {
    const store = await openLmdbStore({ path: folder });
    for (const text of ['one', 'two']) await store.write((tx) => tx.put(NOTES, [text], text));
    const bytes = readFileSync(join(log(), 'segment.1.log'));
    await store.close();
    rmSync(log(), { recursive: true });
    mkdirSync(log());
    bytes[20] = (bytes[20] ?? 0) ^ 1;
    writeFileSync(join(log(), 'segment.1.log'), bytes);
    await expect(openLmdbStore({ path: folder })).rejects.toMatchObject({
      code: 'store_corrupt',
      message: expect.stringContaining('segment.1.log is damaged at byte 0'),
    });
    expect(readdirSync(log())).toEqual(['segment.1.log']);
    expect(readFileSync(join(log(), 'segment.1.log')).equals(bytes)).toBe(true);
  });
});
