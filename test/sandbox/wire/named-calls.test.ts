import { describe, expect, it } from 'vitest';
import { SANDBOX } from '../../../config/limits/sandbox.ts';
import { createNamedCalls } from '../../../src/sandbox/wire/named-calls.ts';

function counted() {
  let done = 0;
  return () => (done += 1);
}

describe('calls by name', () => {
  it('are done once for each name, and every time without one', () => {
    const [call, act] = [createNamedCalls<number>(), counted()];
    expect(['a', 'a', 'b', undefined, undefined, 'a'].map((name) => call(name, act))).toEqual([
      1, 1, 2, 3, 4, 1,
    ]);
  });

  it('that come while the first is under way get its answer', async () => {
    const [call, act] = [createNamedCalls<Promise<number>>(), counted()];
    const later = async () => {
      await Promise.resolve();
      return act();
    };
    expect(await Promise.all([call('a', later), call('a', later)])).toEqual([1, 1]);
  });

  it('that failed are done again', async () => {
    const call = createNamedCalls<Promise<number>>();
    await expect(call('a', () => Promise.reject(new Error('no chain')))).rejects.toThrow();
    expect(await call('a', () => Promise.resolve(2))).toBe(2);
  });

  it('are remembered by the newest names', () => {
    const [call, act] = [createNamedCalls<number>(), counted()];
    for (let name = 0; name <= SANDBOX.namedCallsMaximum; name += 1) call(String(name), act);
    expect([call('1', act), call('0', act)]).toEqual([2, SANDBOX.namedCallsMaximum + 2]);
  });
});
