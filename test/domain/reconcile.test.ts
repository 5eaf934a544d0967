import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { mismatchOf } from '../../src/domain/reconcile.ts';

const micros = fc.integer({ min: 0, max: 1_000_000_000 });

describe('what a chain may show', () => {
  it('is explained whichever of the things on their way have happened there, and only then', () => {
    const moves = fc.array(
      fc.record({
        micros: fc.integer({ min: -1_000_000, max: 1_000_000 }),
        hasHappened: fc.boolean(),
      }),
      { maxLength: 8 },
    );
    fc.assert(
      fc.property(micros, moves, (settled, list) => {
        const sum = (
          pick: (move: { readonly micros: number; readonly hasHappened: boolean }) => number,
        ) => list.reduce((total, move) => total + pick(move), 0);
        const booked = {
          settled,
          provisional: sum((move) => move.micros),
          outgoing: sum((move) => Math.max(0, -move.micros)),
          redeemed: { brings: 0, takes: 0 },
        };
        expect(
          mismatchOf(
            'usdc:safe',
            booked,
            settled + sum((move) => (move.hasHappened ? move.micros : 0)),
          ),
        ).toBeNull();
        expect(
          mismatchOf('usdc:safe', booked, settled + sum((move) => Math.max(0, move.micros)) + 1)
            ?.onChain,
        ).toBe(settled + sum((move) => Math.max(0, move.micros)) + 1);
        expect(
          mismatchOf('usdc:safe', booked, settled + sum((move) => Math.min(0, move.micros)) - 1),
        ).not.toBeNull();
      }),
    );
  });

  it('covers a redemption under way on both sides', () => {
    const usdc = { settled: 5, provisional: 0, outgoing: 0, redeemed: { brings: 20, takes: 0 } };
    const shares = { settled: 20, provisional: 0, outgoing: 0, redeemed: { brings: 0, takes: 20 } };
    expect([5, 25, 26].map((onChain) => mismatchOf('usdc:safe', usdc, onChain) === null)).toEqual([
      true,
      true,
      false,
    ]);
    expect([0, 20, 21].map((onChain) => mismatchOf('shares', shares, onChain) === null)).toEqual([
      true,
      true,
      false,
    ]);
  });
});
