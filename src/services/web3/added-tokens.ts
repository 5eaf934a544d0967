import { TOKEN_WARNINGS } from '../../../config/limits/tokens.ts';
import { WALLET_VIEW } from '../../../config/limits/wallet-view.ts';
import { AppError } from '../../domain/errors.ts';
import type { UserId } from '../../domain/ids.ts';
import { judgeName, type TokenWarning } from '../../domain/token-listing.ts';
import type { Web3ChainId } from '../../domain/web3-chains.ts';
import type { Runtime } from '../../ports/runtime.ts';
import type { StoreReader } from '../../ports/store.ts';
import type { OwnToken } from './balances.ts';
import { ADDED_TOKENS } from './tables.ts';

/** A token a user added to the view of their wallets, as it described itself on that day. */
export interface AddedToken {
  readonly chain: Web3ChainId;
  /** In lower case but on Solana. */
  readonly address: string;
  /** What it calls itself, cleaned; null where it does not say. */
  readonly symbol: string | null;
  readonly decimals: number;
  readonly warnings: readonly TokenWarning[];
  readonly addedAtMs: number;
}

/** A token as the chain has it; texts are its own. */
export interface ReadToken {
  readonly chain: Web3ChainId;
  readonly address: string;
  readonly symbol: string;
  readonly name: string;
  readonly decimals: number;
}

/** Remembers what users added to their views. */
export interface AddedTokens {
  /** Errors: `limit_reached` where a user has as many as there may be, and not this one. */
  assertRoom(userId: UserId, chain: Web3ChainId, address: string): void;
  /** Adds one; the same one again is read anew. Errors: those of `assertRoom`. */
  add(userId: UserId, token: ReadToken): Promise<AddedToken>;
  /** Takes one away; nothing happens without it. */
  remove(userId: UserId, chain: Web3ChainId, address: string): Promise<void>;
}

/** Makes the list over the store. */
export function createAddedTokens({
  store,
  commit,
  clock,
}: Pick<Runtime, 'commit' | 'clock'> & {
  readonly store: StoreReader;
}): AddedTokens {
  return {
    assertRoom: (userId, chain, address) => assertRoom(store, userId, { chain, address }),
    add(userId, { chain, address, decimals, ...texts }) {
      const { symbol, warnings } = judgeName({ chain, address, ...texts }, TOKEN_WARNINGS);
      const record: AddedToken = {
        chain,
        address,
        symbol: symbol === '' ? null : symbol,
        decimals,
        warnings,
        addedAtMs: clock.nowMs(),
      };
      return commit((tx) => {
        assertRoom(tx, userId, record);
        tx.put(ADDED_TOKENS, [userId, chain, address], record);
        return record;
      });
    },
    async remove(userId, chain, address) {
      await commit((tx) => tx.remove(ADDED_TOKENS, [userId, chain, address]));
    },
  };
}

/** Returns what a user added on a chain, by address. */
export function tokensAdded(
  reader: StoreReader,
  userId: UserId,
  chain: Web3ChainId,
): readonly OwnToken[] {
  return reader
    .range(ADDED_TOKENS, { prefix: [userId, chain] })
    .map(({ value: { address, symbol, decimals, warnings } }) => ({
      address,
      symbol,
      decimals,
      origin: 'added',
      warnings,
    }));
}

function assertRoom(
  reader: StoreReader,
  userId: UserId,
  { chain, address }: Pick<AddedToken, 'chain' | 'address'>,
): void {
  if (reader.get(ADDED_TOKENS, [userId, chain, address]) !== null) return;
  if (reader.range(ADDED_TOKENS, { prefix: [userId] }).length < WALLET_VIEW.addedMaximum) return;
  throw new AppError(
    'limit_reached',
    `${WALLET_VIEW.addedMaximum} tokens may be added to a view: take one away first`,
  );
}
