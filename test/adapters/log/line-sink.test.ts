import { fstatSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { LOG } from '../../../config/limits/log.ts';
import { createLineSink, isJournal, openLineSink } from '../../../src/adapters/log/line-sink.ts';

/** A disk with room for so many bytes. */
function aDisk(room: number) {
  let text = '';
  const disk = {
    room,
    text: () => text,
    put(bytes: Uint8Array): number {
      if (disk.room === 0)
        throw Object.assign(new Error('no space left on device'), { code: 'ENOSPC' });
      const taken = Math.min(disk.room, bytes.length);
      disk.room -= taken;
      text += Buffer.from(bytes.subarray(0, taken)).toString('utf8');
      return taken;
    },
  };
  return disk;
}

describe('a line for which there is no room', () => {
  it('waits, and is written whole and in its turn once there is', () => {
    const disk = aDisk(8);
    const sink = createLineSink(disk.put);
    for (const line of ['one\n', 'two, cut\n', 'three\n']) sink.write(line);
    expect([disk.text(), sink.isWaiting]).toEqual(['one\ntwo,', true]);
    disk.room = 1_000;
    sink.write('four\n');
    expect([disk.text(), sink.isWaiting, sink.lost]).toEqual([
      'one\ntwo, cut\nthree\nfour\n',
      false,
      0,
    ]);
  });

  it('is lost, and counted, where too many wait; those that wait are written all the same once there is room', () => {
    const disk = aDisk(0);
    const sink = createLineSink(disk.put);
    const line = `${'x'.repeat(1_023)}\n`;
    for (let lines = 0; lines < 1_024 + 3; lines += 1) sink.write(line);
    expect([sink.lost, sink.isWaiting]).toEqual([3, true]);
    disk.room = 2 * LOG.waitingMaximumBytes;
    sink.write(line);
    sink.write('the next\n');
    expect([disk.text().length, disk.text().endsWith('x\nthe next\n'), sink.lost]).toEqual([
      LOG.waitingMaximumBytes + 9,
      true,
      4,
    ]);
  });
});

describe('a file of lines', () => {
  it.each([
    ['is ended before the next where it was cut short', 'one\ntw', 'one\ntw\nthree\n'],
    ['is followed by the next where it is whole', 'one\n', 'one\nthree\n'],
    ['needs no end in an empty file', '', 'three\n'],
  ])('whose last line %s', (_, before, after) => {
    const folder = mkdtempSync(join(tmpdir(), 'predictd-log-'));
    try {
      const file = join(folder, 'predictd.log');
      writeFileSync(file, before);
      openLineSink(file).write('three\n');
      expect(readFileSync(file, 'utf8')).toBe(after);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});

describe('a file that was moved away', () => {
  it('is made anew under its name, and no line is lost', () => {
    const folder = mkdtempSync(join(tmpdir(), 'predictd-sink-'));
    const [file, moved] = [join(folder, 'predictd.log'), join(folder, 'predictd.log.1')];
    const sink = openLineSink(file);
    sink.write('one\n');
    renameSync(file, moved);
    sink.write('two\n');
    sink.reopen();
    sink.write('three\n');
    expect([readFileSync(moved, 'utf8'), readFileSync(file, 'utf8')]).toEqual([
      'one\ntwo\n',
      'three\n',
    ]);
    rmSync(folder, { recursive: true });
    expect(() => sink.reopen()).toThrow('ENOENT');
  });
});

describe('the journal of systemd', () => {
  it('is the stream whose device and inode it names, and no other', () => {
    const { dev, ino } = fstatSync(1, { bigint: true });
    expect([
      isJournal('output', `${dev}:${ino}`),
      isJournal('output', `${dev}:${ino + 1n}`),
      isJournal('output', null),
    ]).toEqual([true, false, false]);
  });
});
