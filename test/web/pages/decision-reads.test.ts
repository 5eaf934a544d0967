import { describe, expect, it } from 'vitest';
import { decisionsAgainMs } from '../../../src/web/pages/agents/decision-reads.ts';

describe('a list of decisions', () => {
  it('is read again while nothing is in it, and while it is one page: no topic has shared verdicts', () => {
    expect(decisionsAgainMs('all', 0)).toBe(10_000);
    expect(decisionsAgainMs('all', 1)).toBe(10_000);
  });

  it('of orders alone waits for its topic, as does one of which older pages were read', () => {
    expect(decisionsAgainMs('orders', 1)).toBe(false);
    expect(decisionsAgainMs('all', 2)).toBe(false);
  });
});
