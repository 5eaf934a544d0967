import { isSameOnChain } from '../../domain/chain-address.ts';
import type { BridgeTransfer, DepositProblem } from '../../domain/deposit.ts';
import { worthMicros } from '../../domain/token-amount.ts';
import { ONE_DOLLAR } from '../../domain/token-price.ts';
import { parseDecimal } from '../../domain/units.ts';
import type { BridgeAsset } from '../../ports/bridge.ts';

/** Tokens whose worth is their amount; of others only the bridge knows whether they are enough. */
const DOLLARS: ReadonlySet<string> = new Set(['USDC', 'USDC.E', 'USDT', 'PUSD', 'DAI']);

/** The asset a transfer is of; null for one the bridge does not take. */
export function assetOf(
  assets: readonly BridgeAsset[],
  { chainId, tokenAddress }: Pick<BridgeTransfer, 'chainId' | 'tokenAddress'>,
): BridgeAsset | null {
  return (
    assets.find(
      (asset) => asset.chainId === chainId && isSameOnChain(asset.tokenAddress, tokenAddress),
    ) ?? null
  );
}

/**
 * Why the bridge will not credit a payment, as far as its list of assets tells; null when nothing
 * speaks against it.
 */
export function problemOf(
  assets: readonly BridgeAsset[],
  transfer: BridgeTransfer,
): DepositProblem | null {
  const asset = assetOf(assets, transfer);
  if (asset === null) return 'token_not_taken';
  const leastMicros = parseDecimal(asset.minimumUsd, 6);
  if (leastMicros === null || !DOLLARS.has(asset.symbol.toUpperCase())) return null;
  return worthMicros(BigInt(transfer.amount), asset.decimals, ONE_DOLLAR.priceE18) <
    BigInt(leastMicros)
    ? 'below_minimum'
    : null;
}
