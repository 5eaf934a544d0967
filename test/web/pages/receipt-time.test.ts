import { expect, it } from 'vitest';
import { receiptClockNote, spanText } from '../../../src/web/pages/agents/receipt-time.ts';

it.each([
  [0, '0 s'],
  [630, '0.63 s'],
  [600, '0.60 s'],
  [7_630, '7.6 s'],
  [10_000, '10 s'],
  [900_000, '900 s'],
])('%d ms of a receipt are %s, in seconds as its criteria are', (ms, text) => {
  expect(spanText(ms)).toBe(text);
});

it('a receipt says that its seconds are market time where that runs faster, and nothing else', () => {
  expect(receiptClockNote(10)).toMatch(/^Seconds in this receipt.* market time: 10 of them/);
  expect(receiptClockNote(1)).toBeNull();
});
