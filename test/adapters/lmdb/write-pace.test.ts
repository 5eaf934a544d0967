import { describe, expect, it } from 'vitest';
import { STORE } from '../../../config/limits/store.ts';
import { WritePace } from '../../../src/adapters/lmdb/write-pace.ts';

const QUICK_MS = STORE.quickWriteMs;
const SLOW_MS = STORE.quickWriteMs * 1.01;

function after(...durationsMs: readonly number[]): WritePace {
  const pace = new WritePace();
  for (const durationMs of durationsMs) pace.took(durationMs);
  return pace;
}

const quick = (count: number): readonly number[] => Array.from({ length: count }, () => QUICK_MS);

describe('the pace of a disk', () => {
  it('is not taken for quick before enough writes were', () => {
    expect(after(...quick(STORE.quickWritesWanted - 1)).isQuick(1)).toBe(false);
    expect(after(...quick(STORE.quickWritesWanted)).isQuick(1)).toBe(true);
  });

  it('is forgiven one slow write after a long quick run, not two', () => {
    const run = quick(10_000);
    expect(after(...run, SLOW_MS).isQuick(1)).toBe(true);
    expect(after(...run, SLOW_MS, SLOW_MS).isQuick(1)).toBe(false);
  });

  it('stays slow where one write of nine is', () => {
    const pace = new WritePace();
    for (let round = 0; round < 1_000; round += 1) {
      for (const durationMs of [...quick(8), SLOW_MS]) pace.took(durationMs);
      expect(pace.isQuick(1)).toBe(false);
    }
  });

  it('never has the thread wait for a large commit', () => {
    const pace = after(...quick(1_000));
    expect(pace.isQuick(STORE.writtenHereBytes)).toBe(true);
    expect(pace.isQuick(STORE.writtenHereBytes + 1)).toBe(false);
  });
});
