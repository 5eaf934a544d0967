import { AppError } from '../../domain/errors.ts';
import { asId, type Address, type UserId } from '../../domain/ids.ts';
import type { EvmChain } from '../../ports/evm.ts';
import type { Venue } from '../../ports/venue.ts';
import { payoutQuestion, redeemCall, uintOf } from '../../services/wallets/contract-calls.ts';
import { ownOf } from './own.ts';

export interface RedeemerParts {
  readonly walletOf: (userId: UserId) => Promise<Address>;
  readonly evm: Pick<EvmChain, 'call'>;
  readonly usdc: string;
  readonly conditionalTokens: string;
}

/**
 * Creates what redeems at the conditional tokens' contract, both outcomes at once: of a voided
 * market both are paid (venue_c.md section 11).
 */
export function createRedeemer({
  walletOf,
  evm,
  usdc,
  conditionalTokens,
}: RedeemerParts): NonNullable<Venue['redeemer']> {
  const [token, conditions] = [asId<Address>(usdc), asId<Address>(conditionalTokens)];
  return {
    token,
    walletOf,
    isDecided: async (market) =>
      uintOf(await evm.call(conditions, payoutQuestion(ownOf(market).conditionId))) > 0n,
    call(market) {
      const own = ownOf(market);
      if (own.tradeType === 'clob' && own.adapter !== null)
        throw new AppError(
          'internal',
          `shares of ${market.marketId}, a market of a group, are redeemed at its adapter`,
        );
      return redeemCall(conditions, token, own.conditionId);
    },
  };
}
