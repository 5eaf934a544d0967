import { EVM_ARRIVALS } from '../../../config/limits/arrivals.ts';
import { asId, type Address, type UserId } from '../../domain/ids.ts';
import type { SwapReceipts } from '../../domain/swap.ts';
import type { TransactionRecord } from '../../domain/transaction.ts';
import { web3Chain, type Web3ChainId } from '../../domain/web3-chains.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Runtime } from '../../ports/runtime.ts';
import type { EvmAccounts } from '../../ports/evm-account.ts';
import type { EvmChain, EvmReceipt, Hex } from '../../ports/evm.ts';
import { isOnItsWay, namesOf, ownTransactions } from './own-transactions.ts';
import type { AddressIndex } from './address-index.ts';
import { COIN_MARKS, type CoinMark } from './tables.ts';
import { recordTokenArrival } from './token-arrivals.ts';

export interface EvmCoinArrivalsDeps extends Pick<Runtime, 'store' | 'commit' | 'log'> {
  readonly chain: Web3ChainId;
  readonly evm: Pick<EvmChain, 'receipt'>;
  readonly accounts: Pick<EvmAccounts, 'coins' | 'nonce' | 'received'>;
  /** Users' own wallets of this kind of chain. */
  readonly wallets: Pick<AddressIndex, 'owners'>;
  readonly swaps: SwapReceipts;
  /** Waits a little between questions. */
  readonly pause: () => Promise<void>;
  /** Wall time. */
  readonly clock: Clock;
}

/** A wallet that this service made holds nothing and has signed nothing at first. */
const NEW_WALLET: CoinMark = { wei: '0', nonce: 0, block: 0, atMs: 0 };

/**
 * Makes the poll for coins that others sent to users' own wallets on one EVM chain. A coin leaves
 * no event, so what a wallet grew by is compared with what the user's own transactions, and those
 * that brought what a bridge was for, changed in their blocks: the rest came from others, also in
 * the very same blocks. A wallet whose key was used past this service shows nothing of what came
 * meanwhile, nor one whose node no longer knows the balances of those blocks. A wallet that cannot
 * be read keeps none of the others waiting. Errors of a poll: `chain_unavailable`,
 * `store_unavailable`.
 */
export function createEvmCoinArrivals(
  deps: EvmCoinArrivalsDeps,
): (finalBlock: number) => Promise<void> {
  const { chain, store, accounts, wallets, swaps, pause } = deps;
  /** Since when the history of a wallet could not be read, epoch ms. */
  const unread = new Map<UserId, number>();

  async function explainOrWait(difference: Difference): Promise<unknown> {
    const { userId } = difference;
    const nowMs = deps.clock.nowMs();
    const sinceMs = unread.get(userId) ?? nowMs;
    try {
      await explain(deps, difference, nowMs - sinceMs >= EVM_ARRIVALS.historyWaitMs);
      unread.delete(userId);
      return null;
    } catch (error) {
      unread.set(userId, sinceMs);
      return error;
    }
  }

  return async (finalBlock) => {
    const failures: unknown[] = [];
    const all = [...wallets.owners];
    for (let from = 0; from < all.length; from += EVM_ARRIVALS.walletsPerQuestion) {
      const some = all.slice(from, from + EVM_ARRIVALS.walletsPerQuestion);
      const held = await accounts.coins(
        some.map(([address]) => asId<Address>(address)),
        finalBlock,
      );
      for (const [index, [address, userId]] of some.entries()) {
        const wei = held[index] ?? 0n;
        const mark = store.get(COIN_MARKS, [chain, userId])?.value ?? NEW_WALLET;
        if (wei === BigInt(mark.wei)) continue;
        if (isOnItsWay(store, userId, chain) || swaps.isUnderWay(userId, chain)) continue;
        const owner = asId<Address>(address);
        const failure = await explainOrWait({ userId, owner, wei, mark, finalBlock });
        if (failure !== null) failures.push(failure);
      }
      await pause();
    }
    if (failures.length > 0) throw failures[0];
  };
}

interface Difference {
  readonly userId: UserId;
  readonly owner: Address;
  readonly wei: bigint;
  readonly mark: CoinMark;
  readonly finalBlock: number;
}

