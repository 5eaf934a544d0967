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
  it('begins a little before a quarter of an hour, never in the past, and stops while the daemon is off', () => {
    const data = folder();
    const first = openSandboxTime(data, 10, 1_000_000);
    first.stop(2_000_000);
    expect([first.anchor.anchorMs, openSandboxTime(data, 10, 9_000_000).anchor]).toEqual([
      1_700_000,
      { anchorWallMs: 9_000_000, anchorMs: 2_000_000, scale: 10 },
    ]);
  });

  it('L9: never falls after a kill, because the file holds a time not yet reached', () => {
    const data = folder();
    const first = openSandboxTime(data, 10, 1_000_000);
    first.reserve(1_200_000);
    expect(openSandboxTime(data, 10, 1_020_001).anchor.anchorMs).toBe(1_240_000);
  });

  it('is the wall clock exactly at speed 1, from the first moment and after an absence', () => {
    const data = folder();
    const first = openSandboxTime(data, 1, 1_000_000);
    first.stop(2_000_000);
    expect([first.anchor, openSandboxTime(data, 1, 9_000_000).anchor]).toEqual([
      { anchorWallMs: 1_000_000, anchorMs: 1_000_000, scale: 1 },
      { anchorWallMs: 9_000_000, anchorMs: 9_000_000, scale: 1 },
    ]);
  });

  it('reserves nothing at speed 1: a kill and a start at once find the wall clock where it is', () => {
    const data = folder();
    openSandboxTime(data, 1, 1_000_000).reserve(1_002_000);
    expect(openSandboxTime(data, 1, 1_002_001).anchor.anchorMs).toBe(1_002_001);
  });

  it('is refused at speed 1 where a higher speed has left the wall clock behind, and goes on at a higher one', () => {
    const data = folder();
    openSandboxTime(data, 10, 1_000_000).stop(5_000_000);
    expect(() => openSandboxTime(data, 1, 4_999_999)).toThrow(
      expect.objectContaining({
        code: 'config_invalid',
        message: `the sandbox in ${data} has come to 1970-01-01T01:23:20.000Z at a higher speed, and PREDICTD_SANDBOX_SPEED=1 is the wall clock, which shows 1970-01-01T01:23:19.999Z; give a speed of 2 or more, another PREDICTD_DATA, or remove the folder.`,
      }),
    );
    expect([
      openSandboxTime(data, 10, 4_999_999).anchor.anchorMs,
      openSandboxTime(data, 1, 6_000_000).anchor.anchorMs,
    ]).toEqual([5_000_000, 6_000_000]);
  });

  it('knows the wall time of every moment, of earlier runs and at other speeds too', () => {
    const data = folder();
    const first = openSandboxTime(data, 10, 1_000_000);
    const { anchorMs } = first.anchor;
    first.stop(anchorMs + 600_000);
    // It ran for a minute of the wall, and was off for an hour.
    openSandboxTime(data, 2, 4_660_000).stop(anchorMs + 700_000);
    const { marketTime } = openSandboxTime(data, 10, 5_000_000);
    expect(marketTime.speed).toBe(10);
    expect(
      [
        anchorMs,
        anchorMs + 300_000,
        anchorMs + 600_000,
        anchorMs + 700_000,
        anchorMs + 900_000,
      ].map((atMs) => marketTime.toWallMs(atMs)),
    ).toEqual([1_000_000, 1_030_000, 4_660_000, 5_000_000, 5_020_000]);
    expect([1_030_000, 2_000_000, 5_020_000].map((atMs) => marketTime.toMarketMs(atMs))).toEqual([
      anchorMs + 300_000,
      anchorMs + 600_000,
      anchorMs + 900_000,
    ]);
    // Before the first run it is reckoned at its pace.
    expect(marketTime.toWallMs(anchorMs - 10_000)).toBe(999_000);
  });

  it('is the same at speed 1', () => {
    const { marketTime } = openSandboxTime(folder(), 1, 1_000_000);
    expect(
      [5, 1_000_000, 9_999_999].map((atMs) => [
        marketTime.toWallMs(atMs),
        marketTime.toMarketMs(atMs),
      ]),
    ).toEqual([
      [5, 5],
      [1_000_000, 1_000_000],
      [9_999_999, 9_999_999],
    ]);
  });

  it.each(['sandbox-time.json', 'sandbox-runs.json'])(
    'refuses %s when it holds something else',
    (name) => {
      const data = folder();
      writeFileSync(join(data, name), '{"runs":[{}]}');
      expect(() => openSandboxTime(data, 10, 5)).toThrow(
        expect.objectContaining({ code: 'store_corrupt', message: expect.stringContaining(name) }),
      );
    },
  );

  it('knows the runs from the copy where their file was cut short', () => {
    const data = folder();
    const { anchorMs } = openSandboxTime(data, 10, 1_000_000).anchor;
    writeFileSync(join(data, 'sandbox-runs.json'), '{"runs":[{"anch');
    const { marketTime } = openSandboxTime(data, 10, 5_000_000);
    expect(marketTime.toWallMs(anchorMs + 30_000)).toBe(1_003_000);
  });

  it('says what to do when its file is unreadable', () => {
    const data = folder();
    writeFileSync(join(data, 'sandbox-time.json'), '{');
    expect(() => openSandboxTime(data, 1, 5)).toThrow(/remove the data folder|restore/);
  });
});
