import { decodeFunctionData, parseAbi, zeroAddress, type Hex } from 'viem';
import { WRAPPED_COINS } from '../../domain/known-tokens.ts';
import type { RouteCall } from '../../domain/swap-checks.ts';
import type { Web3ChainId } from '../../domain/web3-chains.ts';
import { base58Of } from '../wire/base58.ts';
import { chainOfRouter } from './chain-ids.ts';

/**
 * What of the router's contract we can read: its swaps on one chain (GenericSwapFacetV3) and one
 * bridge whose call says who receives what (AcrossFacetV4). Source: lifinance/contracts at ef00558,
 * ILiFi, LibSwap, LiFiData and the two facets, compared with this list field by field.
 */
export const ROUTE_ABI = parseAbi([
  'struct SwapData { address callTo; address approveTo; address sendingAssetId; address receivingAssetId; uint256 fromAmount; bytes callData; bool requiresDeposit; }',
  'struct BridgeData { bytes32 transactionId; string bridge; string integrator; address referrer; address sendingAssetId; address receiver; uint256 minAmount; uint256 destinationChainId; bool hasSourceSwaps; bool hasDestinationCall; }',
  'struct AcrossV4Data { bytes32 receiverAddress; bytes32 refundAddress; bytes32 sendingAssetId; bytes32 receivingAssetId; uint256 outputAmount; uint128 outputAmountMultiplier; bytes32 exclusiveRelayer; uint32 quoteTimestamp; uint32 fillDeadline; uint32 exclusivityParameter; bytes message; }',
  'function swapTokensSingleV3ERC20ToERC20(bytes32 id, string integrator, string referrer, address receiver, uint256 minimum, SwapData swap)',
  'function swapTokensSingleV3ERC20ToNative(bytes32 id, string integrator, string referrer, address receiver, uint256 minimum, SwapData swap)',
  'function swapTokensSingleV3NativeToERC20(bytes32 id, string integrator, string referrer, address receiver, uint256 minimum, SwapData swap) payable',
  'function swapTokensMultipleV3ERC20ToERC20(bytes32 id, string integrator, string referrer, address receiver, uint256 minimum, SwapData[] swaps)',
  'function swapTokensMultipleV3ERC20ToNative(bytes32 id, string integrator, string referrer, address receiver, uint256 minimum, SwapData[] swaps)',
  'function swapTokensMultipleV3NativeToERC20(bytes32 id, string integrator, string referrer, address receiver, uint256 minimum, SwapData[] swaps) payable',
  'function startBridgeTokensViaAcrossV4(BridgeData bridge, AcrossV4Data across) payable',
  'function swapAndStartBridgeTokensViaAcrossV4(BridgeData bridge, SwapData[] swaps, AcrossV4Data across) payable',
]);

/** Takes the place of the receiver where the other chain is no EVM chain (LiFiData). */
export const NON_EVM_RECEIVER = '0x11f111f111f111F111f111f111F111f111f111F1';

/** Bridges whose calls are read here, by the router's own names. */
export const READ_BRIDGES: readonly string[] = ['across'];

/** The multiplier of what comes out, where a swap goes before the bridge, is of this base. */
const MULTIPLIER_BASE = 10n ** 18n;

type Decoded = ReturnType<typeof decodeFunctionData<typeof ROUTE_ABI>>;
type Bridging = Extract<Decoded['args'], readonly [object, ...unknown[]]>;
type Swapping = Exclude<Decoded['args'], Bridging>;
type Leg = Extract<Swapping[5], readonly unknown[]>[number];

/** Reads a call to the router's contract on a chain; null for what is of no kind we know. */
export function readRouteCall(chain: Web3ChainId, data: Hex): RouteCall | null {
  let decoded: Decoded;
  try {
    decoded = decodeFunctionData({ abi: ROUTE_ABI, data });
  } catch {
    return null;
  }
  switch (decoded.functionName) {
    case 'startBridgeTokensViaAcrossV4': {
      const [bridge, across] = decoded.args;
      return bridge.hasSourceSwaps ? null : bridgeCall(bridge, across, null);
    }
    case 'swapAndStartBridgeTokensViaAcrossV4': {
      const [bridge, swaps, across] = decoded.args;
      return bridge.hasSourceSwaps ? bridgeCall(bridge, across, swaps) : null;
    }
    default: {
      const [, , , receiver, minimumOut, legs] = decoded.args;
      return swapCall(chain, { receiver, minimumOut, legs: 'callTo' in legs ? [legs] : legs });
    }
  }
}

