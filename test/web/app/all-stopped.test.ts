import { describe, expect, it } from 'vitest';
import { isAllStopped } from '../../../src/web/app/all-stopped.ts';

const OFF = [{ enabled: false }, { enabled: false }];
const ONE_ON = [{ enabled: false }, { enabled: true }];
const STOPPED = { stopped: true, operator: null };

describe('the stop in the header', () => {
  it('says that all is stopped once trading is, and every agent is off', () => {
    expect(isAllStopped(STOPPED, OFF)).toBe(true);
    expect(isAllStopped(STOPPED, [])).toBe(true);
  });

  it('is still offered while trading goes on or an agent is on', () => {
    expect(isAllStopped({ stopped: false, operator: null }, OFF)).toBe(false);
    expect(isAllStopped(STOPPED, ONE_ON)).toBe(false);
  });

  it('is still offered where the operator stopped, which no user ends', () => {
    const operator = { scope: 'all', reason: 'upkeep', changedAtMs: 1 } as const;
    expect(isAllStopped({ stopped: true, operator }, OFF)).toBe(false);
  });

  it('is still offered while either is not known', () => {
    expect(isAllStopped(undefined, OFF)).toBe(false);
    expect(isAllStopped(STOPPED, undefined)).toBe(false);
  });
});
