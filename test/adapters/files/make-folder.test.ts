import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, describe, it } from 'vitest';
import { makeFolder } from '../../../src/adapters/files/make-folder.ts';

let base: string;
beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), 'predictd-folder-'));
});
afterEach(() => rmSync(base, { recursive: true }));

describe('makeFolder', () => {
  it('makes a folder with those above it, open to whom it is asked to, and leaves one that is there', () => {
    const path = join(base, 'a', 'b', 'c');
    makeFolder(path, 0o700);
    makeFolder(path, 0o755);
    expect(statSync(path).mode & 0o777).toBe(0o700);
    expect(statSync(join(base, 'a')).mode & 0o777).toBe(0o700);
  });

  it('throws where a file is in the way', () => {
    writeFileSync(join(base, 'file'), '');
    expect(() => makeFolder(join(base, 'file'))).toThrow('EEXIST');
    expect(() => makeFolder(join(base, 'file', 'below'))).toThrow('ENOTDIR');
  });

  // Linux lets no process make a folder there, and says that the parent is missing
  it.each(['/proc/x', '/proc/self/x/y'])('throws where %s cannot be', (path) => {
    expect(() => makeFolder(path)).toThrow(/ENOENT|EACCES|EPERM/);
  });
});
