import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { openSandboxTime } from '../../src/app/sandbox-time.ts';

const folders: string[] = [];
function folder(): string {
  const path = mkdtempSync(join(tmpdir(), 'predictd-time-'));
  folders.push(path);
  return path;
}
afterEach(() => folders.splice(0).forEach((path) => rmSync(path, { recursive: true })));

describe('sandbox time', () => {
  it('begins a little before a quarter of an hour, never in the past, and stands still while the daemon is off', () => {
    const data = folder();
    const first = openSandboxTime(data, 10, 1_000_000);
    first.stop(2_000_000);
    expect([first.anchor.anchorMs, openSandboxTime(data, 10, 9_000_000).anchor]).toEqual([1_700_000, { anchorWallMs: 9_000_000, anchorMs: 2_000_000, scale: 10 }]);
  });

  it('L9: never falls after a kill, because the file holds a time not yet reached', () => {
    const data = folder();
    const first = openSandboxTime(data, 10, 1_000_000);
    first.reserve(1_200_000);
    expect(openSandboxTime(data, 10, 1_020_001).anchor.anchorMs).toBe(1_240_000);
  });

  it('says what to do when its file is unreadable', () => {
    const data = folder();
    writeFileSync(join(data, 'sandbox-time.json'), '{');
    expect(() => openSandboxTime(data, 1, 5)).toThrow(/remove the data folder|restore/);
  });
});
