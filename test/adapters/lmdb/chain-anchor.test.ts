import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { LOG_FORMAT, readAnchor } from '../../../src/adapters/lmdb/chain-anchor.ts';
import { openLmdbStore } from '../../../src/adapters/lmdb/lmdb-store.ts';

let path: string;
const head = (): string => readFileSync(join(path, 'journal.head'), 'utf8');

beforeEach(() => {
  path = mkdtempSync(join(tmpdir(), 'predictd-head-'));
});
afterEach(() => rmSync(path, { recursive: true }));

async function store(facts: number): Promise<void> {
  const opened = await openLmdbStore({ path });
  for (let index = 1; index <= facts; index += 1)
    await opened.write((tx) =>
      tx.append({ type: 'all_trading.resumed', atMs: index, reason: 'again' }),
    );
  await opened.close();
}

describe('journal.head', () => {
  it('says the format of the log before the first commit is written', async () => {
    const opened = await openLmdbStore({ path });
    expect(head()).toMatch(new RegExp(`^0:0{64}\nformat ${LOG_FORMAT}\n$`));
    await opened.close();
  });

  it.each([
    ['without a format is of the first one, and', ''],
    ['of an earlier format', `format ${LOG_FORMAT - 1}\n`],
  ])('%s has the number of this one after a start, before any commit', async (_what, format) => {
    await store(3);
    const [line = ''] = head().split('\n');
    writeFileSync(join(path, 'journal.head'), `${line}\n${format}`);
    expect(readAnchor(path)).toMatchObject({ seq: 3 });
    const opened = await openLmdbStore({ path });
    expect(head()).toBe(`${line}\nformat ${LOG_FORMAT}\n`);
    await opened.close();
  });

  it('of a newer format refuses the start, and nothing in the folder is changed', async () => {
    await store(3);
    writeFileSync(join(path, 'journal.head'), `what follows is new\nformat ${LOG_FORMAT + 1}\n`);
    const before = readdirSync(join(path, 'journal'));
    await expect(store(1)).rejects.toMatchObject({
      code: 'store_unavailable',
      message: expect.stringContaining(`is written in format ${LOG_FORMAT + 1}, and this version`),
    });
    expect(readdirSync(join(path, 'journal'))).toEqual(before);
  });
});
