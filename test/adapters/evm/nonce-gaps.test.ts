import { expect, it } from 'vitest';
import { createNonceGaps } from '../../../src/adapters/evm/nonce-gaps.ts';
import { createCountingMetrics } from '../../support/counting-metrics.ts';

it('shows of a chain the account that lacks most nonces, and 0 once each has what it lacks', () => {
  const metrics = createCountingMetrics();
  const gaps = createNonceGaps('BASE', metrics);
  const shown = () => metrics.gauges['nonce_gap chain=8453'];
  const seen = [shown()];
  for (const [address, missing] of [
    ['0xa', 2],
    ['0xb', 1],
    ['0xa', 0],
    ['0xb', -1],
  ] as const) {
    gaps.note(address, missing);
    seen.push(shown());
  }
  expect(seen).toEqual([0, 2, 2, 1, 0]);
});
