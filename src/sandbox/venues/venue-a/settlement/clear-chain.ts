import { encodeFunctionData, zeroHash, type Hex } from 'viem';
import type { TokenId } from '../../../../domain/ids.ts';
import { VENUE_A_CHAIN } from '../chain/chain-addresses.ts';
import { EXCHANGE_ABI } from '../chain/exchange-orders.ts';
import { CONDITIONAL_TOKENS_ABI } from '../../../chains/evm/contract-abis.ts';
import type { EvmClient } from '../../../chains/evm/evm-client.ts';
import type { RetiredMarket } from '../../../engine/exchange-types.ts';
import { exchangeOf } from './match-parts.ts';

/**
 * What the venue needs no more leaves the chain, whose state would grow with every round and trade;
 * no real node does that. Each may be repeated. Errors: those of the node.
 */
export interface ChainCleaner {
  /**
   * A market that the venue has retired, with its orders, and with shares that pay nothing. One in
   * which a user still has shares that pay stays, for them to be redeemed.
   */
  clearMarket(retired: RetiredMarket): Promise<void>;
  /** How far orders are filled that never come again, by their hashes. */
  clearOrders(exchange: Hex, hashes: readonly Hex[]): Promise<void>;
}

/** `strangers` are the venue's own accounts. */
export function createChainCleaner(client: EvmClient, strangers: readonly Hex[]): ChainCleaner {
  return {
    async clearMarket({ market, payoutTicks, holders, orders }) {
      const users = holders.filter(({ account }) => account.startsWith('0x'));
      if (users.some(({ tokenId }) => payoutTicks[market.tokens.indexOf(tokenId)] !== 0)) return;
      const owners = [...strangers, ...users.map(({ account }) => account as Hex)];
      await clear(client, [
        ...orders.map((orderId) => statusRead(exchangeOf(market), orderId as string as Hex)), // their hashes
        ...conditionReads(market.marketId as string as Hex), // outcome-ids.ts made it: a condition id
        ...market.tokens.flatMap((tokenId) => tokenReads(exchangeOf(market), tokenId, owners)),
      ]);
    },
    clearOrders: (exchange, hashes) =>
      clear(
        client,
        hashes.map((hash) => statusRead(exchange, hash)),
      ),
  };
}

function conditionReads(conditionId: Hex): readonly Read[] {
  const abi = CONDITIONAL_TOKENS_ABI;
  return [
    encodeFunctionData({ abi, functionName: 'payoutNumerators', args: [conditionId, 0n] }),
    encodeFunctionData({ abi, functionName: 'payoutNumerators', args: [conditionId, 1n] }),
    encodeFunctionData({ abi, functionName: 'payoutDenominator', args: [conditionId] }),
    encodeFunctionData({ abi, functionName: 'getOutcomeSlotCount', args: [conditionId] }),
  ].map(ofShares);
}

function tokenReads(exchange: Hex, tokenId: TokenId, owners: readonly Hex[]): readonly Read[] {
  const args = [BigInt(tokenId)] as const;
  return [
    {
      to: exchange,
      data: encodeFunctionData({ abi: EXCHANGE_ABI, functionName: 'outcomeOf', args }),
    },
    ...owners.map((owner) =>
      ofShares(
        encodeFunctionData({
          abi: CONDITIONAL_TOKENS_ABI,
          functionName: 'balanceOf',
          args: [owner, ...args],
        }),
      ),
    ),
  ];
}

function statusRead(exchange: Hex, hash: Hex): Read {
  const data = encodeFunctionData({ abi: EXCHANGE_ABI, functionName: 'statusOf', args: [hash] });
  return { to: exchange, data };
}

interface Read {
  readonly to: Hex;
  readonly data: Hex;
}

function ofShares(data: Hex): Read {
  return { to: VENUE_A_CHAIN.conditionalTokens, data };
}

/**
 * Sets to zero what these reads read: all of it is found first, since one may say how far
 * another reads.
 */
async function clear(client: EvmClient, reads: readonly Read[]): Promise<void> {
  const slots: Slot[] = [];
  for (const read of reads) slots.push(...(await slotsRead(client, read)));
  for (const { address, index } of slots) {
    // Until its next start the node keeps a zero that is written where nothing was.
    const value = await client.getStorageAt({ address, slot: index });
    if (value !== zeroHash) await client.setStorageAt({ address, index, value: zeroHash });
  }
}

interface Slot {
  readonly address: Hex;
  readonly index: Hex;
}

/** The slots of storage that a read reads: none, where it is refused. */
async function slotsRead(client: EvmClient, read: Read): Promise<readonly Slot[]> {
  const { accessList } = await client.createAccessList(read);
  return accessList.flatMap(({ address, storageKeys }) =>
    storageKeys.map((index) => ({ address, index })),
  );
}
