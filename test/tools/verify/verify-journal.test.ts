import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import * as fc from 'fast-check';
import { open, type Database } from 'lmdb';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { frameOf, NO_FRAME } from '../../../src/adapters/lmdb/frames.ts';
import { STORE } from '../../../config/limits/store.ts';
import { openLmdbStore } from '../../../src/adapters/lmdb/lmdb-store.ts';
import { commitsAfter } from '../../../src/adapters/lmdb/segments.ts';
import { runVerifyCommand } from '../../../src/tools/verify/verify-journal-command.ts';
import { verifyJournal } from '../../../src/tools/verify/verify-journal.ts';
import type { DecisionRecord, SignalReceipt } from '../../../src/domain/agent.ts';
import type { DomainEvent } from '../../../src/domain/events.ts';
import { asId, type DecisionId, type MarketId, type UserId } from '../../../src/domain/ids.ts';
import { usdcMicros } from '../../../src/domain/units.ts';
import type { Frame } from '../../../src/ports/commit-log.ts';
import type { ChainLink, Store, Table } from '../../../src/ports/store.ts';
import { SIGNAL_RECEIPTS } from '../../../src/services/execution/tables.ts';
import { DECISIONS } from '../../../src/services/books/tables.ts';

const USER = asId<UserId>('user_1');
const T0 = 1_800_000_000_000;
let home: string;
let folder: string;

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'predictd-verify-'));
  folder = join(home, 'store');
});
afterEach(() => rmSync(home, { recursive: true }));

function aDecision(index: number): DecisionRecord {
  return {
    decisionId: asId<DecisionId>(`dec_${index}`),
    userId: USER,
    agentId: 'btc_5min',
    marketId: asId<MarketId>('market'),
    strategy: 'up_down',
    atMs: T0 + index,
    inputs: [{ name: 'oracle', value: '97000.5', ageMs: index, limitMs: 5_000 }],
    amountUsdc: usdcMicros(5_000_000),
    outcome: { kind: 'none' },
    decision: {
      verdict: 'skip',
      outcome: null,
      criteria: [{ name: 'signal', value: '0.61', threshold: '0.70', passed: false }],
      reason: `The signal is weak for the ${index}th time, süß.`,
    },
  };
}

function aShared(index: number): SignalReceipt {
  const { userId: _user, amountUsdc: _none, outcome: _nothing, ...receipt } = aDecision(index);
  return { ...receipt, groupKey: 'btc_5min:up_down:500' };
}

/** Writes as the receipts service does: the journal's number goes into the record. */
async function decide(store: Store, index: number): Promise<void> {
  await store.write((tx) => {
    const decision = aDecision(index);
    const journalSeq = tx.append({
      type: 'decision.made',
      userId: USER,
      atMs: decision.atMs,
      decision,
    });
    tx.put(
      DECISIONS,
      [USER, 'btc_5min', decision.atMs, decision.decisionId],
      { ...decision, journalSeq },
      0,
    );
  });
}

async function judge(store: Store, index: number): Promise<void> {
  await store.write((tx) => {
    const receipt = aShared(index);
    const journalSeq = tx.append({ type: 'signal.judged', atMs: receipt.atMs, receipt });
    tx.put(
      SIGNAL_RECEIPTS,
      [receipt.groupKey, receipt.atMs, receipt.decisionId],
      { ...receipt, journalSeq },
      0,
    );
  });
}

/** Ten entries, all in LMDB: seven own receipts and three shared ones. */
async function fill(count = 10): Promise<void> {
  const store = await openLmdbStore({ path: folder });
  for (let index = 1; index <= count; index += 1)
    await (index % 3 === 0 ? judge(store, index) : decide(store, index));
  await store.close();
}

/** Opens LMDB as a hand from outside would. */
async function tamper(
  change: (database: (name: string, encoding?: 'binary') => Database) => void,
): Promise<void> {
  const root = open({
    path: folder,
    noSubdir: false,
    maxDbs: STORE.tablesMaximum,
    mapSize: 64 * 2 ** 30,
    overlappingSync: false,
  });
  change((name, encoding) =>
    root.openDB({ name, ...(encoding === undefined ? {} : { encoding }) }),
  );
  await new Promise((resolve) => setImmediate(resolve));
  await root.close();
}