function swapCall(
  chain: Web3ChainId,
  {
    receiver,
    minimumOut,
    legs,
  }: { readonly receiver: string; readonly minimumOut: bigint; readonly legs: readonly Leg[] },
): RouteCall | null {
  const sold = soldBy(legs);
  const last = legs.at(-1);
  if (sold === null || last === undefined) return null;
  return {
    ...sold,
    toChain: chain,
    buyToken: tokenOf(last.receivingAssetId),
    minimumOut,
    receiver,
    refundTo: null,
    callsOn: false,
  };
}

function bridgeCall(
  bridge: Bridging[0],
  across: Exclude<Bridging[1], readonly unknown[]>,
  legs: readonly Leg[] | null,
): RouteCall | null {
  const toChain = chainOfRouter(bridge.destinationChainId);
  const sold =
    legs === null
      ? { sellToken: tokenOf(bridge.sendingAssetId), amount: bridge.minAmount }
      : soldBy(legs);
  if (sold === null || toChain === null || !isOneInput(bridge, across, legs)) return null;
  const isOutside = bridge.receiver.toLowerCase() === NON_EVM_RECEIVER.toLowerCase();
  const receiver = accountOf(toChain, across.receiverAddress);
  // an EVM chain's receiver is said twice, and the two must agree
  if (isOutside !== (toChain === 'SOLANA')) return null;
  if (!isOutside && receiver.toLowerCase() !== bridge.receiver.toLowerCase()) return null;
  const bought = accountOf(toChain, across.receivingAssetId);
  return {
    ...sold,
    toChain,
    // what is bridged as the wrapped coin is paid out to a wallet as the coin
    buyToken: isSameText(toChain, bought, WRAPPED_COINS[toChain]) ? null : bought,
    minimumOut:
      legs === null
        ? across.outputAmount
        : (bridge.minAmount * across.outputAmountMultiplier) / MULTIPLIER_BASE,
    receiver,
    refundTo: addressOf(across.refundAddress),
    callsOn: bridge.hasDestinationCall || across.message !== '0x',
  };
}

/**
 * Whether what the swaps before give, what the router gives to the bridge and what the bridge takes
 * is one token: the contract does not compare them.
 */
function isOneInput(
  bridge: Bridging[0],
  across: Exclude<Bridging[1], readonly unknown[]>,
  legs: readonly Leg[] | null,
): boolean {
  const given = bridge.sendingAssetId.toLowerCase();
  const swapped = legs?.at(-1)?.receivingAssetId.toLowerCase() ?? given;
  const taken = given === zeroAddress ? given : addressOf(across.sendingAssetId).toLowerCase();
  return swapped === given && taken === given;
}

/** What is drawn from the wallet: of one token alone, or it is nothing we can read. */
function soldBy(legs: readonly Leg[]): Pick<RouteCall, 'sellToken' | 'amount'> | null {
  const [first] = legs;
  if (first === undefined) return null;
  const drawn = legs.filter(({ requiresDeposit }, index) => index === 0 || requiresDeposit);
  if (drawn.some(({ sendingAssetId }) => sendingAssetId !== first.sendingAssetId)) return null;
  return {
    sellToken: tokenOf(first.sendingAssetId),
    amount: drawn.reduce((sum, { fromAmount }) => sum + fromAmount, 0n),
  };
}

function tokenOf(address: string): string | null {
  return address === zeroAddress ? null : address;
}

/** An account of the other chain in 32 bytes: the last twenty, or all of them on Solana. */
function accountOf(chain: Web3ChainId, word: Hex): string {
  return chain === 'SOLANA' ? base58Of(Buffer.from(word.slice(2), 'hex')) : addressOf(word);
}

/** A word that is no address stays as it is, and is the same as no wallet. */
function addressOf(word: Hex): string {
  return /^0x0{24}/.test(word) ? `0x${word.slice(-40)}` : word;
}

function isSameText(chain: Web3ChainId, one: string, other: string): boolean {
  return chain === 'SOLANA' ? one === other : one.toLowerCase() === other.toLowerCase();
}
