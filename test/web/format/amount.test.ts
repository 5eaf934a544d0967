import { expect, it } from 'vitest';
import { amountFault } from '../../../src/web/format/amount.ts';

it.each([
  ['0.999', '0.999', null],
  ['5', '0.999', 'It is more than you have.'],
  ['5', '0', 'It is more than you have.'],
  ['5', null, null],
])('an amount typed as "%s" where there is %s', (typed, most, fault) => {
  expect(amountFault(typed, most)).toBe(fault);
});

it.each([
  ['', null],
  [' 5 ', null],
  ['2.50', null],
  ['.5', null],
  ['5.', null],
  ['abc', 'Write it in digits, such as 5 or 2.50.'],
  ['-5', 'Write it in digits, such as 5 or 2.50.'],
  ['25,5', 'Write it in digits, such as 5 or 2.50.'],
  ['1e3', 'Write it in digits, such as 5 or 2.50.'],
  ['.', 'Write it in digits, such as 5 or 2.50.'],
  ['0.00', 'It has to be more than zero.'],
])('an amount typed as "%s"', (typed, fault) => {
  expect(amountFault(typed)).toBe(fault);
});