/** Writes the log anew, as a hand would that makes everything in it fit again. */
function rewrite(change: (frames: readonly Frame[]) => readonly Omit<Frame, 'seq'>[]): void {
  const log = join(folder, 'journal');
  const changed = change([...commitsAfter(log, NO_FRAME)]);
  for (const name of readdirSync(log)) rmSync(join(log, name));
  const bytes: Buffer[] = [];
  let previous = NO_FRAME.hash;
  for (const [index, { facts, ...frame }] of changed.entries()) {
    const texts = facts.map((fact) => JSON.stringify(fact));
    const made = frameOf(
      { ...frame, seq: index + 1, previous, facts: texts },
      Buffer.alloc(65_536),
    );
    previous = made.hash;
    bytes.push(made.frame);
  }
  writeFileSync(join(log, `segment.1-${changed.length}.gz`), gzipSync(Buffer.concat(bytes)));
}

/** Of the frames, which have an entry each, one with other facts. */
const withFacts = (
  frames: readonly Frame[],
  seq: number,
  facts: readonly DomainEvent[],
): readonly Frame[] =>
  frames.map((frame) => (frame.firstFact === seq ? { ...frame, facts } : frame));

function flipped(bytes: Buffer, at: number, mask: number): Buffer {
  const copy = Buffer.from(bytes);
  copy[at % copy.length] = (copy[at % copy.length] ?? 0) ^ mask;
  return copy;
}

const found = async (heads: readonly ChainLink[] = []): Promise<readonly number[]> =>
  (await verifyJournal(folder, heads)).findings.map(({ seq }) => seq);

