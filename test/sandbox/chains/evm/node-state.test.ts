import { describe, expect, it } from 'vitest';
import { LOCAL_CHAIN } from '../../../../config/limits/sandbox-chains.ts';
import { parseState, prunedState } from '../../../../src/sandbox/chains/evm/node-state.ts';

function aBlock(number: number) {
  return {
    header: {
      number: `0x${number.toString(16)}`,
      parentHash: '',
      stateRoot: '',
      transactionsRoot: '',
      timestamp: '',
    },
  };
}
function aTransaction(number: number) {
  return {
    info: { transaction_hash: `0x${number}`, traces: [{ much: 'text' }] },
    receipt: 'r',
    block_hash: `b${number}`,
    block_number: number,
  };
}

describe('the state a chain starts with', () => {
  it('has the newest blocks with their transactions, without traces', () => {
    const numbers = Array.from({ length: LOCAL_CHAIN.blocksKept + 3 }, (_, index) => index);
    const { blocks, transactions } = prunedState({
      accounts: {},
      blocks: numbers.map(aBlock),
      transactions: numbers.map(aTransaction),
    });
    expect(blocks).toEqual(numbers.slice(3).map(aBlock));
    expect(transactions).toEqual(
      numbers.slice(3).map((number) => ({
        ...aTransaction(number),
        info: { transaction_hash: `0x${number}`, traces: [] },
      })),
    );
  });

  it('has no storage that is zero, and all of what is not', () => {
    const { accounts } = prunedState({
      accounts: {
        '0xa': { nonce: 1, code: '0x', storage: { '0x1': '0x0', '0x2': '0x00', '0x3': '0x10' } },
        '0xb': { nonce: 2 },
      },
      blocks: [aBlock(1)],
      transactions: [],
    });
    expect(accounts).toEqual({
      '0xa': { nonce: 1, code: '0x', storage: { '0x3': '0x10' } },
      '0xb': { nonce: 2 },
    });
  });

  it('is not taken from a text that is no state', () => {
    expect(() => parseState('chain.json', '{"accounts":7}')).toThrow(
      expect.objectContaining({ code: 'store_corrupt' }),
    );
  });
});
