import { expect, it } from 'vitest';
import { limitWarning } from '../../../src/web/pages/settings/limit-words.ts';

it('warns of a limit under which nothing, or hardly anything, could be bought', () => {
  expect(limitWarning('maxOrderSize', '0.0001')).toContain('nothing can be bought');
  expect(limitWarning('maxTotalExposure', '0')).toContain('nothing can be bought');
  expect(limitWarning('maxDailyLoss', '0.5')).toContain('hardly anything');
  expect(limitWarning('maxOpenPositions', '0')).toContain('nothing can be bought');
});

it('says nothing of a limit that leaves room, of none, and of what is no number', () => {
  expect(limitWarning('maxOrderSize', '1')).toBeNull();
  expect(limitWarning('maxOpenPositions', '1')).toBeNull();
  expect(limitWarning('maxOrderSize', ' ')).toBeNull();
  expect(limitWarning('maxOpenPositions', 'x')).toBeNull();
});
