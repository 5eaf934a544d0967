import {
  encodeAbiParameters,
  encodeEventTopics,
  hashTypedData,
  parseAbi,
  parseAbiParameters,
} from 'viem';
import { EVM_RAIL } from '../../../config/limits/chain.ts';
import { asId, type Address } from '../../../src/domain/ids.ts';
import type { Clock } from '../../../src/ports/clock.ts';
import type { EvmChain, EvmLog, Hex } from '../../../src/ports/evm.ts';
import { BOOK_EXCHANGE_ABI } from '../../../src/sandbox/venues/venue-c/chain/exchange-abi.ts';
import { VENUE_C_CHAIN, contractsOf } from '../../../src/sandbox/venues/venue-c/chain-addresses.ts';
import type { BookExchange } from '../../../src/sandbox/venues/venue-c/model/exchange.ts';
import type { VenueMarket } from '../../../src/sandbox/venues/venue-c/model/market.ts';
import type { TradePart, VenueTrade } from '../../../src/sandbox/venues/venue-c/model/order.ts';
import { typedOrder } from '../../../src/sandbox/venues/venue-c/order-type.ts';

const BLOCK_MS = 2_000;
const SHARES_ABI = parseAbi([
  'event TransferSingle(address indexed operator, address indexed from, address indexed to, uint256 id, uint256 value)',
]);

/**
 * What a chain would show of the trades that a venue's model settles by itself, in the layout of
 * the local exchange: each order that took part by its digest, and the shares that moved.
 * `accounts` are the wallets whose trades it has.
 */
export function modelChain(
  exchange: BookExchange,
  {
    listed,
    accounts,
    clock,
  }: {
    readonly listed: VenueMarket;
    readonly accounts: readonly Address[];
    readonly clock: Clock;
  },
): Pick<EvmChain, 'head' | 'logs' | 'receipt'> {
  const contract = contractsOf(listed).exchange as Hex;
  const block = (ms: number): number => Math.floor(ms / BLOCK_MS);
  const settled = (): readonly VenueTrade[] => {
    const trades = new Set(accounts.flatMap((account) => exchange.tradesOf(account)));
    return [...trades].filter(
      ({ txHash, status }) => txHash !== null && (status === 'MINED' || status === 'CONFIRMED'),
    );
  };
  const logsOf = (trade: VenueTrade): readonly EvmLog[] =>
    [trade.taker, ...trade.makers].flatMap((part) => {
      const signed = exchange.order(part.orderId)?.signed ?? null;
      if (signed === null) return [];
      const at = {
        blockNumber: block(trade.updatedAtMs),
        transactionHash: trade.txHash as Hex,
        logIndex: 0,
      };
      const fee = part === trade.taker ? trade.feeShares : 0;
      return [
        {
          ...at,
          address: asId<Address>(contract),
          topics: encodeEventTopics({
            abi: BOOK_EXCHANGE_ABI,
            eventName: 'OrderFilled',
            args: {
              orderHash: hashTypedData(typedOrder(signed, contract)),
              maker: part.account as Hex,
              tokenId: BigInt(signed.tokenId),
            },
          }) as readonly Hex[],
          data: '0x' as const,
        },
        {
          ...at,
          address: asId<Address>(VENUE_C_CHAIN.conditionalTokens),
          topics: encodeEventTopics({
            abi: SHARES_ABI,
            eventName: 'TransferSingle',
            args: movementOf(part, contract),
          }) as readonly Hex[],
          data: encodeAbiParameters(parseAbiParameters('uint256, uint256'), [
            BigInt(signed.tokenId),
            BigInt(part.shares - fee),
          ]),
        },
      ];
    });
  return {
    head: async () => ({
      blockNumber: block(clock.nowMs()),
      atMs: block(clock.nowMs()) * BLOCK_MS,
      hash: `0x${'00'.repeat(32)}`,
    }),
    logs: async ({ address, topics, fromBlock, toBlock }) =>
      settled()
        .flatMap(logsOf)
        .filter(
          (log) =>
            log.address === address &&
            log.topics[1] === topics[1] &&
            log.blockNumber >= fromBlock &&
            log.blockNumber <= toBlock,
        ),
    async receipt(transactionHash) {
      const trade = settled().find(({ txHash }) => txHash === transactionHash);
      if (trade === undefined) return null;
      return {
        transactionHash,
        succeeded: true,
        blockNumber: block(trade.updatedAtMs),
        confirmations: trade.status === 'CONFIRMED' ? EVM_RAIL.confirmations : 1,
        logs: logsOf(trade),
      };
    },
  };
}

function movementOf({ account, side }: TradePart, exchange: Hex) {
  const wallet = account as Hex;
  return side === 'buy'
    ? { operator: exchange, from: exchange, to: wallet }
    : { operator: exchange, from: wallet, to: exchange };
}
