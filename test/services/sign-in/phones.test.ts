import { describe, expect, it } from 'vitest';
import { maskPhone, parsePhone } from '../../../src/services/sign-in/phones.ts';

describe('phones', () => {
  it('are read into E.164 from the ways people write them', () => {
    expect(['+14155552671', '+1 (415) 555-2671', '+44 7911 123456', ' +49 1512 3456789'].map(parsePhone)).toEqual(['+14155552671', '+14155552671', '+447911123456', '+4915123456789']);
  });

  it('are refused without a country, when too short, hidden in text, or when no code can reach them', () => {
    const refused = ['4155552671', '+1', '', 'call +14155552671 now', '+999123456789', '+442079460000', '+18005550199'].filter((text) => {
      try {
        parsePhone(text);
        return false;
      } catch {
        return true;
      }
    });
    expect(refused.length).toBe(7);
  });

  it('are shown without their middle', () => {
    expect(maskPhone('+14155552671')).toBe('+1••••••2671');
  });
});