describe('L11: verifying a journal', () => {
  it('finds nothing in a journal that is as it was written, and says where it ends', async () => {
    await fill();
    const report = await verifyJournal(folder);
    expect(report).toMatchObject({
      entries: 10,
      receipts: 10,
      anchoredSeq: 10,
      found: 0,
      findings: [],
    });
    expect(report.head).toEqual({ seq: 10, hash: expect.stringMatching(/^[0-9a-f]{64}$/u) });
  });

  it('finds any byte that was flipped in a file of the log that was made small, unless it reads as before', async () => {
    await fill();
    const file = join(folder, 'journal', 'segment.1-10.gz');
    const whole = readFileSync(file);
    for (let at = 0; at < whole.length; at += 7) {
      const bytes = flipped(whole, at, 1 << (at % 8));
      writeFileSync(file, bytes);
      let reads = false;
      try {
        reads = gunzipSync(bytes).equals(gunzipSync(whole));
      } catch {
        reads = false;
      }
      expect((await found())[0]).toBe(reads ? undefined : 1);
    }
    writeFileSync(file, whole);
    expect(await found()).toEqual([]);
  });

  it('names the entry whose text was changed, all frames made to fit it, whatever was changed', async () => {
    await fill();
    let original: readonly Frame[] = [];
    rewrite((frames) => (original = frames));
    for (let seq = 1; seq <= 10; seq += 1) {
      rewrite((frames) =>
        withFacts(
          frames,
          seq,
          original[seq - 1]?.facts.map((fact) => ({ ...fact, atMs: fact.atMs + 1 })) ?? [],
        ),
      );
      expect(await found()).toEqual([seq]);
      rewrite(() => original);
    }
    expect(await found()).toEqual([]);
  });

  it('names the entry of any byte that was flipped in a link, whatever the byte', async () => {
    await fill();
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 10 }),
        fc.nat(31),
        fc.integer({ min: 1, max: 255 }),
        async (seq, at, mask) => {
          let before = Buffer.alloc(0);
          await tamper((database) => {
            const links = database('links', 'binary');
            before = Buffer.from(links.get(seq) as Buffer);
            links.putSync(seq, flipped(before, at, mask));
          });
          const named = await found();
          await tamper((database) => void database('links', 'binary').putSync(seq, before));
          expect(named).toEqual([seq]);
        },
      ),
      { numRuns: 60 },
    );
    expect(await found()).toEqual([]);
  });

  it.each([
    ['decisions', 1],
    ['signal_receipts', 3],
  ])(
    'names the entry of any byte that was flipped in %s, unless the record reads as before',
    async (table, seq) => {
      await fill();
      const key =
        table === 'decisions'
          ? [USER, 'btc_5min', T0 + seq, `dec_${seq}`]
          : ['btc_5min:up_down:500', T0 + seq, `dec_${seq}`];
      await fc.assert(
        fc.asyncProperty(fc.nat(5_000), fc.integer({ min: 1, max: 255 }), async (at, mask) => {
          let before = Buffer.alloc(0);
          await tamper((database) => {
            const rows = database(`t.${table}`, 'binary');
            before = Buffer.from(rows.get(key) as Buffer);
            rows.putSync(key, flipped(before, at, mask));
          });
          const reads = await readsAs(table, key);
          const named = await found();
          await tamper((database) => void database(`t.${table}`, 'binary').putSync(key, before));
          // A flip in the number of its entry says of another entry, too, that it is not this
          // receipt's.
          expect(reads ? named : named.filter((each) => each === seq)).toEqual(reads ? [] : [seq]);
          expect(named.length).toBeLessThanOrEqual(2);
        }),
        { numRuns: 60 },
      );
    },
  );

  /**
   * A number may be written in more ways than one: bytes that still say the same are no change of a
   * receipt.
   */
  async function readsAs(table: string, key: readonly (string | number)[]): Promise<boolean> {
    let same = false;
    await tamper((database) => {
      try {
        const seq = Number(String(key.at(-1)).slice(4));
        const said = table === 'decisions' ? aDecision(seq) : aShared(seq);
        expect(database(`t.${table}`).get([...key])).toEqual([1, { ...said, journalSeq: seq }]);
        same = true;
      } catch {
        same = false;
      }
    });
    return same;
  }

  it('names an entry that was removed, in the log or of the links', async () => {
    await fill();
    await tamper((database) => void database('links', 'binary').removeSync(10));
    expect(await found()).toEqual([]);
    rewrite((frames) => withFacts(frames, 4, []));
    expect(await found()).toEqual([4]);
  });

  it('names two entries that changed places', async () => {
    await fill();
    rewrite((frames) =>
      withFacts(withFacts(frames, 2, frames[6]?.facts ?? []), 7, frames[1]?.facts ?? []),
    );
    expect(await found()).toEqual([2, 7]);
  });

  it('names all entries that were moved to put one in between', async () => {
    await fill();
    rewrite((frames) => [
      ...frames.slice(0, 5),
      ...frames.slice(4).map((frame) => ({ ...frame, firstFact: frame.firstFact + 1 })),
    ]);
    expect(await found()).toEqual([6, 7, 8, 9, 10, 11]);
  });

  it('names the first entry that was cut off the end, by how far LMDB has taken the log in', async () => {
    await fill();
    rewrite((frames) => frames.slice(0, 8));
    expect(await found()).toEqual([9]);
  });

  it('names an entry that was put behind the end with a link that fits', async () => {
    await fill();
    const [link] = (await openAndRead((store) => store.readChain(9, 1))) ?? [];
    rewrite((frames) => [
      ...frames,
      {
        ...frames[0],
        previous: '',
        hash: '',
        bytes: 0,
        firstFact: 11,
        link: link?.hash ?? '',
        records: [],
        facts: [{ type: 'decision.made', userId: USER, atMs: T0 + 11, decision: aDecision(11) }],
      },
    ]);
    expect(await found()).toEqual([11]);
  });

  async function openAndRead<T>(read: (store: Store) => T): Promise<T> {
    const store = await openLmdbStore({ path: folder });
    const result = read(store);
    await store.close();
    return result;
  }

  it('finds a tail cut off together with its head by the head in journal.head, and by one kept elsewhere', async () => {
    await fill(6);
    const early = (await verifyJournal(folder)).head;
    const copy = join(home, 'copy');
    cpSync(folder, copy, { recursive: true });
    await fill2(7, 10);
    const late = (await verifyJournal(folder)).head;
    const anchor = readFileSync(join(folder, 'journal.head'));
    rmSync(folder, { recursive: true });
    cpSync(copy, folder, { recursive: true });
    expect(await found()).toEqual([]);
    expect(await found([early])).toEqual([]);
    expect(await found([late])).toEqual([7]);
    expect(await found([{ ...early, hash: 'ab'.repeat(32) }])).toEqual([6]);
    writeFileSync(join(folder, 'journal.head'), anchor);
    expect(await found()).toEqual([7]);
  });

  async function fill2(from: number, to: number): Promise<void> {
    const store = await openLmdbStore({ path: folder });
    for (let index = from; index <= to; index += 1) await decide(store, index);
    await store.close();
  }

  it('names receipts that were taken away or put there by another hand', async () => {
    await fill();
    await tamper((database) => {
      const decisions = database('t.decisions');
      decisions.removeSync([USER, 'btc_5min', T0 + 2, 'dec_2']);
      decisions.putSync(
        [USER, 'btc_5min', T0 + 50, 'dec_50'],
        [1, { ...aDecision(50), journalSeq: 8 }],
      );
      database('t.signal_receipts').removeSync(['btc_5min:up_down:500', T0 + 6, 'dec_6']);
    });
    // The newest, for a record that no commit made.
    expect(await found()).toEqual([2, 6, 8, 10]);
  });

  it('takes receipts of a user who went to another shard for what they are, and no others', async () => {
    await fill(4);
    const store = await openLmdbStore({ path: folder });
    await store.write((tx) => {
      for (const { key } of store.range(DECISIONS)) tx.remove(DECISIONS, key);
    });
    await store.close();
    const gone = { what: 'has no receipt any more' };
    expect((await verifyJournal(folder)).findings).toMatchObject([gone, gone, gone]);
    const again = await openLmdbStore({ path: folder });
    await again.write((tx) => {
      const line = { userId: USER, atMs: T0, subject: 'shard 1', detail: null, origin: null };
      tx.append({ type: 'audit.recorded', action: 'user_moved', ...line });
    });
    await again.close();
    expect(await verifyJournal(folder)).toMatchObject({ entries: 5, receipts: 1, found: 0 });
  });

  it('names the entry of a record that LMDB has otherwise than the log, or not, or once more', async () => {
    const balances: Table<{ readonly settled: number }> = { name: 'balances' };
    const store = await openLmdbStore({ path: folder });
    for (let index = 1; index <= 5; index += 1)
      await store.write((tx) => {
        tx.append({ type: 'all_trading.stopped', atMs: T0, reason: `the ${index}th` });
        tx.put(balances, [USER, index % 3], { settled: index });
      });
    await store.close();
    expect(await found()).toEqual([]);
    await tamper((database) => {
      const records = database('t.balances');
      records.putSync([USER, 1], [2, { settled: 4 + 2 ** 30 }]);
      records.removeSync([USER, 0]);
      records.putSync([USER, 9], [1, { settled: 9 }]);
    });
    expect(await found()).toEqual([3, 4, 5]);
  });

  it('finds a receipt that names no entry and is named by none', async () => {
    await fill();
    await tamper(
      (database) =>
        void database('t.decisions').putSync(
          [USER, 'btc_5min', T0 + 50, 'dec_50'],
          [1, aDecision(50)],
        ),
    );
    expect((await verifyJournal(folder)).findings).toEqual([
      { seq: 10, what: 'is the newest, and a receipt in decisions has no entry that names it' },
    ]);
  });

  it('takes shared receipts that were pruned in their time for what they are', async () => {
    await fill();
    const store = await openLmdbStore({ path: folder });
    await store.write((tx) =>
      tx.remove(SIGNAL_RECEIPTS, ['btc_5min:up_down:500', T0 + 3, 'dec_3']),
    );
    await store.write((tx) =>
      tx.append({
        type: 'audit.recorded',
        userId: USER,
        atMs: T0 + 31 * 24 * 3_600_000,
        action: 'signed_in',
        subject: 's',
        detail: null,
        origin: null,
      }),
    );
    await store.close();
    expect(await found()).toEqual([]);
  });
});

