import { SAFE_CASH } from '../../domain/cash.ts';
import type { Address } from '../../domain/ids.ts';
import type { Market } from '../../domain/market.ts';
import type { EvmChain } from '../../ports/evm.ts';
import { callsBody, payoutQuestion, redeemCall, uintOf } from '../wallets/contract-calls.ts';
import { safeAccount, type MoneyContracts } from '../wallets/contracts.ts';
import type { Onboarding } from '../wallets/onboarding.ts';
import type { RedeemingAccount } from './redemptions.ts';

/** Creates what redeems in a Safe, through its venue's adapters (venue_a.md section 14.5). */
export function safeRedeeming({
  onboarding,
  chain,
  contracts,
  redeemerOf,
}: {
  readonly onboarding: Pick<Onboarding, 'safeOf' | 'assertReady'>;
  readonly chain: Pick<EvmChain, 'call' | 'shares'>;
  readonly contracts: Pick<MoneyContracts, 'collateral' | 'conditionalTokens'>;
  /** The contract that redeems shares of a market. Errors: `venue_unavailable` (retryable). */
  readonly redeemerOf: (market: Market) => Address;
}): RedeemingAccount {
  const { conditionalTokens, collateral } = contracts;
  return {
    cashAccount: SAFE_CASH,
    async assertReady(userId) {
      onboarding.assertReady(userId);
    },
    isDecided: async ({ marketId }) =>
      uintOf(await chain.call(conditionalTokens, payoutQuestion(marketId))) > 0n,
    held: async (userId, tokenIds) =>
      (await chain.shares(onboarding.safeOf(userId), conditionalTokens, tokenIds)).map(Number),
    draft: async (userId, market) => ({
      account: safeAccount(onboarding.safeOf(userId)),
      purpose: { owner: 'safe', kind: 'redeem', data: { marketId: market.marketId } },
      body: callsBody([redeemCall(redeemerOf(market), collateral, market.marketId)]),
    }),
  };
}
