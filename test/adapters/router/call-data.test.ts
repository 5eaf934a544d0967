import { encodeFunctionData, padHex, zeroAddress, type Hex } from 'viem';
import { describe, expect, it } from 'vitest';
import {
  NON_EVM_RECEIVER,
  readRouteCall,
  ROUTE_ABI,
} from '../../../src/adapters/router/call-data.ts';
import { ROUTER_CHAIN_IDS } from '../../../src/adapters/router/chain-ids.ts';

const WALLET = '0x19E7E376E7C213B7E7e7e46cc70A5dD086DAff2A';
const STRANGER = '0xbad0000000000000000000000000000000000000';
const USDC = '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913';
const ARBITRUM_WETH = '0x82aF49447D8a07e3bd95BD0d56f35241523fBab1';
const ARBITRUM_USDC = '0xaf88d065e77c8cC2239327C5EDb3A432268e5831';
/** The vendor's vector of web3.md section 8.2: 32 bytes, and how Solana writes them. */
const SOLANA_WALLET = 'GmaDrppBC7P5ARKV8g3djiwP89vz1jLK23V2GBjuAEGB';
const SOLANA_WORD = '0xea4a6c63e29c520abef5507b132ec5f9954776aebebe7b92421eea691446d22c';
const ID = padHex('0x1', { size: 32 });
const word = (address: string): Hex => padHex(address as Hex, { size: 32 });

const bridge = {
  transactionId: ID,
  bridge: 'across',
  integrator: 'predictd',
  referrer: zeroAddress,
  sendingAssetId: USDC,
  receiver: WALLET,
  minAmount: 25_000_000n,
  destinationChainId: 42_161n,
  hasSourceSwaps: false,
  hasDestinationCall: false,
} as const;
const across = {
  receiverAddress: word(WALLET),
  refundAddress: word(WALLET),
  sendingAssetId: word(USDC),
  receivingAssetId: word(ARBITRUM_USDC),
  outputAmount: 24_900_000n,
  outputAmountMultiplier: 99n * 10n ** 16n,
  exclusiveRelayer: word('0x'),
  quoteTimestamp: 1,
  fillDeadline: 2,
  exclusivityParameter: 0,
  message: '0x',
} as const;
const leg = {
  callTo: STRANGER,
  approveTo: STRANGER,
  sendingAssetId: USDC,
  receivingAssetId: zeroAddress,
  fromAmount: 5n,
  callData: '0x',
  requiresDeposit: true,
} as const;

const bridged = (
  changed: Partial<Record<keyof typeof bridge, unknown>> = {},
  acrossChanged: Partial<Record<keyof typeof across, unknown>> = {},
) =>
  readRouteCall(
    'BASE',
    encodeFunctionData({
      abi: ROUTE_ABI,
      functionName: 'startBridgeTokensViaAcrossV4',
      args: [
        { ...bridge, ...changed },
        { ...across, ...acrossChanged },
      ] as never, // each case breaks one field
    }),
  );

describe('a call to the router’s contract', () => {
  it('to bridge says who receives which token, how much at least, and who gets back', () => {
    expect(bridged()).toEqual({
      toChain: 'ARBITRUM',
      sellToken: USDC,
      buyToken: ARBITRUM_USDC.toLowerCase(),
      amount: 25_000_000n,
      minimumOut: 24_900_000n,
      receiver: WALLET.toLowerCase(),
      refundTo: WALLET.toLowerCase(),
      callsOn: false,
    });
  });

  it('to bridge to Solana names its receiver in 32 bytes', () => {
    const to = { destinationChainId: BigInt(ROUTER_CHAIN_IDS.SOLANA), receiver: NON_EVM_RECEIVER };
    expect(bridged(to, { receiverAddress: SOLANA_WORD })).toMatchObject({
      toChain: 'SOLANA',
      receiver: SOLANA_WALLET,
    });
    expect(bridged({ destinationChainId: to.destinationChainId })).toBeNull();
    expect(bridged({ receiver: NON_EVM_RECEIVER })).toBeNull();
  });

  it('to bridge the wrapped coin ends as the coin', () => {
    expect(bridged({}, { receivingAssetId: word(ARBITRUM_WETH) })?.buyToken).toBeNull();
  });

  it('to bridge the coin gives the coin, whatever its wrapped form is called', () => {
    const call = bridged({ sendingAssetId: zeroAddress }, { sendingAssetId: word(STRANGER) });
    expect(call?.sellToken).toBeNull();
  });

  it.each([
    ['two receivers that differ', { receiver: STRANGER }, {}],
    ['a receiver of more than twenty bytes', {}, { receiverAddress: SOLANA_WORD }],
    ['a chain we do not know', { destinationChainId: 10n }, {}],
    ['swaps it says it has and does not', { hasSourceSwaps: true }, {}],
    ['a token given to the bridge and another taken', {}, { sendingAssetId: word(STRANGER) }],
  ])('to bridge is not read with %s', (_name, changed, acrossChanged) => {
    expect(bridged(changed, acrossChanged)).toBeNull();
  });

  it.each([
    ['a flag', { hasDestinationCall: true }, {}],
    ['a message', {}, { message: '0x12' }],
  ])('to bridge goes on to another contract by %s', (_name, changed, acrossChanged) => {
    expect(bridged(changed, acrossChanged)?.callsOn).toBe(true);
  });

  it('to swap and bridge promises by its multiplier, and sells what its swaps draw', () => {
    const data = (legs: readonly unknown[]) =>
      encodeFunctionData({
        abi: ROUTE_ABI,
        functionName: 'swapAndStartBridgeTokensViaAcrossV4',
        args: [
          { ...bridge, sendingAssetId: zeroAddress, minAmount: 1_000n, hasSourceSwaps: true },
          legs,
          across,
        ] as never, // one case mixes tokens
      });
    expect(readRouteCall('BASE', data([leg, { ...leg, fromAmount: 2n }]))).toMatchObject({
      sellToken: USDC,
      amount: 7n,
      minimumOut: 990n,
    });
    expect(readRouteCall('BASE', data([leg, { ...leg, sendingAssetId: STRANGER }]))).toBeNull();
    expect(readRouteCall('BASE', data([{ ...leg, receivingAssetId: STRANGER }]))).toBeNull();
    expect(readRouteCall('BASE', data([]))).toBeNull();
  });

  it('to swap says what goes in, what comes out at least, and to whom', () => {
    const data = encodeFunctionData({
      abi: ROUTE_ABI,
      functionName: 'swapTokensMultipleV3ERC20ToNative',
      args: [ID, '', '', WALLET, 9n, [{ ...leg, receivingAssetId: ARBITRUM_USDC }, leg]],
    });
    expect(readRouteCall('BASE', data)).toMatchObject({
      toChain: 'BASE',
      sellToken: USDC,
      buyToken: null,
      amount: 10n,
      minimumOut: 9n,
      receiver: WALLET,
      refundTo: null,
    });
  });

  it.each([
    ['of another name', '0x12345678'],
    ['of nothing', '0x'],
    ['that is cut off', '0xa9059cbb00'],
    ['to move a token', `0xa9059cbb${word(STRANGER).slice(2)}${word('0x1').slice(2)}`],
  ])('%s is not read', (_name, data) => {
    expect(readRouteCall('BASE', data as Hex)).toBeNull();
  });
});
