import { expect, it } from 'vitest';
import { refusedValue } from '../../../src/web/ui/refused-value.ts';

const NONE = { refused: null, value: '' };
const REFUSED = { refused: 'is no address', value: '0x1' };

it('a refusal is of the value that a field held when it came, whatever is typed since', () => {
  expect(refusedValue(NONE, REFUSED)).toBe(REFUSED);
  expect(refusedValue(REFUSED, { ...REFUSED, value: '0x12' })).toBe(REFUSED);
});

it('a refusal of the next press is of the value of then', () => {
  const cleared = refusedValue(REFUSED, { refused: null, value: '0x12' });
  const again = { refused: 'is no address', value: '0x12' };
  expect(refusedValue(cleared, again)).toBe(again);
});
