import type { z } from 'zod';
import type { BridgeTransfer, BridgeTransferStatus } from '../../domain/deposit.ts';
import type { BridgeAsset, BridgeChain, DepositAddresses } from '../../ports/bridge.ts';
import type { assetsSchema, depositSchema, statusSchema } from './schema.ts';

/**
 * Chains by their EIP-155 number; the bridge numbers others in a way of its own, and names them.
 */
const BY_ID: Readonly<Record<string, BridgeChain>> = {
  1: 'ETHEREUM',
  137: 'POLYGON',
  42161: 'ARBITRUM',
  8453: 'BASE',
  10: 'OPTIMISM',
  56: 'BSC',
};
const BY_NAME: Readonly<Record<string, BridgeChain>> = {
  solana: 'SOLANA',
  bitcoin: 'BITCOIN',
  tron: 'TRON',
};

const STATUSES: Readonly<
  Record<z.output<typeof statusSchema>['transactions'][number]['status'], BridgeTransferStatus>
> = {
  DEPOSIT_DETECTED: 'detected',
  PROCESSING: 'processing',
  ORIGIN_TX_CONFIRMED: 'origin_confirmed',
  SUBMITTED: 'submitted',
  COMPLETED: 'completed',
  FAILED: 'failed',
};

/** Assets on chains of the spec; those on others are left out. */
export function readAssets({
  supportedAssets,
}: z.output<typeof assetsSchema>): readonly BridgeAsset[] {
  return supportedAssets.flatMap(({ chainId, chainName, token, minCheckoutUsd }) => {
    const chain = BY_ID[chainId] ?? BY_NAME[chainName.toLowerCase()];
    return chain === undefined
      ? []
      : [
          {
            chain,
            chainId,
            symbol: token.symbol,
            name: token.name,
            tokenAddress: token.address,
            decimals: token.decimals,
            minimumUsd: String(minCheckoutUsd),
          },
        ];
  });
}

/** Addresses by our names. */
export function readDeposit({
  address: { evm, svm, btc, tvm },
}: z.output<typeof depositSchema>): DepositAddresses {
  return { evm, solana: svm, bitcoin: btc, tron: tvm };
}

/** Transfers by our names. */
export function readStatus({
  transactions,
}: z.output<typeof statusSchema>): readonly BridgeTransfer[] {
  return transactions.map(
    ({ fromChainId, fromTokenAddress, fromAmountBaseUnit, status, txHash, createdTimeMs }) => ({
      chainId: fromChainId,
      tokenAddress: fromTokenAddress,
      amount: fromAmountBaseUnit,
      status: STATUSES[status],
      transactionHash: txHash ?? null,
      createdAtMs: createdTimeMs ?? null,
    }),
  );
}
