import { decodeEventLog, encodeFunctionData, getAddress, parseAbi } from 'viem';
import { readContract } from '../../../adapters/evm/token-facts.ts';
import { AppError } from '../../../domain/errors.ts';
import type { FixedProductPool } from '../../../domain/fixed-product-pool.ts';
import { asId, type Address, type TokenId } from '../../../domain/ids.ts';
import type { OutcomeIndex } from '../../../domain/market.ts';
import type { TradeSide } from '../../../domain/order.ts';
import type { EvmCall, EvmChain, EvmReceipt } from '../../../ports/evm.ts';

/** The market-maker contract: FixedProductMarketMaker 1.8.1 (venue_c.md section 9). */
const abi = parseAbi([
  'function buy(uint256 investmentAmount, uint256 outcomeIndex, uint256 minOutcomeTokensToBuy)',
  'function sell(uint256 returnAmount, uint256 outcomeIndex, uint256 maxOutcomeTokensToSell)',
  'function fee() view returns (uint256)',
  'function conditionalTokens() view returns (address)',
  'function collateralToken() view returns (address)',
  'event FPMMBuy(address indexed buyer, uint256 investmentAmount, uint256 feeAmount, uint256 indexed outcomeIndex, uint256 outcomeTokensBought)',
  'event FPMMSell(address indexed seller, uint256 returnAmount, uint256 feeAmount, uint256 indexed outcomeIndex, uint256 outcomeTokensSold)',
]);

/** Where a market is traded with a contract. */
export interface PoolPlace {
  readonly address: Address;
  readonly tokens: readonly [TokenId, TokenId];
}

/** What a pool must be made of. */
export interface PoolMoney {
  /** The dollar token. */
  readonly usdc: Address;
  readonly conditionalTokens: Address;
}

/** A trade that a wallet made with a pool; micros. */
export interface PoolTrade {
  readonly side: TradeSide;
  readonly outcome: OutcomeIndex;
  readonly shares: bigint;
  /** Paid or brought, the pool's fee inside. */
  readonly dollars: bigint;
}

/**
 * Reads the part of a trade that a contract keeps, in 10^-18; null where there is no pool of this
 * money at the address. Errors: `chain_unavailable`.
 */
export async function readPoolFee(
  chain: Pick<EvmChain, 'call'>,
  address: Address,
  money: PoolMoney,
): Promise<bigint | null> {
  const read = <T>(functionName: string): Promise<T | null> =>
    readContract<T>(chain, { to: address, abi, functionName, args: [] });
  const [fee, collateral, tokens] = await Promise.all([
    read<bigint>('fee'),
    read<string>('collateralToken'),
    read<string>('conditionalTokens'),
  ]);
  const isOurs = isSame(collateral, money.usdc) && isSame(tokens, money.conditionalTokens);
  return isOurs && fee !== null && fee < 10n ** 18n ? fee : null;
}

/** Reads what a pool has now. Errors: `chain_unavailable`. */
export async function readReserves(
  chain: Pick<EvmChain, 'shares'>,
  { address, tokens }: PoolPlace,
  { conditionalTokens }: PoolMoney,
): Promise<FixedProductPool['reserves']> {
  const [yes, no] = await chain.shares(address, conditionalTokens, tokens);
  if (yes === undefined || no === undefined)
    throw new AppError('chain_unavailable', `the pool ${address} was read in part`, {
      retryable: true,
    });
  return [yes, no];
}

/** Buys an outcome for so many dollars, or nothing where it would bring fewer shares. */
export function buyCall(
  pool: Address,
  outcome: OutcomeIndex,
  { dollars, leastShares }: { readonly dollars: bigint; readonly leastShares: bigint },
): EvmCall {
  const args = [dollars, BigInt(outcome), leastShares] as const;
  return callOf(pool, encodeFunctionData({ abi, functionName: 'buy', args }));
}

/** Sells an outcome for so many dollars, or nothing where it would take more shares. */
export function sellCall(
  pool: Address,
  outcome: OutcomeIndex,
  { dollars, mostShares }: { readonly dollars: bigint; readonly mostShares: bigint },
): EvmCall {
  const args = [dollars, BigInt(outcome), mostShares] as const;
  return callOf(pool, encodeFunctionData({ abi, functionName: 'sell', args }));
}

/** Returns what a wallet traded with a pool in a transaction; null for nothing. */
export function tradeIn(
  { logs }: Pick<EvmReceipt, 'logs'>,
  { pool, wallet }: { readonly pool: Address; readonly wallet: Address },
): PoolTrade | null {
  for (const { address, topics, data } of logs) {
    const [name, ...indexed] = topics;
    if (!isSame(address, pool) || name === undefined) continue;
    try {
      const event = decodeEventLog({ abi, data, topics: [name, ...indexed] });
      const outcome = event.args.outcomeIndex === 0n ? 0 : 1;
      if (event.eventName === 'FPMMBuy' && isSame(event.args.buyer, wallet)) {
        const { outcomeTokensBought: shares, investmentAmount: dollars } = event.args;
        return { side: 'buy', outcome, shares, dollars };
      }
      if (event.eventName === 'FPMMSell' && isSame(event.args.seller, wallet)) {
        const { outcomeTokensSold: shares, returnAmount: dollars } = event.args;
        return { side: 'sell', outcome, shares, dollars };
      }
    } catch {
      // An event of another kind.
    }
  }
  return null;
}

function callOf(to: Address, data: EvmCall['data']): EvmCall {
  return { to: asId<Address>(getAddress(to)), data, valueWei: 0n };
}

/** Addresses are compared however they are written. */
function isSame(one: string | null, other: string): boolean {
  return one?.toLowerCase() === other.toLowerCase();
}
