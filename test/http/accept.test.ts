import { describe, expect, it } from 'vitest';
import { preferredCoding, type Coding } from '../../src/http/accept.ts';

describe('the coding of an answer', () => {
  it.each<[string | null, Coding | null]>([
    [null, null],
    ['', null],
    ['identity', null],
    ['deflate, zstd', null],
    ['gzip', 'gzip'],
    ['gzip, deflate, br', 'br'],
    ['br;q=0.5, gzip;q=0.8', 'gzip'],
    ['br;q=0, gzip', 'gzip'],
    ['*', 'br'],
    ['br;q=0, *', 'gzip'],
    ['*;q=0', null],
    ['gzip;q=0.5, identity', null],
    ['gzip;q=much', null],
  ])('%j asks for %j', (field, coding) => {
    expect(preferredCoding(field)).toBe(coding);
  });
});
