import { decodeFunctionData, encodeAbiParameters, parseAbi } from 'viem';
import { describe, expect, it } from 'vitest';
import { createPayoutReads } from '../../../src/venues/venue-c/payouts.ts';

const abi = parseAbi([
  'function payoutDenominator(bytes32 conditionId) view returns (uint256)',
  'function payoutNumerators(bytes32 conditionId, uint256 outcome) view returns (uint256)',
]);
const CONDITION = `0x${'ab'.repeat(32)}`;
const TOKENS = `0x${'33'.repeat(20)}`;

/** A chain on which the condition pays so much of the whole to its outcomes. */
function reads(numerators: readonly [bigint, bigint]) {
  const word = (value: bigint) => encodeAbiParameters([{ type: 'uint256' }], [value]);
  return createPayoutReads(
    {
      async call(to, data) {
        expect(to).toBe(TOKENS);
        const { functionName, args } = decodeFunctionData({ abi, data });
        expect(args[0]).toBe(CONDITION);
        return functionName === 'payoutDenominator'
          ? word(numerators[0] + numerators[1])
          : word(numerators[Number(args[1])] ?? 0n);
      },
    },
    TOKENS,
  );
}

describe('what a condition pays', () => {
  it.each<[readonly [bigint, bigint], readonly [number, number] | null]>([
    [
      [1n, 0n],
      [10_000, 0],
    ],
    [
      [0n, 1n],
      [0, 10_000],
    ],
    [
      [1n, 1n],
      [5_000, 5_000],
    ],
    [[0n, 0n], null],
  ])('is by the numbers %s of its contract %s', async (numerators, payoutTicks) => {
    expect(await reads(numerators)(CONDITION)).toEqual(payoutTicks);
  });
});
