import { expect, it } from 'vitest';
import { WEB3_CHAINS, web3Chain, type Web3ChainId } from '../../src/domain/web3-chains.ts';

it('has the facts of each chain by its name, and of no other', () => {
  for (const facts of WEB3_CHAINS) expect(web3Chain(facts.chain)).toBe(facts);
  expect(() => web3Chain('TRON' as Web3ChainId)).toThrow('TRON is in the table');
});
