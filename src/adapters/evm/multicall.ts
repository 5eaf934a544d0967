import { decodeFunctionResult, encodeFunctionData, erc20Abi, multicall3Abi, parseAbi } from 'viem';
import { CHAIN } from '../../../config/limits/chain.ts';
import { AppError } from '../../domain/errors.ts';
import { asId, type Address, type TokenId } from '../../domain/ids.ts';
import type { EvmChain, Hex } from '../../ports/evm.ts';

/** At the same address on every chain of the spec (web3.md section 1). */
const MULTICALL3 = asId<Address>('0xcA11bde05977b3631167028862bE2a173976CA11');

const balanceOfBatchAbi = parseAbi([
  'function balanceOfBatch(address[] owners, uint256[] ids) view returns (uint256[])',
]);
const ethBalanceAbi = parseAbi(['function getEthBalance(address owner) view returns (uint256)']);
/** A balance is one word. */
const WORD_CHARS = 66;

type Call = EvmChain['call'];

/**
 * Reads the native coin and tokens of one owner in one multicall, so that all are of one block.
 * Errors: those of the chain; `chain_reverted` naming the address that is no token; `limit_reached`
 * above 150 tokens.
 */
export async function readBalances(
  call: Call,
  owner: Address,
  tokens: readonly Address[],
): Promise<{ readonly wei: bigint; readonly tokens: readonly bigint[] }> {
  if (tokens.length >= CHAIN.callsPerBatchMaximum)
    throw new AppError(
      'limit_reached',
      `balances of ${tokens.length} tokens were asked for at once`,
    );
  const data = encodeFunctionData({
    abi: multicall3Abi,
    functionName: 'aggregate3',
    args: [
      [
        coinCall(owner),
        ...tokens.map((token) => ({
          target: hex(token),
          allowFailure: true,
          callData: encodeFunctionData({
            abi: erc20Abi,
            functionName: 'balanceOf',
            args: [hex(owner)],
          }),
        })),
      ],
    ],
  });
  const results = decodeFunctionResult({
    abi: multicall3Abi,
    functionName: 'aggregate3',
    data: await answered(call, MULTICALL3, data),
  });
  const words = results.map(({ success, returnData }, index) => {
    if (!success || returnData.length !== WORD_CHARS)
      throw new AppError(
        'chain_reverted',
        `${tokens[index - 1] ?? 'the native coin'} tells no balance`,
      );
    return BigInt(returnData);
  });
  const [wei = 0n, ...rest] = words;
  return { wei, tokens: rest };
}

/**
 * Reads the native coin of many owners in one multicall. Errors: those of the chain;
 * `limit_reached` above 150 owners.
 */
export async function readCoins(
  call: Call,
  owners: readonly Address[],
): Promise<readonly bigint[]> {
  if (owners.length > CHAIN.callsPerBatchMaximum)
    throw new AppError('limit_reached', `coins of ${owners.length} owners were asked for at once`);
  const data = encodeFunctionData({
    abi: multicall3Abi,
    functionName: 'aggregate3',
    args: [owners.map(coinCall)],
  });
  return decodeFunctionResult({
    abi: multicall3Abi,
    functionName: 'aggregate3',
    data: await answered(call, MULTICALL3, data),
  }).map(({ returnData }) => BigInt(returnData));
}

/** One call of a multicall: what an owner holds of the native coin. */
function coinCall(owner: Address) {
  return {
    target: hex(MULTICALL3),
    allowFailure: false,
    callData: encodeFunctionData({
      abi: ethBalanceAbi,
      functionName: 'getEthBalance',
      args: [hex(owner)],
    }),
  };
}

/**
 * Reads ERC-1155 balances of one owner in one call. Errors: those of the chain; `limit_reached`
 * above 150 ids.
 */
export async function readShares(
  call: Call,
  {
    owner,
    contract,
    tokenIds,
  }: { readonly owner: Address; readonly contract: Address; readonly tokenIds: readonly TokenId[] },
): Promise<readonly bigint[]> {
  if (tokenIds.length === 0) return [];
  if (tokenIds.length > CHAIN.callsPerBatchMaximum)
    throw new AppError(
      'limit_reached',
      `balances of ${tokenIds.length} outcome tokens were asked for at once`,
    );
  const data = encodeFunctionData({
    abi: balanceOfBatchAbi,
    functionName: 'balanceOfBatch',
    args: [tokenIds.map(() => hex(owner)), tokenIds.map((id) => BigInt(id))],
  });
  return decodeFunctionResult({
    abi: balanceOfBatchAbi,
    functionName: 'balanceOfBatch',
    data: await answered(call, contract, data),
  });
}

/**
 * A call to an address without code succeeds with nothing: that is a contract which is not there,
 * not a balance of zero.
 */
async function answered(call: Call, to: Address, data: Hex): Promise<Hex> {
  const answer = await call(to, data);
  if (answer === '0x')
    throw new AppError('chain_unavailable', `there is no contract at ${to}`, { retryable: true });
  return answer;
}

function hex(address: Address): Hex {
  return address as unknown as Hex; // an Address is checksummed 0x hex by contract
}
