import {
  encodeAbiParameters,
  encodeEventTopics,
  encodeFunctionData,
  maxUint256,
  parseAbi,
  parseAbiParameters,
  zeroHash,
  type Hex,
} from 'viem';
import { describe, expect, it } from 'vitest';
import { asId, type Address } from '../../../src/domain/ids.ts';
import {
  allowanceCall,
  approvalQuestion,
  approveCall,
  payoutQuestion,
  permitCall,
  redeemAtAdapterCall,
  redeemCall,
  tokensFrom,
  transferCall,
  transferFromCall,
  transfersOf,
  uintOf,
  unwrapCall,
  wrapCall,
} from '../../../src/services/wallets/contract-calls.ts';

const ABI = parseAbi([
  'function transfer(address to, uint256 amount)',
  'function approve(address spender, uint256 amount)',
  'function setApprovalForAll(address operator, bool approved)',
  'function redeemPositions(address collateral, bytes32 parent, bytes32 conditionId, uint256[] indexSets)',
  'function payoutDenominator(bytes32 conditionId)',
  'function isApprovedForAll(address owner, address operator)',
  'function transferFrom(address from, address to, uint256 amount)',
  'function wrap(address asset, address to, uint256 amount)',
  'function unwrap(address asset, address to, uint256 amount)',
  'function permit(address owner, address spender, uint256 value, uint256 deadline, uint8 v, bytes32 r, bytes32 s)',
  'event Transfer(address indexed from, address indexed to, uint256 value)',
  'event TransferSingle(address indexed operator, address indexed from, address indexed to, uint256 id, uint256 value)',
  'event TransferBatch(address indexed operator, address indexed from, address indexed to, uint256[] ids, uint256[] values)',
]);
const ADAPTER_ABI = parseAbi(['function redeemPositions(bytes32 conditionId, uint256[] amounts)']);
const TOKEN: Hex = '0xC011a7E12a19f7B1f670d46F03B03f3342E82DFB';
const OTHER: Hex = '0xAdA100Db00Ca00073811820692005400218FcE1f';
const token = asId<Address>(TOKEN);
const other = asId<Address>(OTHER);
const market: Hex = `0x${'ab'.repeat(32)}`;