/** `isLeft`: what cannot be read of the past is left, and nothing reported of it. */
async function explain(
  deps: EvmCoinArrivalsDeps,
  difference: Difference,
  isLeft: boolean,
): Promise<void> {
  const { chain, commit, accounts, clock, log } = deps;
  const { userId, owner, wei, mark, finalBlock } = difference;
  const nonce = await accounts.nonce(owner, EVM_ARRIVALS.confirmations);
  const own = await blocksOfOwn(deps, difference);
  // what landed since the balance was read is for the next poll
  if (own.some(({ blockNumber }) => blockNumber > finalBlock)) return;
  const signed = own.filter(({ isSigned }) => isSigned).length;
  const grown = wei - BigInt(mark.wei);
  const changed =
    mark.nonce + signed === nonce
      ? await changeIn(deps, owner, own).catch((error: unknown) => {
          if (!isLeft) throw error;
          log.warn({ chain, userId, error: String(error) }, 'funding.arrivals_left_out');
          return grown;
        })
      : grown;
  const arrived = grown - changed;
  const { native } = web3Chain(chain);
  const atMs = clock.nowMs();
  await commit((tx) => {
    if (arrived >= EVM_ARRIVALS.weiMinimum)
      recordTokenArrival(tx, {
        userId,
        arrivalId: `${chain}:${owner}:${finalBlock}`,
        chain,
        token: null,
        symbol: native.symbol,
        decimals: native.decimals,
        isKnown: true,
        warnings: [],
        units: String(arrived),
        transactionHash: null,
        arrivedAtMs: atMs,
      });
    tx.put(COIN_MARKS, [chain, userId], { wei: String(wei), nonce, block: finalBlock, atMs });
  });
}

interface OwnBlock {
  readonly blockNumber: number;
  readonly transactionHash: string;
  /** The account's own transaction, under one of its nonces. */
  readonly isSigned: boolean;
}

/** The blocks of what the user's own doing changed since the mark. */
async function blocksOfOwn(
  { chain, store, evm, swaps }: EvmCoinArrivalsDeps,
  { userId, owner, mark }: Difference,
): Promise<readonly OwnBlock[]> {
  const signed = ownTransactions(store, userId, chain).filter(
    (record) => isOf(record, owner) && nonceOf(record) >= mark.nonce,
  );
  const found: OwnBlock[] = [];
  for (const record of signed) {
    const receipt = await landed(evm, namesOf([record]));
    if (receipt !== null) found.push({ ...receipt, isSigned: true });
  }
  const known = new Set(namesOf(signed));
  const sinceMs = mark.atMs - EVM_ARRIVALS.swapEndsWithinMs;
  for (const hash of swaps.on(userId, chain, sinceMs)) {
    if (known.has(hash)) continue;
    const receipt = await landed(evm, [hash]);
    if (receipt !== null && receipt.blockNumber > mark.block)
      found.push({ ...receipt, isSigned: false });
  }
  return found;
}

function isOf({ account }: TransactionRecord, owner: Address): boolean {
  return account.rail === 'evm' && account.address.toLowerCase() === owner.toLowerCase();
}

function nonceOf({ attempts }: TransactionRecord): number {
  const bound = attempts.at(-1)?.bound;
  return bound?.kind === 'nonce' ? bound.nonce : -1;
}

/** Of one nonce one transaction lands, if any. */
async function landed(
  evm: Pick<EvmChain, 'receipt'>,
  names: readonly string[],
): Promise<EvmReceipt | null> {
  for (const name of new Set(names)) {
    const receipt = await evm.receipt(name as Hex); // names of an EVM chain are hashes
    if (receipt !== null) return receipt;
  }
  return null;
}

/**
 * What a wallet's coin changed by in blocks, fees and all, but for what transactions of others sent
 * to it there.
 */
async function changeIn(
  { accounts }: EvmCoinArrivalsDeps,
  owner: Address,
  own: readonly OwnBlock[],
): Promise<bigint> {
  const hashes = new Set(own.map(({ transactionHash }) => transactionHash));
  let change = 0n;
  for (const block of new Set(own.map(({ blockNumber }) => blockNumber))) {
    const [[after = 0n], [before = 0n], received] = await Promise.all([
      accounts.coins([owner], block),
      accounts.coins([owner], block - 1),
      accounts.received(owner, block, hashes),
    ]);
    change += after - before - received;
  }
  return change;
}
