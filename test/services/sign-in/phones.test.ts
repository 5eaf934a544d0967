import { describe, expect, it } from 'vitest';
import { AppError } from '../../../src/domain/errors.ts';
import { maskPhone, parsePhone } from '../../../src/services/sign-in/phones.ts';

const COUNTRIES = new Set(['US', 'GB', 'DE']);
function verdict(text: string): string {
  try {
    return parsePhone(text, COUNTRIES).number;
  } catch (error) {
    return error instanceof AppError ? error.code : String(error);
  }
}

describe('phones', () => {
  it('are read into E.164 and their country from the ways people write them', () => {
    expect(
      ['+14155552671', '+1 (415) 555-2671', '+44 7400 123456', ' +49 1512 3456789'].map((text) =>
        parsePhone(text, COUNTRIES),
      ),
    ).toEqual([
      { number: '+14155552671', country: 'US' },
      { number: '+14155552671', country: 'US' },
      { number: '+447400123456', country: 'GB' },
      { number: '+4915123456789', country: 'DE' },
    ]);
  });

  it('are refused without a country, when too short, hidden in text or with an extension', () => {
    const texts = [
      '4155552671',
      '+1',
      '',
      'call +14155552671 now',
      '+999123456789',
      '+14155552671 ext. 5',
    ];
    expect(texts.map(verdict)).toEqual(texts.map(() => 'invalid_request'));
  });

  it.each([
    ['a landline', '+442079460000'],
    ['toll-free', '+18005550199'],
    ['premium', '+449012345678'],
    ['voice over IP', '+445600123456'],
    ['a personal number that forwards at a price', '+447012345678'],
    ['a pager', '+447640123456'],
  ])('are refused when the line is %s', (_kind, text) => {
    expect(verdict(text)).toBe('invalid_request');
  });

  it('are refused in countries no codes are sent to', () => {
    expect([verdict('+33612345678'), verdict('+38349123456'), verdict('+447400123456')]).toEqual([
      'country_not_supported',
      'country_not_supported',
      '+447400123456',
    ]);
  });

  it('are refused there with the name of the country and what else to do', () => {
    expect(() => parsePhone('+447781234567', new Set(['GB']))).toThrow(
      'no codes are sent to phones of Guernsey; take a phone of another country, or sign in another way',
    );
  });

  it('are shown without their middle', () => {
    expect(maskPhone('+14155552671')).toBe('+1••••••2671');
  });
});
