import { describe, expect, it } from 'vitest';
import {
  enablingBlocked,
  isAllStopped,
  stillOff,
  switchedOff,
} from '../../../src/web/app/all-stopped.ts';

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

describe('the agents that are off after a stop of all', () => {
  it('are those that were switched off with it, and not those that were off before', () => {
    const off = [
      { agent: 'a', enabled: false, updatedAtMs: 20 },
      { agent: 'b', enabled: false, updatedAtMs: 9 },
      { agent: 'c', enabled: true, updatedAtMs: 30 },
      { agent: 'd', enabled: false, updatedAtMs: null },
    ];
    expect(switchedOff({ changedAtMs: 10 }, off).map(({ agent }) => agent)).toEqual(['a']);
    expect(switchedOff({ changedAtMs: null }, off)).toEqual([]);
  });
});

describe('the agents that are still off after trading was resumed', () => {
  it('are those of the stop that were not enabled since', () => {
    const agents = [
      { agent: 'btc_5min', enabled: true },
      { agent: 'btc_15min', enabled: false },
      { agent: 'eth_15min', enabled: false },
    ] as const;
    expect(stillOff(['btc_5min', 'btc_15min'], agents)).toEqual([agents[1]]);
  });
});

describe('switching an agent on', () => {
  it('is blocked by a stop of all trading, which its user ends', () => {
    expect(enablingBlocked(STOPPED)).toMatchObject({ isOwnStop: true });
  });

  it('is blocked by the operator, whom no user overrules', () => {
    const operator = { scope: 'all', reason: 'upkeep', changedAtMs: 1 } as const;
    expect(enablingBlocked({ stopped: true, operator })).toMatchObject({ isOwnStop: false });
  });

  it('is free while trading goes on, and while that is not known', () => {
    expect(enablingBlocked({ stopped: false, operator: null })).toBeNull();
    expect(enablingBlocked(undefined)).toBeNull();
  });
});
