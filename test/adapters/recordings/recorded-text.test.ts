import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { recordedText } from '../../../src/adapters/recordings/recorded-text.ts';

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'recorded-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function file(bytes: string | Buffer): string {
  const path = join(folder, 'a file');
  writeFileSync(path, bytes);
  return path;
}

describe('the text of a recorded file', () => {
  it.each([
    ['plain', 'a,b\n1,2\n'],
    ['packed', gzipSync('a,b\n1,2\n')],
  ])('is read %s', (_how, bytes) => {
    expect(recordedText(file(bytes))).toBe('a,b\n1,2\n');
  });

  it.each<readonly [string, string | Buffer, RegExp]>([
    ['larger than the bound as stored', 'x'.repeat(1_001), /larger than 1000 bytes/],
    ['larger than the bound once unpacked', gzipSync('x'.repeat(1_001)), /larger than 1000 bytes/],
    ['packed and damaged', gzipSync('a,b\n1,2\n').subarray(0, 20), /unexpected end of file/],
  ])('is refused of a file %s', (_what, bytes, why) => {
    expect(() => recordedText(file(bytes), 1_000)).toThrow(
      expect.objectContaining({ code: 'config_invalid', message: expect.stringMatching(why) }),
    );
  });

  it('is refused of a file that is missing', () => {
    expect(() => recordedText(join(folder, 'no file'))).toThrow(
      expect.objectContaining({
        code: 'config_invalid',
        message: expect.stringContaining('no file cannot be read: ENOENT'),
      }),
    );
  });
});