describe('L11: verifying beside a running daemon, or after one was killed', () => {
  it('reads what is only in the log, and finds nothing wrong with it', async () => {
    const store = await openLmdbStore({ path: folder });
    for (let index = 1; index <= 5; index += 1) await decide(store, index);
    expect(await verifyJournal(folder)).toMatchObject({
      entries: 5,
      receipts: 5,
      found: 0,
      anchoredSeq: null,
    });
    expect(await store.anchorChain()).toEqual(store.readChain(4, 1)[0]);
    expect(await verifyJournal(folder)).toMatchObject({ anchoredSeq: 5, found: 0 });
    await decide(store, 6);
    await store.close();
    expect(await verifyJournal(folder)).toMatchObject({ entries: 6, receipts: 6, found: 0 });
  });

  it('finds nothing wrong while LMDB is always catching up', async () => {
    const store = await openLmdbStore({ path: folder, logBytes: 2_048 });
    for (let index = 1; index <= 40; index += 1) {
      await decide(store, index);
      if (index % 8 === 0)
        expect(await verifyJournal(folder)).toMatchObject({ entries: index, found: 0 });
    }
    await store.close();
  });

  it('names the first entry that a flipped byte of the log takes away', async () => {
    const store = await openLmdbStore({ path: folder, logBytes: 65_536 });
    for (let index = 1; index <= 6; index += 1) await decide(store, index);
    const file = join(folder, 'journal', 'segment.1.log');
    const whole = readFileSync(file);
    const starts = framesIn(whole);
    await fc.assert(
      fc.asyncProperty(
        fc.nat(starts.end - 1),
        fc.integer({ min: 1, max: 255 }),
        async (at, mask) => {
          writeFileSync(file, flipped(whole, at, mask));
          const seq = starts.at.findLastIndex((start) => start <= at) + 1;
          expect((await found())[0]).toBe(seq);
        },
      ),
      { numRuns: 40 },
    );
    writeFileSync(file, whole);
    expect(await found()).toEqual([]);
    await store.close();
  });

  function framesIn(bytes: Buffer): { readonly at: readonly number[]; readonly end: number } {
    const at: number[] = [];
    let end = 0;
    while (bytes.readUInt32LE(end) > 0) {
      at.push(end);
      end = Math.ceil((end + 36 + bytes.readUInt32LE(end)) / 4_096) * 4_096;
    }
    return { at, end };
  }

  it('L9: a start refuses a log that continues another history than the journal has', async () => {
    await fill(3);
    const store = await openLmdbStore({ path: folder });
    await decide(store, 4);
    // The folder as a kill would leave it.
    const killed = join(home, 'killed');
    cpSync(folder, killed, { recursive: true });
    await store.close();
    folder = killed;
    expect(await found()).toEqual([]);
    const raw = readFileSync(join(folder, 'journal', 'segment.1.log'));
    rewrite((frames) =>
      withFacts(frames.slice(0, 3), 3, [
        { type: 'decision.made', userId: USER, atMs: T0, decision: aDecision(3) },
      ]),
    );
    writeFileSync(join(folder, 'journal', 'segment.1.log'), raw);
    expect((await found())[0]).toBe(3);
    await expect(openLmdbStore({ path: folder })).rejects.toMatchObject({
      code: 'store_corrupt',
      message: expect.stringContaining('segment.1.log is damaged at byte 0'),
    });
  });

  it('L9: a start refuses a log of the same length as the one that LMDB followed, but another', async () => {
    await fill(3);
    rewrite((frames) => withFacts(frames, 2, []));
    await expect(openLmdbStore({ path: folder })).rejects.toMatchObject({
      code: 'store_corrupt',
      message: expect.stringContaining('its log ends with frame 3'),
    });
  });
});

