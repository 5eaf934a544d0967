import { isSameOnChain } from '../../domain/chain-address.ts';
import { AppError } from '../../domain/errors.ts';
import type { TransactionId, UserId } from '../../domain/ids.ts';
import { formatTokenAmount } from '../../domain/token-amount.ts';
import type { TransactionRecord, WalletReserve } from '../../domain/transaction.ts';
import { web3Chain, type Web3ChainId } from '../../domain/web3-chains.ts';
import type { StoreReader } from '../../ports/store.ts';
import { openTransactions } from './transaction-records.ts';

/** What a wallet holds of a token, and what something new takes of it at most, fees among it. */
export interface WalletDemand {
  /** Null for the chain's own coin. */
  readonly token: string | null;
  readonly symbol: string;
  readonly decimals: number;
  readonly held: bigint;
  readonly units: bigint;
}

/** A wallet on a chain, whose balances were read after `reservesBefore`. */
export interface DemandedWallet {
  readonly chain: Web3ChainId;
  readonly wallet: string;
  readonly demands: readonly WalletDemand[];
}

/** What open transactions take of a user's wallets, as they were before balances were read. */
export type ReservesBefore = ReadonlyMap<TransactionId, TransactionRecord>;

/**
 * Notes what a user's open transactions take, before a balance is read: one that ends in between
 * may be in that balance or not, so it counts still. One that a block had before is in it.
 */
export function reservesBefore(reader: StoreReader, userId: UserId): ReservesBefore {
  return new Map(
    openTransactions(reader, userId)
      .filter(({ reserves }) => reserves !== undefined)
      .map((record) => [record.transactionId, record]),
  );
}

/**
 * Refuses what a wallet cannot pay beside all that is promised of it already (L5): asked in the
 * transaction that stores the new reserve. It only reads. Errors: `insufficient_funds`, retryable
 * where a promise is what prevents it.
 */
export function assertUnreserved(
  reader: StoreReader,
  userId: UserId,
  {
    chain,
    wallet,
    demands,
    before,
    path,
  }: DemandedWallet & { readonly before: ReservesBefore; readonly path?: `/${string}` },
): void {
  const counted = [
    ...[...before.values()].filter(({ state }) => state !== 'mined'),
    ...openTransactions(reader, userId).filter(({ transactionId }) => !before.has(transactionId)),
  ];
  const reserves = counted
    .filter(({ account }) => account.chain === chain)
    .flatMap((record) => record.reserves ?? [])
    .filter((reserve) => isSameOnChain(reserve.wallet, wallet));
  for (const { token, symbol, decimals, held, units } of demands) {
    const reserved = reserves
      .filter((reserve) => isSameOnChain(reserve.token, token))
      .reduce((sum, reserve) => sum + BigInt(reserve.units), 0n);
    if (held - reserved >= units) continue;
    const text = (amount: bigint) => `${formatTokenAmount(amount, decimals)} ${symbol}`;
    const message = `your wallet holds ${text(held)} on ${web3Chain(chain).name}, ${text(reserved)} of it reserved by transactions under way, and ${text(units)} are needed${token === null ? ', fees among it' : ''}`;
    throw new AppError('insufficient_funds', message, {
      ...(path === undefined ? {} : { fields: [{ path, message }] }),
      retryable: held >= units,
    });
  }
}

/** Returns what a demand reserves. */
export function reservesOf({
  wallet,
  demands,
}: Pick<DemandedWallet, 'wallet' | 'demands'>): readonly WalletReserve[] {
  return demands
    .filter(({ units }) => units > 0n)
    .map(({ token, units }) => ({ wallet, token, units: units.toString() }));
}
