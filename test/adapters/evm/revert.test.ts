import { encodeErrorResult, parseAbi } from 'viem';
import { describe, expect, it } from 'vitest';
import { contractError } from '../../../src/adapters/evm/revert.ts';

const OWNER = '0x19E7E376E7C213B7E7e7e46cc70A5dD086DAff2A';
const abi = parseAbi([
  'error ERC20InsufficientBalance(address sender, uint256 balance, uint256 needed)',
  'error Error(string message)',
  'error UnknownFailure()',
]);

describe('what a contract refuses with', () => {
  it('is read by the standard of tokens, with whom it calls short', () => {
    const data = encodeErrorResult({
      abi,
      errorName: 'ERC20InsufficientBalance',
      args: [OWNER, 1n, 2n],
    });
    expect(data.slice(0, 10)).toBe('0xe450d38c');
    expect(contractError(data)).toEqual({
      reason: `ERC20InsufficientBalance(${OWNER}, 1, 2)`,
      lacking: OWNER,
    });
  });

  it('is the text it gives, kept short and plain', () => {
    const data = encodeErrorResult({
      abi,
      errorName: 'Error',
      args: [`paused\n${'x'.repeat(300)}`],
    });
    const { reason, lacking } = contractError(data);
    expect([reason.slice(0, 8), reason.length, lacking]).toEqual(['paused?x', 200, null]);
  });

  it('is named by its selector where no known contract has it', () => {
    const data = encodeErrorResult({ abi, errorName: 'UnknownFailure' });
    expect(contractError(data)).toEqual({ reason: `error ${data}`, lacking: null });
  });
});
