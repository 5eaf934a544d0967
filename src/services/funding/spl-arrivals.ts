import { BoundedMap } from '../../domain/bounded-map.ts';
import { EVM_ARRIVALS } from '../../../config/limits/arrivals.ts';
import { WALLET } from '../../../config/limits/funds.ts';
import type { CashAccount } from '../../domain/cash.ts';
import type { UserId } from '../../domain/ids.ts';
import { knownTokens } from '../../domain/known-tokens.ts';
import type { SwapReceipts } from '../../domain/swap.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Runtime } from '../../ports/runtime.ts';
import type { Solana, SolanaHistories } from '../../ports/solana.ts';
import { ORDER_IDS } from '../books/tables.ts';
import { isOnItsWay, namesOf, ownTransactions } from './own-transactions.ts';
import { WALLET_MARKS } from './tables.ts';
import { recordTokenArrival, type ChosenToken } from './token-arrivals.ts';
import type { ReadWallet } from './wallet-rounds.ts';

export interface SplArrivalsDeps extends Pick<Runtime, 'store' | 'commit' | 'log'> {
  readonly solana: Pick<Solana, 'tokenAccounts'>;
  readonly history: SolanaHistories;
  readonly swaps: SwapReceipts;
  readonly walletOf: (userId: UserId) => Promise<string>;
  /** Tokens of a user's own choice: those whose name nothing speaks against are notified. */
  readonly ownTokensOf: (userId: UserId) => readonly ChosenToken[];
  /** Dollars of the books are notified by their booking. */
  readonly cashAccountOf: (place: {
    readonly chain: 'SOLANA';
    readonly address: string;
  }) => CashAccount | null;
  /** Wall time. */
  readonly clock: Clock;
}

/** A token whose arrivals are notified. */
interface Followed {
  readonly address: string;
  readonly symbol: string;
  readonly decimals: number;
  /** In the smallest unit. */
  readonly least: bigint;
}

const CHAIN = 'SOLANA';

/**
 * Makes the reader of tokens that others sent to a user's Solana wallet: those of our own list and
 * of the user's choice, each final transaction that brought some recorded once, unless an order, a
 * swap or another own transaction explains it. Every other token is in the view alone. Errors
 * of a reading: `chain_unavailable`, `store_unavailable`.
 */
export function createSplArrivals(deps: SplArrivalsDeps): ReadWallet {
  const { store, solana, swaps, walletOf } = deps;
  /** What a wallet held when its history was last read: the same amount is not asked about. */
  const held = new BoundedMap<string, bigint>(WALLET.usersRemembered);
  return async (userId) => {
    if (swaps.isUnderWay(userId, CHAIN) || isOnItsWay(store, userId, CHAIN)) return 'nothing';
    const owner = await walletOf(userId);
    const accounts = await solana.tokenAccounts(owner);
    let isUnsettled = false;
    for (const token of followedBy(deps, userId)) {
      const units = accounts
        .filter(({ mint }) => mint === token.address)
        .reduce((sum, { amount }) => sum + amount, 0n);
      const name = `${userId} ${token.address}`;
      if ((held.get(name) ?? 0n) === units) continue;
      const recorded = await recordFrom(deps, { userId, owner, token });
      if (recorded === 'unsettled') isUnsettled = true;
      else held.set(name, units);
    }
    return isUnsettled ? 'unsettled' : 'nothing';
  };
}

function followedBy(
  { ownTokensOf, cashAccountOf }: SplArrivalsDeps,
  userId: UserId,
): readonly Followed[] {
  const known = knownTokens(CHAIN)
    .filter(({ address }) => cashAccountOf({ chain: CHAIN, address }) === null)
    .map(({ address, symbol, decimals, isDollar }) => ({
      address,
      symbol,
      decimals,
      least: isDollar ? BigInt(EVM_ARRIVALS.dollarsMinimumMicros) : 1n,
    }));
  const own = ownTokensOf(userId).flatMap(({ address, symbol, decimals, warnings }) =>
    warnings.length > 0 ? [] : [{ address, symbol: symbol ?? address, decimals, least: 1n }],
  );
  return [...known, ...own];
}

async function recordFrom(
  { store, commit, history, swaps, clock, log }: SplArrivalsDeps,
  {
    userId,
    owner,
    token,
  }: { readonly userId: UserId; readonly owner: string; readonly token: Followed },
): Promise<'unsettled' | 'read'> {
  const mark = [userId, `spl:${token.address}`];
  const since = store.get(WALLET_MARKS, mark)?.value.transactionHash ?? null;
  const read = await history.of(owner, token.address, since);
  if (read.kind === 'unsettled') return 'unsettled';
  if (read.kind === 'too_long') {
    log.warn({ userId, token: token.address }, 'funding.arrivals_left_out');
    return 'read';
  }
  const { movements, newest } = read;
  if (newest === null || newest === since) return 'read';
  const own = new Set([
    ...namesOf(ownTransactions(store, userId, CHAIN)),
    ...swaps.on(userId, CHAIN),
  ]);
  const arrived = movements.filter(
    ({ signature, units }) =>
      units >= token.least && !own.has(signature) && store.get(ORDER_IDS, [signature]) === null,
  );
  await commit((tx) => {
    for (const { signature, units } of arrived)
      recordTokenArrival(tx, {
        userId,
        arrivalId: `${CHAIN}:${signature}:${token.address}`,
        chain: CHAIN,
        token: token.address,
        symbol: token.symbol,
        decimals: token.decimals,
        isKnown: true,
        warnings: [],
        units: String(units),
        transactionHash: signature,
        arrivedAtMs: clock.nowMs(),
      });
    tx.put(WALLET_MARKS, mark, { transactionHash: newest });
  });
  return 'read';
}
