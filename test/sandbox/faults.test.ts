import { describe, expect, it } from 'vitest';
import { createSeededRandom } from '../../src/adapters/random/seeded-random.ts';
import { createFaultBoard, FAULTS, isFaultName } from '../../src/sandbox/faults.ts';

const board = () => createFaultBoard(createSeededRandom(1));

describe('the fault board', () => {
  it('fires as often as it was armed for, then never again', () => {
    const faults = board();
    faults.arm('late-ack', { times: 2, delayMs: 700 });
    expect([
      faults.take('late-ack')?.delayOr(1),
      faults.take('late-ack')?.delayOr(1),
      faults.take('late-ack'),
    ]).toEqual([700, 700, null]);
    expect(faults.armed()).toEqual([]);
  });

  it('fires only at what its rule names', () => {
    const faults = board();
    faults.arm('ghost-fill', { match: { owner: 'key-a' } });
    expect([
      faults.take('ghost-fill', { owner: 'key-b' }),
      faults.isArmed('ghost-fill', { owner: 'key-a' }),
    ]).toEqual([null, true]);
  });

  it('fires by seeded chance', () => {
    const faults = board();
    faults.arm('ghost-fill', { percent: 35 });
    const hits = Array.from({ length: 1_000 }, () => faults.take('ghost-fill')).filter(
      (hit) => hit !== null,
    ).length;
    expect(hits).toBeGreaterThan(300);
    expect(hits).toBeLessThan(400);
  });

  it('refuses names it does not know and rules that make no sense', () => {
    const faults = board();
    expect(isFaultName('toString')).toBe(false);
    // A name from outside, as a caller without types would send it.
    expect(() => faults.arm('no-such-fault' as keyof typeof FAULTS)).toThrow(
      'no such fault: no-such-fault',
    );
    expect(() => faults.arm('gap', { times: 0 })).toThrow('bad rule for fault gap');
    expect(() => faults.arm('gap', { percent: 101 })).toThrow('bad rule for fault gap');
  });

  it('says of every fault what it does', () => {
    for (const text of Object.values(FAULTS)) expect(text).toMatch(/\w.*\.$/);
  });
});
