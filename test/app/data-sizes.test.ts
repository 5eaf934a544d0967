import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { dataSizes } from '../../src/app/data-sizes.ts';

const folder = mkdtempSync(join(tmpdir(), 'predictd-sizes-'));
afterAll(() => rmSync(folder, { recursive: true }));

it('adds up the files of each part of a data folder', async () => {
  mkdirSync(join(folder, 'store', 'log'), { recursive: true });
  for (const [name, bytes] of [
    ['predictd.log', 1],
    ['addresses.json', 2],
    ['store/data.mdb', 4],
    ['store/log/segment.3.log', 8],
    ['store/log/segment.1-20.gz', 16],
    ['store/log/segment.21-30.gz', 32],
  ] as const)
    writeFileSync(join(folder, name), 'x'.repeat(bytes));
  expect(await dataSizes(folder)).toEqual({
    log: 8,
    small_files: 48,
    lmdb: 4,
    text_log: 1,
    other: 2,
  });
});
