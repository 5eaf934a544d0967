import { expect, it } from 'vitest';
import { crc32 } from '../../src/domain/crc32.ts';

it('gives the check value of the standard, for no bytes zero, and is never below zero', () => {
  expect(crc32(Buffer.from('123456789'))).toBe(0xcbf4_3926);
  expect(crc32(new Uint8Array())).toBe(0);
  expect(crc32(Buffer.from('a'))).toBe(0xe8b7_be43);
});
