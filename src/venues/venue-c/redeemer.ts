import { asId, type Address, type UserId } from '../../domain/ids.ts';
import type { EvmChain } from '../../ports/evm.ts';
import type { Venue } from '../../ports/venue.ts';
import {
  payoutQuestion,
  redeemAtAdapterCall,
  redeemCall,
  uintOf,
} from '../../services/wallets/contract-calls.ts';
import type { Allowances } from './allowances.ts';
import { ownOf } from './own.ts';

/**
 * Creates what redeems both outcomes at once, for of a voided market both are paid: at the
 * conditional tokens' contract, and of a market of a group at its adapter, which asks for a
 * number of shares and for the right to take them (venue_c.md section 11).
 */
export function createRedeemer({
  walletOf,
  evm,
  allowances,
  usdc,
  conditionalTokens,
}: {
  readonly walletOf: (userId: UserId) => Promise<Address>;
  readonly evm: Pick<EvmChain, 'call' | 'shares'>;
  readonly allowances: Pick<Allowances, 'ensureShares'>;
  readonly usdc: string;
  readonly conditionalTokens: string;
}): NonNullable<Venue['redeemer']> {
  const [token, conditions] = [asId<Address>(usdc), asId<Address>(conditionalTokens)];
  return {
    token,
    walletOf,
    isDecided: async (market) =>
      uintOf(await evm.call(conditions, payoutQuestion(ownOf(market).conditionId))) > 0n,
    async call(userId, market) {
      const own = ownOf(market);
      if (own.tradeType === 'amm' || own.adapter === null)
        return redeemCall(conditions, token, own.conditionId);
      await allowances.ensureShares(userId, own.adapter);
      const [yes, no] = market.outcomes;
      const tokens = [yes.tokenId, no.tokenId];
      const held = await evm.shares(await walletOf(userId), conditions, tokens);
      return redeemAtAdapterCall(asId<Address>(own.adapter), own.conditionId, held);
    },
  };
}
