import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { jsonIn, sweepUnfinished, wholeLines } from '../../../src/sandbox/storage/append-file.ts';
import { openRecordStore } from '../../../src/sandbox/storage/record-store.ts';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'predictd-kept-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function aFile(name: string, text: string): string {
  const file = join(folder, name);
  writeFileSync(file, text);
  return file;
}

describe('files the sandbox keeps', () => {
  it.each([
    ['', []],
    ['whole\n', ['whole']],
    ['whole\ncut sho', ['whole']],
    ['cut sho', []],
  ])('give their whole lines only: %j', (text, lines) => {
    expect(wholeLines(aFile('lines', text))).toEqual(lines);
  });

  it('have no line before they are made', () => {
    expect(wholeLines(join(folder, 'nothing'))).toEqual([]);
  });

  it('are rid of what a process was writing that is gone, and of nothing else', () => {
    const { pid: gone } = spawnSync('true');
    const [ofOneGone, ofOneAlive, whole] = [
      `a.json.${gone}.new`,
      `a.json.${process.pid}.new`,
      'a.json',
    ].map((name) => aFile(name, 'x'));
    sweepUnfinished(folder);
    expect([ofOneGone, ofOneAlive, whole].map((file) => existsSync(file ?? ''))).toEqual([
      false,
      true,
      true,
    ]);
  });

  it('say which of them cannot be read, and what to do', () => {
    expect(() => jsonIn('some/file', '{"a":')).toThrow(
      expect.objectContaining({
        code: 'store_corrupt',
        message: expect.stringMatching(/^some\/file cannot be read; remove the sandbox's folder/),
      }),
    );
  });

  it.each([
    ['another version', '{"key":"version","record":2}\n'],
    ['no version', ''],
    [
      'a damaged line',
      '{"key":"version","record":1}\n{"key":"r:a","rec\n{"key":"r:b","record":{}}\n',
    ],
    ['a line of another shape', '{"key":"version","record":1}\n[]\n'],
  ])('refuse to be a record store of records with %s', (_, text) => {
    expect(() => openRecordStore(aFile('records', text), 1)).toThrow(
      expect.objectContaining({ code: 'store_corrupt' }),
    );
  });

  it('are a record store of all records but one that was cut short', () => {
    const records = openRecordStore(
      aFile(
        'records',
        '{"key":"version","record":1}\n{"key":"r:a","record":{"n":1}}\n{"key":"r:b","rec',
      ),
      1,
    );
    expect([records.get('a'), records.size()]).toEqual([{ n: 1 }, 1]);
    records.close();
  });
});
