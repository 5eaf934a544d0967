import { describe, expect, it } from 'vitest';
import { noAnswer } from '../../../src/web/api/problem.ts';
import type { Estimate } from '../../../src/web/api/venues.ts';
import { estimateOf } from '../../../src/web/pages/markets/use-estimate.ts';

const DATA = { shares: '5.05' } as Estimate;
const ANSWERED = { data: DATA, error: null, isPlaceholderData: false };
const CURRENT = { isAsked: true, isOfThis: true };

describe('the figures of a ticket', () => {
  it('are those of what is typed', () => {
    expect(estimateOf(ANSWERED, CURRENT)).toEqual({ ofThis: DATA, before: null, fault: null });
  });

  it('of another input are none of it, and keep its room until its own come', () => {
    const before = { ofThis: null, before: DATA, fault: null };
    expect(estimateOf(ANSWERED, { isAsked: true, isOfThis: false })).toEqual(before);
    expect(estimateOf({ ...ANSWERED, isPlaceholderData: true }, CURRENT)).toEqual(before);
  });

  it('are gone where this one is refused, or cannot be asked for', () => {
    const fault = noAnswer(new Error('cut'));
    const refused = { data: undefined, error: fault, isPlaceholderData: false };
    expect(estimateOf(refused, CURRENT)).toEqual({ ofThis: null, before: null, fault });
    expect(estimateOf(ANSWERED, { isAsked: false, isOfThis: true }).before).toBeNull();
  });

  it('are not refused for what another input was refused for', () => {
    const refused = {
      data: undefined,
      error: noAnswer(new Error('cut')),
      isPlaceholderData: false,
    };
    expect(estimateOf(refused, { isAsked: true, isOfThis: false }).fault).toBeNull();
  });
});
