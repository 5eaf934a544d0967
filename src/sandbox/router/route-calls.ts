import { encodeFunctionData, padHex, zeroAddress, type Abi, type Hex } from 'viem';
import { SWAP_CHAIN } from '../../../config/limits/sandbox-chains.ts';
import { sameAddress } from '../tokens/gecko-terminal.ts';
import type { SandboxToken } from '../tokens/token-table.ts';
import diamond from './contracts/RouterDiamond.json' with { type: 'json' };
import { PAIR_ABI } from './pair-code.ts';
import type { Asked, QuoteParts, Terms } from './quote-parts.ts';
import { coinAddress } from './router-chains.ts';
import type { RouterToken } from './routed-tokens.ts';
import { solanaBytes } from './solana-side.ts';
import { DIAMOND, hex, pairAddresses, wrappedCoin, type SwapChain } from './swap-chain.ts';

/** ABI of the router's contract. */
export const DIAMOND_ABI = diamond.abi as Abi;

/** The row of a token, of the wrapped coin where it is the coin. */
export function listed(token: RouterToken, { market }: QuoteParts): SandboxToken | null {
  const { chain } = token.chain;
  if (token.address === coinAddress(token.chain)) return wrappedCoin(market, chain);
  return (
    market.tokens.find((row) => row.chain === chain && sameAddress(row.address, token.address)) ??
    null
  );
}

/** An address in 32 bytes. */
export function bytes32(address: string): Uint8Array {
  return Buffer.from(wordOf(address).slice(2), 'hex');
}

/** Every pool is against the chain's dollar. */
export function pathOf(
  chain: SwapChain,
  from: RouterToken,
  to: RouterToken,
  parts: QuoteParts,
): readonly SandboxToken[] | null {
  const [first, last] = [listed(from, parts), listed(to, parts)];
  if (first === null || last === null || first === last) return null;
  return first === chain.dollar || last === chain.dollar
    ? [first, last]
    : [first, chain.dollar, last];
}

/** One swap through the pairs, whose tokens come to the contract and go on from there. */
export function swapData(
  chain: SwapChain,
  { from, to, amount, receiver }: Asked,
  { id, minimum, deadline, parts }: Terms & { readonly parts: QuoteParts },
): Hex {
  const [sold, bought] = [zeroed(from), zeroed(to)];
  const { router } = pairAddresses(chain.chain);
  const path = (pathOf(chain, from, to, parts) ?? []).map(hex);
  const callData =
    sold === zeroAddress
      ? encodeFunctionData({
          abi: PAIR_ABI,
          functionName: 'swapExactETHForTokens',
          args: [minimum, path, DIAMOND, deadline],
        })
      : encodeFunctionData({
          abi: PAIR_ABI,
          functionName:
            bought === zeroAddress ? 'swapExactTokensForETH' : 'swapExactTokensForTokens',
          args: [amount, minimum, path, DIAMOND, deadline],
        });
  const functionName =
    sold === zeroAddress
      ? 'swapTokensSingleV3NativeToERC20'
      : bought === zeroAddress
        ? 'swapTokensSingleV3ERC20ToNative'
        : 'swapTokensSingleV3ERC20ToERC20';
  return encodeFunctionData({
    abi: DIAMOND_ABI,
    functionName,
    args: [
      id,
      'predictd',
      zeroAddress,
      receiver,
      minimum,
      {
        callTo: router,
        approveTo: router,
        sendingAssetId: sold,
        receivingAssetId: bought,
        fromAmount: amount,
        callData,
        requiresDeposit: true,
      },
    ],
  });
}

/** Takes in what is to arrive on another chain. */
export function bridgeData(
  { from, to, amount, sender, receiver }: Asked,
  { id, minimum, deadline, parts }: Terms & { readonly parts: QuoteParts },
): Hex {
  return encodeFunctionData({
    abi: DIAMOND_ABI,
    functionName: 'startBridgeTokensViaAcrossV4',
    args: [
      {
        transactionId: id,
        bridge: 'across',
        integrator: 'predictd',
        referrer: zeroAddress,
        sendingAssetId: zeroed(from),
        receiver: to.chain.chain === 'SOLANA' ? NON_EVM_RECEIVER : receiver,
        minAmount: amount,
        destinationChainId: BigInt(to.chain.id),
        hasSourceSwaps: false,
        hasDestinationCall: false,
      },
      {
        receiverAddress: wordOf(receiver),
        refundAddress: wordOf(sender),
        sendingAssetId: wordOf(from.address),
        receivingAssetId: wordOf(bridgedForm(to, parts)),
        outputAmount: minimum,
        outputAmountMultiplier: 10n ** 18n,
        exclusiveRelayer: padHex('0x', { size: 32 }),
        quoteTimestamp: Number(deadline) - SWAP_CHAIN.quoteLifeSeconds,
        fillDeadline: Number(deadline),
        exclusivityParameter: 0,
        message: '0x',
      },
    ],
  });
}

/** A coin crosses in its wrapped form, and is paid out to a wallet as itself. */
export function bridgedForm({ chain, address }: RouterToken, { market }: QuoteParts): string {
  return address === coinAddress(chain) ? wrappedCoin(market, chain.chain).address : address;
}

function wordOf(address: string): Hex {
  return address.startsWith('0x')
    ? padHex(address as Hex, { size: 32 }) // EVM addresses are hex
    : `0x${Buffer.from(solanaBytes(address)).toString('hex')}`;
}

/** Takes the place of the receiver where the other chain is no EVM chain. */
const NON_EVM_RECEIVER = '0x11f111f111f111F111f111f111F111f111f111F1';

/** The zero address represents the coin in the contract. */
function zeroed({ chain, address }: RouterToken): Hex {
  return address === coinAddress(chain) ? zeroAddress : (address as Hex); // EVM addresses are hex
}
