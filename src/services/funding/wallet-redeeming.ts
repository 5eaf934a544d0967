import { chainAccountOf } from '../../domain/cash.ts';
import { AppError } from '../../domain/errors.ts';
import type { Venue } from '../../ports/venue.ts';
import { callsBody } from '../wallets/contract-calls.ts';
import type { RedeemingAccount } from './redemptions.ts';

/**
 * Returns what redeems in users' own wallets at a venue; null where that is not by a transaction of
 * theirs. A wallet that cannot pay the network redeems nothing, so that no transaction of it waits
 * in front of others.
 */
export function walletRedeeming({
  id,
  cashAccount,
  accounts,
  redeemer,
}: Pick<Venue, 'id' | 'cashAccount' | 'accounts' | 'redeemer'>): RedeemingAccount | null {
  const { wallet } = accounts;
  if (wallet === undefined || redeemer === undefined) return null;
  return {
    cashAccount,
    async assertReady(userId) {
      const [problem] = (await accounts.missing?.(userId)) ?? [];
      if (problem !== undefined)
        throw new AppError('wallet_not_ready', problem, { retryable: true });
    },
    isDecided: (market) => redeemer.isDecided(market),
    async held(userId, tokenIds) {
      const { tokens } = await wallet.holdings(userId, tokenIds);
      return tokenIds.map((tokenId) => tokens.get(tokenId) ?? 0);
    },
    async draft(userId, market) {
      const { marketId } = market;
      const { token } = redeemer;
      return {
        account: chainAccountOf(cashAccount, await redeemer.walletOf(userId)),
        purpose: {
          owner: 'venue',
          kind: 'venue_redemption',
          data: { venue: id, side: 'sell', marketId, cashAccount, token },
        },
        body: callsBody([await redeemer.call(userId, market)]),
      };
    },
  };
}