describe('calls to contracts', () => {
  it('are encoded as a general encoder does it', () => {
    expect(transferCall(token, other, 123n)).toEqual({
      to: token,
      valueWei: 0n,
      data: encodeFunctionData({ abi: ABI, functionName: 'transfer', args: [OTHER, 123n] }),
    });
    expect(allowanceCall({ kind: 'erc20', token, spender: other }).data).toBe(
      encodeFunctionData({ abi: ABI, functionName: 'approve', args: [OTHER, maxUint256] }),
    );
    expect(allowanceCall({ kind: 'erc1155', token, operator: other }).data).toBe(
      encodeFunctionData({ abi: ABI, functionName: 'setApprovalForAll', args: [OTHER, true] }),
    );
    expect(redeemCall(other, token, market).data).toBe(
      encodeFunctionData({
        abi: ABI,
        functionName: 'redeemPositions',
        args: [TOKEN, zeroHash, market, [1n, 2n]],
      }),
    );
    expect(redeemAtAdapterCall(other, market, [5n, 7n]).data).toBe(
      encodeFunctionData({
        abi: ADAPTER_ABI,
        functionName: 'redeemPositions',
        args: [market, [5n, 7n]],
      }),
    );
    expect(transferFromCall(token, { from: other, to: token, amount: 5n }).data).toBe(
      encodeFunctionData({ abi: ABI, functionName: 'transferFrom', args: [OTHER, TOKEN, 5n] }),
    );
    expect(approveCall(token, other, 5n).data).toBe(
      encodeFunctionData({ abi: ABI, functionName: 'approve', args: [OTHER, 5n] }),
    );
    expect(wrapCall(other, { asset: token, to: other, amount: 5n }).data).toBe(
      encodeFunctionData({ abi: ABI, functionName: 'wrap', args: [TOKEN, OTHER, 5n] }),
    );
    expect(unwrapCall(other, { asset: token, to: other, amount: 5n }).data).toBe(
      encodeFunctionData({ abi: ABI, functionName: 'unwrap', args: [TOKEN, OTHER, 5n] }),
    );
    const [r, s]: readonly Hex[] = [`0x${'12'.repeat(32)}`, `0x${'34'.repeat(32)}`];
    expect(
      permitCall({
        token,
        owner: other,
        spender: token,
        amount: 5n,
        deadlineSeconds: 9,
        signature: `0x${'12'.repeat(32)}${'34'.repeat(32)}1c`,
      }).data,
    ).toBe(
      encodeFunctionData({
        abi: ABI,
        functionName: 'permit',
        args: [OTHER, TOKEN, 5n, 9n, 28, r ?? '0x', s ?? '0x'],
      }),
    );
    expect(payoutQuestion(market)).toBe(
      encodeFunctionData({ abi: ABI, functionName: 'payoutDenominator', args: [market] }),
    );
    expect(approvalQuestion(token, other)).toBe(
      encodeFunctionData({ abi: ABI, functionName: 'isApprovedForAll', args: [TOKEN, OTHER] }),
    );
  });

  it('read a number, and nothing from a contract that is not there', () => {
    expect([
      uintOf(encodeAbiParameters(parseAbiParameters('uint256'), [7n])),
      uintOf('0x'),
    ]).toEqual([7n, 0n]);
  });

  it('find the transfers of one token among the events of a transaction', () => {
    const log = (address: Address, amount: bigint) => ({
      address,
      data: encodeAbiParameters(parseAbiParameters('uint256'), [amount]),
      blockNumber: 1,
      transactionHash: zeroHash,
      logIndex: 0,
      topics: encodeEventTopics({
        abi: ABI,
        eventName: 'Transfer',
        args: { from: TOKEN, to: OTHER },
      }).map(String) as Hex[], // topics are hex
    });
    const approval = { ...log(token, 9n), topics: [market, market, market] };
    expect(
      transfersOf({ logs: [log(other, 1n), log(token, 2n), approval, log(token, 3n)] }, token),
    ).toEqual(
      [
        [2n, 1],
        [3n, 3],
      ].map(([amount, position]) => ({
        from: TOKEN.toLowerCase(),
        to: OTHER.toLowerCase(),
        amount,
        position,
      })),
    );
  });

  it('find the outcome tokens that left an address, one by one or several at once', () => {
    const log = (address: Address, topics: readonly unknown[], data: Hex) => ({
      address,
      data,
      blockNumber: 1,
      transactionHash: zeroHash,
      logIndex: 0,
      topics: topics.map(String) as Hex[], // topics are hex
    });
    const party = (from: Hex, to: Hex) => ({ operator: OTHER, from, to });
    const single = (from: Hex, to: Hex, id: bigint) =>
      log(
        token,
        encodeEventTopics({ abi: ABI, eventName: 'TransferSingle', args: party(from, to) }),
        encodeAbiParameters(parseAbiParameters('uint256, uint256'), [id, 5n]),
      );
    const batch = log(
      token,
      encodeEventTopics({ abi: ABI, eventName: 'TransferBatch', args: party(TOKEN, OTHER) }),
      encodeAbiParameters(parseAbiParameters('uint256[], uint256[]'), [
        [3n, maxUint256],
        [5n, 6n],
      ]),
    );
    const elsewhere = { ...single(TOKEN, OTHER, 9n), address: other };
    expect(
      tokensFrom(
        { logs: [single(TOKEN, OTHER, 1n), single(OTHER, TOKEN, 2n), elsewhere, batch] },
        { contract: token, from: token },
      ),
    ).toEqual(['1', '3', String(maxUint256)]);
  });
});
