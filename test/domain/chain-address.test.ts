import { expect, it } from 'vitest';
import { addressKey, foldedAddress, isSameOnChain } from '../../src/domain/chain-address.ts';

it('an address of an EVM chain is one in any case, one of Solana in its own alone, and the coin is no token', () => {
  expect(foldedAddress('BASE', '0xAb')).toBe('0xab');
  expect(foldedAddress('SOLANA', 'Ab')).toBe('Ab');
  expect([addressKey('0xAb'), addressKey('Ab')]).toEqual(['0xab', 'Ab']);
  expect(isSameOnChain('0xAb', '0xaB')).toBe(true);
  expect(isSameOnChain('Ab', 'Ab')).toBe(true);
  expect(isSameOnChain(null, null)).toBe(true);
  for (const [one, other] of [
    ['Ab', 'ab'],
    ['0xab', '0xac'],
    ['0xab', null],
    [null, '0xab'],
  ] as const)
    expect(isSameOnChain(one, other)).toBe(false);
});
