import { describe, expect, it } from 'vitest';
import { createConnectionShares } from '../../src/http/connection-shares.ts';

describe('connections of an address', () => {
  it('are as many as it may hold, each given back once, and others are none of its business', () => {
    const shares = createConnectionShares(2);
    const [first, second] = [shares.begin('a'), shares.begin('a')];
    expect([shares.begin('a'), shares.isFull('a'), shares.isFull('b')]).toEqual([
      null,
      true,
      false,
    ]);
    first?.();
    first?.();
    expect(shares.isFull('a')).toBe(false);
    expect(shares.begin('a')).not.toBeNull();
    expect(shares.begin('a')).toBeNull();
    second?.();
    expect(shares.isFull('a')).toBe(false);
  });
});
