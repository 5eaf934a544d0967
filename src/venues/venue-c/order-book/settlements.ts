import { EVM_RAIL, EVM_WALLET } from '../../../../config/limits/chain.ts';
import { VENUE_C_ORDER } from '../../../../config/limits/venue-c.ts';
import { sharesGained } from '../../../adapters/evm/share-movements.ts';
import { hexOf } from '../../../adapters/wire/hex.ts';
import type { Address } from '../../../domain/ids.ts';
import type { OrderHandle } from '../../../domain/order.ts';
import type { EvmChain, Hex } from '../../../ports/evm.ts';
import type { OrderDigest } from './digest.ts';
import { readPrepared } from './prepared.ts';

/** A transaction of a final block in which an order was settled. */
interface Settlement {
  readonly transactionHash: Hex;
  /** What it brought the order's wallet, or took from it; micros, a buyer's fee taken off. */
  readonly shares: number;
}

/** What a chain has of an order. */
export interface ChainReading {
  /** The contract that was asked about. */
  readonly exchange: string;
  readonly settlements: readonly Settlement[];
  /** Time of the newest block, epoch ms. */
  readonly readToMs: number;
}

/**
 * Reads the transactions that settled an order of a wallet at or after a moment, oldest first; null
 * for an order that was not signed here, or for what is longer ago than is read.
 * Errors: `chain_unavailable`.
 */
export type ReadSettlements = (
  order: Pick<OrderHandle, 'intent' | 'attempt'>,
  of: { readonly wallet: Address; readonly sinceMs: number },
) => Promise<ChainReading | null>;

/**
 * Creates the reader. That an exchange names an order by its digest in the first indexed field of
 * its events is what contracts of its kind do and is not stated by the venue; how many shares moved
 * is what the shares' own contract says.
 */
export function createSettlementReader({
  evm,
  conditionalTokens,
  digestOf,
}: {
  readonly evm: Pick<EvmChain, 'head' | 'logs' | 'receipt'>;
  /** Holds the shares. */
  readonly conditionalTokens: Address;
  readonly digestOf: OrderDigest;
}): ReadSettlements {
  return async ({ intent, attempt }, { wallet, sinceMs }) => {
    if (attempt.extra === null) return null;
    const prepared = readPrepared(attempt.extra);
    const { blockNumber, atMs } = await evm.head();
    const back = Math.ceil((atMs - sinceMs) / VENUE_C_ORDER.blockMinimumMs);
    if (back > EVM_WALLET.historyBlocksMaximum) return null;
    const logs = await evm.logs({
      address: prepared.exchange as Address, // read from a market's own field
      topics: [null, hexOf(digestOf(wallet, intent, prepared))],
      fromBlock: Math.max(0, blockNumber - Math.max(back, VENUE_C_ORDER.settlementBlocksMinimum)),
      toBlock: blockNumber,
    });
    const settlements: Settlement[] = [];
    for (const transactionHash of new Set(logs.map((log) => log.transactionHash))) {
      const receipt = await evm.receipt(transactionHash);
      if (receipt?.succeeded !== true || receipt.confirmations < EVM_RAIL.confirmations) continue;
      const gained = sharesGained(receipt.logs, {
        contract: conditionalTokens,
        wallet,
        tokenId: intent.tokenId,
      });
      if (gained !== 0n)
        settlements.push({ transactionHash, shares: Number(gained < 0n ? -gained : gained) });
    }
    return { exchange: prepared.exchange, settlements, readToMs: atMs };
  };
}
