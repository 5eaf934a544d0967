import { expect, it } from 'vitest';
import { readDecimalSetting } from '../../src/domain/decimal-setting.ts';

it.each<[unknown, number | null]>([
  [0.1, 100_000],
  ['25', 25_000_000],
  ['0.000001', 1],
  [`1.${'0'.repeat(30)}`, 1_000_000],
  [`1.${'0'.repeat(31)}`, null],
  ['0.0000001', null],
  [1e-7, null],
  [1e21, null],
  [Number.NaN, null],
  [Number.POSITIVE_INFINITY, null],
  ['.5', null],
  ['-1', null],
  ['', null],
  [true, null],
  [null, null],
  [['1'], null],
])('a setting in millionths: %j is %s', (raw, micros) => {
  expect(readDecimalSetting(raw, 6)).toBe(micros);
});
