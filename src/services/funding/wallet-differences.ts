import type { CashAccount } from '../../domain/cash.ts';
import type { UserId } from '../../domain/ids.ts';
import type { WalletDifference } from '../../domain/wallet-mismatch.ts';
import type { StoreReader } from '../../ports/store.ts';
import type { WalletReads } from '../../ports/venue.ts';
import { balanceOf } from '../books/record-changes.ts';
import { POSITIONS } from '../books/tables.ts';

/**
 * Compares the USDC of a user's own wallet, and the shares the books have there. Tokens beyond
 * those are left alone: outcomes that lost stay in the wallet, and are worth nothing. Errors:
 * `chain_unavailable`.
 */
export async function walletDifferences(
  reader: StoreReader,
  { cashAccount, wallet }: { readonly cashAccount: CashAccount; readonly wallet: WalletReads },
  userId: UserId,
): Promise<readonly WalletDifference[]> {
  const tokenIds = reader
    .range(POSITIONS, { prefix: [userId] })
    .filter(({ value }) => value.cashAccount === cashAccount && value.shares !== 0)
    .map(({ value }) => value.tokenId);
  const { usdc, tokens } = await wallet.holdings(userId, tokenIds);
  const held = tokenIds.map((asset) => ({ asset, onChain: tokens.get(asset) ?? 0 }));
  return [{ asset: cashAccount, onChain: usdc }, ...held]
    .map((one) => ({
      ...one,
      cashAccount,
      booked: balanceOf(reader, userId, one.asset).settled,
    }))
    .filter(({ booked, onChain }) => booked !== onChain);
}
