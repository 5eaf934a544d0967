import { expect, it } from 'vitest';
import { isSwapOver } from '../../src/domain/swap.ts';

it('is over in whatever state but while it waits or is followed', () => {
  const states = [
    'queued',
    'following',
    'completed',
    'refunded',
    'partial',
    'failed',
    'unproven',
  ] as const;
  expect(states.filter((state) => !isSwapOver(state))).toEqual(['queued', 'following']);
});
