import { encodeFunctionData, maxUint256, zeroHash, type Hex, type PrivateKeyAccount } from 'viem';
import { CHAIN_VENUE, LOCAL_CHAIN } from '../../../../../config/limits/sandbox-chains.ts';
import { VENUE_A_CHAIN } from '../chain/chain-addresses.ts';
import { chainAccount } from '../../../chains/evm/chain-keys.ts';
import { CONDITIONAL_TOKENS_ABI, TOKEN_ABI } from '../../../chains/evm/contract-abis.ts';
import { createEvmSender } from '../../../chains/evm/evm-sender.ts';
import { setNativeBalance } from '../../../chains/evm/local-chain.ts';
import type { DeployedChain } from '../../../chains/evm/deploy-chain.ts';

/**
 * The market makers on the chain: one account for all of them, with collateral and shares for what
 * they trade with users.
 */
export interface MarketMaker {
  readonly account: PrivateKeyAccount;
  /**
   * Makes sure the market maker has so many shares of a token, from new sets of its market if it
   * must.
   */
  stock(need: {
    readonly conditionId: Hex;
    readonly tokenId: bigint;
    readonly micros: bigint;
  }): Promise<void>;
}

/**
 * Opens the market maker's account: native coins, collateral, allowances. What is there stays.
 * Errors: `chain_unavailable`, `chain_reverted`.
 */
export async function openMarketMaker(chain: DeployedChain): Promise<MarketMaker> {
  const { node, seed } = chain;
  const { collateral, conditionalTokens, exchange, negRiskExchange } = VENUE_A_CHAIN;
  const account = chainAccount(seed, 'maker:makers');
  const sender = createEvmSender(node.client, account);
  await setNativeBalance(node, account.address, LOCAL_CHAIN.accountWei);
  for (const spender of [exchange, negRiskExchange, conditionalTokens]) {
    const allowed = await node.client.readContract({
      address: collateral,
      abi: TOKEN_ABI,
      functionName: 'allowance',
      args: [account.address, spender],
    });
    if (allowed < maxUint256 / 2n)
      await sender.send({
        to: collateral,
        data: encodeFunctionData({
          abi: TOKEN_ABI,
          functionName: 'approve',
          args: [spender, maxUint256],
        }),
      });
  }
  for (const operator of [exchange, negRiskExchange]) {
    const isAllowed = await node.client.readContract({
      address: conditionalTokens,
      abi: CONDITIONAL_TOKENS_ABI,
      functionName: 'isApprovedForAll',
      args: [account.address, operator],
    });
    if (!isAllowed)
      await sender.send({
        to: conditionalTokens,
        data: encodeFunctionData({
          abi: CONDITIONAL_TOKENS_ABI,
          functionName: 'setApprovalForAll',
          args: [operator, true],
        }),
      });
  }
  await fund(chain, account.address);
  return {
    account,
    async stock({ conditionId, tokenId, micros }) {
      const held = await node.client.readContract({
        address: conditionalTokens,
        abi: CONDITIONAL_TOKENS_ABI,
        functionName: 'balanceOf',
        args: [account.address, tokenId],
      });
      if (held >= micros) return;
      await fund(chain, account.address);
      const missing = micros - held;
      const sets =
        missing > CHAIN_VENUE.setsMinimumMicros ? missing : CHAIN_VENUE.setsMinimumMicros;
      await sender.send({
        to: conditionalTokens,
        data: encodeFunctionData({
          abi: CONDITIONAL_TOKENS_ABI,
          functionName: 'splitPosition',
          args: [collateral, zeroHash, conditionId, [1n, 2n], sets],
        }),
      });
    },
  };
}

async function fund({ node, sender }: DeployedChain, maker: Hex): Promise<void> {
  const { collateral } = VENUE_A_CHAIN;
  const held = await node.client.readContract({
    address: collateral,
    abi: TOKEN_ABI,
    functionName: 'balanceOf',
    args: [maker],
  });
  if (held < CHAIN_VENUE.makerMicros / 2n)
    await sender('deployer').send({
      to: collateral,
      data: encodeFunctionData({
        abi: TOKEN_ABI,
        functionName: 'mint',
        args: [maker, CHAIN_VENUE.makerMicros],
      }),
    });
}