describe('the command', () => {
  const lines: string[] = [];
  const NOTHING_STORED = expect.stringMatching(
    /^nothing was ever stored in .+: a start begins there with an empty store$/u,
  );
  const run = (...words: string[]) =>
    runVerifyCommand(words, home, (line) => void lines.push(line));
  beforeEach(() => void lines.splice(0));

  it('ends with 0 and the head when all is whole, with 1 and the entry when something is not', async () => {
    await fill();
    expect(await run('--data', home)).toBe(0);
    expect(lines).toEqual([
      expect.stringMatching(/^journal {3}10 entries, 10 receipts; head 10:[0-9a-f]{64}$/u),
      expect.stringContaining('noted at entry 10'),
      'whole     every entry and every receipt is what was written',
    ]);
    const head = /head (\d+:[0-9a-f]{64})$/u.exec(lines[0] ?? '')?.[1] ?? '';
    expect(await run('--head', head)).toBe(0);
    rewrite((frames) => withFacts(frames, 4, []));
    lines.splice(0);
    expect(await run()).toBe(1);
    expect(lines.slice(2)).toEqual([
      'entry     4 is missing',
      'found     1 entries are not as they were written',
    ]);
  });

  it.each([[['--data']], [['--head', '4:zz']], [['--all', 'yes']]])(
    'ends with 2 and one sentence for %j',
    async (words) => {
      expect(await run(...words)).toBe(2);
      expect(lines).toEqual([expect.stringContaining('use: predictd verify-journal')]);
    },
  );

  it('ends with 2 where there is no store, and makes none', async () => {
    expect(await run()).toBe(2);
    expect(lines).toEqual([NOTHING_STORED]);
    expect(existsSync(folder)).toBe(false);
  });

  it('says of a store whose first start was cut off before its first commit that nothing was lost, whatever there is of it', async () => {
    mkdirSync(folder);
    writeFileSync(join(folder, 'data.mdb'), '');
    expect(await run()).toBe(2);
    rmSync(join(folder, 'data.mdb'));
    await tamper(() => undefined);
    expect(await run()).toBe(2);
    await tamper((database) => void database('meta').putSync('format', 1));
    expect(await run()).toBe(2);
    expect(lines).toEqual([NOTHING_STORED, NOTHING_STORED, NOTHING_STORED]);
  });

  it('reads a store that has lost its data file by one it makes of the log, and says that a start makes it anew where the log has nothing', async () => {
    await fill();
    rmSync(join(folder, 'data.mdb'));
    expect(await run()).toBe(0);
    expect(lines[0]).toMatch(/^journal {3}10 entries, 10 receipts; head 10:/);
    rmSync(join(folder, 'journal'), { recursive: true });
    expect(await run()).toBe(2);
    expect(lines.at(-1)).toContain(
      'has no data file that can be read; a start of predictd makes it anew from the log',
    );
  });
});
