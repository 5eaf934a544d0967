import { createHash } from 'node:crypto';
import * as fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { AppError } from '../../src/domain/errors.ts';
import type { DomainEvent } from '../../src/domain/events.ts';
import { asId, type Address, type UserId } from '../../src/domain/ids.ts';
import { compareKeys, hasPrefix } from '../../src/ports/store-rules.ts';
import type { Key, KeyPart, Range, Store, StoreWriter, Table } from '../../src/ports/store.ts';

/** A store under test, and how its next start would find it. */
export interface StoreUnderTest {
  readonly store: Store;
  /** Ends the store in an orderly way or not, and gives what a new start finds. */
  restart(): Promise<Store>;
  end(): Promise<void>;
}

interface Note {
  readonly text: string;
}

const NOTES: Table<Note> = { name: 'notes' };
const OTHERS: Table<number> = { name: 'others' };

function anEvent(text: string): DomainEvent {
  return {
    type: 'user.created',
    userId: asId<UserId>(text),
    atMs: 1,
    address: asId<Address>('0x1'),
  };
}

/** What every engine behind the store port must do. */
export function describeStore(name: string, open: () => Promise<StoreUnderTest>): void {
  describe(`the store port on ${name}`, () => {
    let under: StoreUnderTest;
    let store: Store;
    beforeEach(async () => {
      under = await open();
      store = under.store;
    });
    afterEach(async () => {
      await under.end();
    });
    const put = (key: Key, text: string, expected?: number) =>
      store.write((tx) => tx.put(NOTES, key, { text }, expected));
    const textsOf = (range: Range) => store.range(NOTES, range).map(({ value }) => value.text);

    describe('one record', () => {
      it('is absent until it is put', async () => {
        expect(store.get(NOTES, ['a'])).toBeNull();
        await put(['a'], 'one');
        expect(store.get(NOTES, ['a'])).toEqual({ key: ['a'], value: { text: 'one' }, version: 1 });
      });

      it('counts how often it was written, and starts again after it was removed', async () => {
        await put(['a'], 'one');
        await put(['a'], 'two');
        expect(store.get(NOTES, ['a'])?.version).toBe(2);
        await store.write((tx) => tx.remove(NOTES, ['a']));
        expect(store.get(NOTES, ['a'])).toBeNull();
        await put(['a'], 'three');
        expect(store.get(NOTES, ['a'])).toEqual({
          key: ['a'],
          value: { text: 'three' },
          version: 1,
        });
      });

      it('is written only over the expected version', async () => {
        await put(['a'], 'one', 0);
        await expect(put(['a'], 'again', 0)).rejects.toMatchObject({
          code: 'conflict',
          retryable: true,
        });
        await put(['a'], 'two', 1);
        await expect(put(['a'], 'late', 1)).rejects.toBeInstanceOf(AppError);
        await expect(put(['b'], 'none yet', 1)).rejects.toMatchObject({ code: 'conflict' });
        expect(store.get(NOTES, ['a'])).toEqual({ key: ['a'], value: { text: 'two' }, version: 2 });
        expect(store.get(NOTES, ['b'])).toBeNull();
      });

      it('does not change when the object it was put from does', async () => {
        const record = { text: 'one' };
        await store.write((tx) => {
          tx.put(NOTES, ['a'], record);
          record.text = 'changed';
        });
        expect(store.get(NOTES, ['a'])?.value).toEqual({ text: 'one' });
      });

      it('comes back as it was: nested, empty, null, long, with every character', async () => {
        const table: Table<unknown> = { name: 'any' };
        const values = [
          null,
          0,
          -1.5,
          Number.MAX_SAFE_INTEGER,
          Number.MIN_SAFE_INTEGER,
          '',
          'ü\u{1f600}\u0000',
          [],
          {},
          { a: { b: [1, [2, { c: null }]], '': false } },
          'x'.repeat(100_000),
          [1_760_000_000_123, true],
        ];
        await store.write((tx) => values.forEach((value, index) => tx.put(table, [index], value)));
        expect(store.range(table).map(({ value }) => value)).toEqual(values);
      });

      it('belongs to one table', async () => {
        await put(['a'], 'note');
        await store.write((tx) => tx.put(OTHERS, ['a'], 7));
        expect(store.get(OTHERS, ['a'])?.value).toBe(7);
        expect(store.get(NOTES, ['a'])?.value).toEqual({ text: 'note' });
      });
    });

    describe('one change', () => {
      it('sees its own writes, in reads of one and of many', async () => {
        await put(['b'], 'old');
        await store.write((tx) => {
          tx.put(NOTES, ['a'], { text: 'new' });
          tx.put(NOTES, ['a'], { text: 'newer' }, 1);
          tx.remove(NOTES, ['b']);
          expect(tx.get(NOTES, ['a'])).toEqual({
            key: ['a'],
            value: { text: 'newer' },
            version: 2,
          });
          expect(tx.range(NOTES).map(({ key }) => key)).toEqual([['a']]);
        });
      });

      it('gives what the change gives', async () => {
        expect(await store.write(() => 42)).toBe(42);
      });

      it('leaves nothing when it throws: no record, no removal, no fact, no gap in the journal', async () => {
        await store.write((tx) => {
          tx.put(NOTES, ['kept'], { text: 'kept' });
          tx.append(anEvent('1'));
        });
        const broken = new Error('half way');
        await expect(
          store.write((tx) => {
            tx.put(NOTES, ['new'], { text: 'lost' });
            tx.put(NOTES, ['kept'], { text: 'changed' });
            tx.remove(NOTES, ['kept']);
            tx.append(anEvent('lost'));
            throw broken;
          }),
        ).rejects.toBe(broken);
        expect(store.range(NOTES)).toEqual([
          { key: ['kept'], value: { text: 'kept' }, version: 1 },
        ]);
        await store.write((tx) => tx.append(anEvent('2')));
        expect(store.readJournal(0, 10)).toEqual([
          { seq: 1, event: anEvent('1') },
          { seq: 2, event: anEvent('2') },
        ]);
      });

      it('does not undo its neighbours when it throws', async () => {
        const results = await Promise.allSettled(
          Array.from({ length: 20 }, (_, index) =>
            store.write((tx) => {
              tx.put(NOTES, [index], { text: String(index) });
              tx.append(anEvent(String(index)));
              if (index % 3 === 0) throw new Error(`no ${index}`);
            }),
          ),
        );
        const kept = Array.from({ length: 20 }, (_, index) => index).filter(
          (index) => index % 3 !== 0,
        );
        expect(results.map(({ status }) => status === 'fulfilled')).toEqual(
          results.map((_, index) => index % 3 !== 0),
        );
        expect(store.range(NOTES).map(({ key }) => key[0])).toEqual(kept);
        expect(store.readJournal(0, 100).map(({ seq }) => seq)).toEqual(
          kept.map((_, index) => index + 1),
        );
      });

      it('may write to an unused table, even when it catches whatever is thrown', async () => {
        const fresh: Table<number> = { name: 'fresh' };
        await store.write((tx) => {
          try {
            tx.put(fresh, ['a'], 1);
          } catch {
            tx.put(OTHERS, ['caught'], 1);
          }
        });
        expect(store.get(fresh, ['a'])?.value).toBe(1);
        expect(store.range(OTHERS)).toEqual([]);
      });

      it('cannot wait: a change that gives a promise is refused and leaves nothing', async () => {
        await expect(
          store.write(async (tx) => tx.put(NOTES, ['a'], { text: 'late' })),
        ).rejects.toThrow('synchronous');
        expect(store.get(NOTES, ['a'])).toBeNull();
      });

      it('cannot be used once it is over', async () => {
        let kept: StoreWriter | null = null;
        await store.write((tx) => {
          kept = tx;
        });
        expect(() => kept?.put(NOTES, ['a'], { text: 'late' })).toThrow('while it runs');
        expect(() => kept?.get(NOTES, ['a'])).toThrow('while it runs');
      });

      it('is not seen before it is committed', async () => {
        const written = put(['a'], 'one');
        expect(store.get(NOTES, ['a'])).toBeNull();
        await written;
        expect(store.get(NOTES, ['a'])).not.toBeNull();
      });

      it('reads what the changes asked for before it left', async () => {
        const counters = Array.from({ length: 500 }, () =>
          store.write((tx) => {
            const found = tx.get(OTHERS, ['count']);
            tx.put(OTHERS, ['count'], (found?.value ?? 0) + 1, found?.version ?? 0);
            return tx.append(anEvent('count'));
          }),
        );
        const seqs = await Promise.all(counters);
        expect(store.get(OTHERS, ['count'])).toEqual({ key: ['count'], value: 500, version: 500 });
        expect(seqs).toEqual(seqs.map((_, index) => index + 1));
      });
    });

    describe('a range', () => {
      const KEYS: readonly Key[] = [
        ['a'],
        ['a', 1],
        ['a', 2],
        ['a', 2, 'x'],
        ['a', 10],
        ['a', 'b'],
        ['ab'],
        ['b', 0],
      ];
      beforeEach(async () => {
        await store.write((tx) =>
          KEYS.toReversed().forEach((key) => tx.put(NOTES, key, { text: key.join('.') })),
        );
      });

      it('is in key order: numbers by size and before text, shorter keys first', () => {
        expect(store.range(NOTES).map(({ key }) => key)).toEqual(KEYS);
      });

      it('keeps to the prefix, part by part', () => {
        expect(textsOf({ prefix: ['a'] })).toEqual(['a', 'a.1', 'a.2', 'a.2.x', 'a.10', 'a.b']);
        expect(textsOf({ prefix: ['a', 2] })).toEqual(['a.2', 'a.2.x']);
        expect(textsOf({ prefix: ['c'] })).toEqual([]);
      });

      it('starts behind a key, whether there is a record or not', () => {
        expect(textsOf({ after: ['a', 2] })).toEqual(['a.2.x', 'a.10', 'a.b', 'ab', 'b.0']);
        expect(textsOf({ prefix: ['a'], after: ['a', 5] })).toEqual(['a.10', 'a.b']);
        expect(textsOf({ prefix: ['a'], after: ['b'] })).toEqual([]);
      });

      it('runs backwards, from before a key', () => {
        expect(textsOf({ prefix: ['a'], reverse: true })).toEqual([
          'a.b',
          'a.10',
          'a.2.x',
          'a.2',
          'a.1',
          'a',
        ]);
        expect(textsOf({ prefix: ['a'], after: ['a', 10], reverse: true, limit: 2 })).toEqual([
          'a.2.x',
          'a.2',
        ]);
        expect(textsOf({ after: ['a', 1], reverse: true })).toEqual(['a']);
      });

      it('ends at its limit', () => {
        expect(textsOf({ limit: 2 })).toEqual(['a', 'a.1']);
        expect(textsOf({ limit: 0 })).toEqual([]);
        expect(() => store.range(NOTES, { limit: -1 })).toThrow('limit');
      });
    });

    it('reads any range of any keys as a sorted list would', async () => {
      const part: fc.Arbitrary<KeyPart> = fc
        .oneof(
          fc.integer({ min: -3, max: 3 }),
          fc.maxSafeInteger(),
          fc.constantFrom('a', 'b', 'ab', '0', '1', 'ü', '\uffee', '\u{1f600}'),
          fc.string({ minLength: 1, maxLength: 5 }).filter((text) => !/\p{Cc}/u.test(text)),
        )
        .map((value) => (Object.is(value, -0) ? 0 : value));
      const key = fc.array(part, { minLength: 1, maxLength: 4 });
      let run = 0;
      await fc.assert(
        fc.asyncProperty(
          fc.array(key, { maxLength: 30 }),
          fc.option(fc.array(part, { maxLength: 2 }), { nil: undefined }),
          fc.option(key, { nil: undefined }),
          fc.boolean(),
          fc.integer({ min: 0, max: 40 }),
          async (keys, prefix, after, reverse, limit) => {
            run += 1;
            const table: Table<number> = { name: `run${run % 8}` };
            await store.write((tx) => {
              tx.range(table).forEach((record) => tx.remove(table, record.key));
              keys.forEach((each, index) => tx.put(table, each, index));
            });
            const sorted = store.range(table).map((record) => record.key);
            expect(sorted).toEqual(
              [...new Map(keys.map((each) => [JSON.stringify(each), each])).values()].sort(
                compareKeys,
              ),
            );
            const wanted = sorted
              .filter((each) => prefix === undefined || hasPrefix(each, prefix))
              .filter(
                (each) =>
                  after === undefined ||
                  (reverse ? compareKeys(each, after) < 0 : compareKeys(each, after) > 0),
              );
            const range = {
              reverse,
              limit,
              ...(prefix === undefined ? {} : { prefix }),
              ...(after === undefined ? {} : { after }),
            };
            expect(store.range(table, range).map((record) => record.key)).toEqual(
              (reverse ? wanted.toReversed() : wanted).slice(0, limit),
            );
          },
        ),
        { numRuns: 150 },
      );
    });

    describe('the journal', () => {
      it('numbers facts from 1 without holes, in the order of the commits', async () => {
        const seqs = await store.write((tx) => [tx.append(anEvent('a')), tx.append(anEvent('b'))]);
        expect(seqs).toEqual([1, 2]);
        expect(await store.write((tx) => tx.append(anEvent('c')))).toBe(3);
        expect(store.readJournal(0, 10).map(({ seq, event }) => [seq, event])).toEqual([
          [1, anEvent('a')],
          [2, anEvent('b')],
          [3, anEvent('c')],
        ]);
      });

      it('is read in pages', async () => {
        await store.write((tx) => ['a', 'b', 'c', 'd'].forEach((text) => tx.append(anEvent(text))));
        expect(store.readJournal(1, 2).map(({ seq }) => seq)).toEqual([2, 3]);
        expect(store.readJournal(4, 2)).toEqual([]);
        expect(store.readJournal(0, 0)).toEqual([]);
      });

      it('L11: is chained: each link is the hash of the link before, the number and the text, also over a restart', async () => {
        await store.write((tx) => ['a', 'b'].forEach((text) => tx.append(anEvent(text))));
        await expect(
          store.write((tx) => {
            tx.append(anEvent('lost'));
            throw new Error('half way');
          }),
        ).rejects.toThrow('half way');
        await store.write((tx) => tx.append(anEvent('c')));
        await store.flushed();
        let previous = Buffer.alloc(32);
        const links = ['a', 'b', 'c'].map((text, index) => {
          const place = Buffer.alloc(8);
          place.writeBigUInt64BE(BigInt(index + 1));
          previous = createHash('sha256')
            .update(Buffer.concat([previous, place, Buffer.from(JSON.stringify(anEvent(text)))]))
            .digest();
          return { seq: index + 1, hash: previous.toString('hex') };
        });
        expect(store.readChain(0, 10)).toEqual(links);
        expect(store.readChain(1, 1)).toEqual(links.slice(1, 2));
        expect([store.readChain(3, 10), store.readChain(0, 0)]).toEqual([[], []]);
        expect(await store.anchorChain()).toEqual(links[2]);
        const after = await under.restart();
        expect(after.readChain(0, 10)).toEqual(links);
        await after.write((tx) => tx.append(anEvent('d')));
        expect(after.readChain(2, 10).map(({ seq }) => seq)).toEqual([3, 4]);
      });

      it('begins at a link of zeros', async () => {
        expect(await store.anchorChain()).toEqual({ seq: 0, hash: '0'.repeat(64) });
        expect(store.readChain(0, 10)).toEqual([]);
      });
    });

    describe('facts by who reads them', () => {
      const fact = (reader: string, upTo: number): DomainEvent => ({
        type: 'notifications.read',
        userId: asId<UserId>(reader),
        atMs: upTo,
        upTo,
        unread: 0,
      });
      const seqsOf = (of: Store, reader: string, after: number, limit = 10) =>
        of.readFacts(asId<UserId>(reader), after, limit).entries.map(({ seq }) => seq);

      it('are those that a topic tells, behind a number, in order, also over a restart', async () => {
        const facts = [fact('a', 1), fact('b', 2), anEvent('a'), fact('a', 3)];
        await store.write((tx) => facts.forEach((each) => tx.append(each)));
        const all: DomainEvent = { type: 'all_trading.stopped', atMs: 4, reason: 'why' };
        await store.write((tx) => [all, fact('a', 5)].forEach((each) => tx.append(each)));
        await store.flushed();
        const read = (of: Store) => [
          of.readFacts(asId<UserId>('a'), 0, 10),
          ['a', 'b', 'c', '*'].map((reader) => seqsOf(of, reader, 0)),
          [seqsOf(of, 'a', 1), seqsOf(of, 'a', 4, 1), seqsOf(of, 'a', 0, 2), seqsOf(of, 'a', 6)],
          of.newestFact(),
        ];
        const expected = [
          {
            entries: [
              { seq: 1, event: fact('a', 1) },
              { seq: 4, event: fact('a', 3) },
              { seq: 6, event: fact('a', 5) },
            ],
            forgottenUpTo: 0,
          },
          [[1, 4, 6], [2], [], [5]],
          [[4, 6], [6], [1, 4], []],
          6,
        ];
        expect(read(store)).toEqual(expected);
        const after = await under.restart();
        expect(read(after)).toEqual(expected);
        await after.write((tx) => tx.append(fact('a', 6)));
        expect(seqsOf(after, 'a', 4)).toEqual([6, 7]);
      });

      it('are none of a change that was undone', async () => {
        await expect(
          store.write((tx) => {
            tx.append(fact('a', 1));
            throw new Error('half way');
          }),
        ).rejects.toThrow('half way');
        expect([seqsOf(store, 'a', 0), store.newestFact()]).toEqual([[], 0]);
      });

      it('come in order while the log is taken in', async () => {
        for (let upTo = 1; upTo <= 40; upTo += 1) {
          await store.write((tx) => tx.append(fact('a', upTo)));
          expect(seqsOf(store, 'a', 0, 100)).toEqual(
            Array.from({ length: upTo }, (_, index) => index + 1),
          );
        }
      });
    });

    it('L9: finds everything flushed after a restart, versions and sequence numbers included', async () => {
      await put(['a', 1], 'one');
      await put(['a', 1], 'two');
      await store.write((tx) => tx.append(anEvent('a')));
      await store.flushed();
      const after = await under.restart();
      expect(after.get(NOTES, ['a', 1])).toEqual({
        key: ['a', 1],
        value: { text: 'two' },
        version: 2,
      });
      expect(await after.write((tx) => tx.append(anEvent('b')))).toBe(2);
      expect(after.readJournal(0, 10).map(({ seq }) => seq)).toEqual([1, 2]);
    });

    it('has flushed at once when nothing was written', async () => {
      await store.flushed();
      await store.flushed();
      expect(store.range(NOTES)).toEqual([]);
    });

    it.each<[string, Key]>([
      ['no part', []],
      ['nine parts', [1, 2, 3, 4, 5, 6, 7, 8, 9]],
      ['a fraction', [0.5]],
      ['not a number', [Number.NaN]],
      ['empty text', ['']],
      ['a control character', ['a\u0000b']],
      ['more than 512 bytes', ['x'.repeat(513)]],
    ])('refuses a key with %s', async (_, key) => {
      await expect(put(key, 'x')).rejects.toThrow('invariant broken');
      expect(() => store.get(NOTES, key)).toThrow('invariant broken');
    });

    it.each<[string, unknown]>([
      ['a bigint', { amount: 1n }],
      ['an undefined member', { a: undefined }],
      ['a date', new Date(0)],
      ['bytes', new Uint8Array(2)],
      ['not a number', [Number.NaN]],
      ['a function', { run: () => 1 }],
      ['a map', new Map()],
    ])('refuses a record with %s, and keeps nothing of the change', async (_, value) => {
      const table: Table<unknown> = { name: 'any' };
      await expect(
        store.write((tx) => {
          tx.put(table, ['first'], 1);
          tx.put(table, ['second'], value);
        }),
      ).rejects.toThrow('invariant broken');
      expect(store.range(table)).toEqual([]);
    });

    it('refuses work once it is closed', async () => {
      await store.close();
      await expect(put(['a'], 'late')).rejects.toMatchObject({ code: 'store_unavailable' });
      expect(() => store.get(NOTES, ['a'])).toThrow(AppError);
      expect(() => store.range(NOTES)).toThrow(AppError);
      expect(() => store.readJournal(0, 1)).toThrow(AppError);
      await expect(store.flushed()).rejects.toMatchObject({ code: 'store_unavailable' });
    });
  });
}
