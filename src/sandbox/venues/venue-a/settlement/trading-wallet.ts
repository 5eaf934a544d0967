import { encodeFunctionData, maxUint256, type Hex } from 'viem';
import { LOCAL_CHAIN } from '../../../../../config/limits/sandbox-chains.ts';
import { AppError } from '../../../../domain/errors.ts';
import { VENUE_A_CHAIN, VENUE_CONTRACTS } from '../chain/chain-addresses.ts';
import { CONDITIONAL_TOKENS_ABI, TOKEN_ABI } from '../../../chains/evm/contract-abis.ts';
import type { DeployedChain } from '../../../chains/evm/deploy-chain.ts';
import { receiptFor } from '../../../chains/evm/evm-sender.ts';
import { setNativeBalance } from '../../../chains/evm/local-chain.ts';

/** Who takes what a wallet spends: the exchanges, and the adapter of neg-risk markets. */
const SPENDERS: readonly Hex[] = [
  VENUE_CONTRACTS.exchange,
  VENUE_CONTRACTS.negRiskExchange,
  VENUE_CONTRACTS.negRiskAdapter,
];

/**
 * Gives a wallet native coins and every allowance that orders need, as one that has traded before.
 * Its key is not needed: a local node sends in anybody's name. Errors: `chain_reverted`, or the
 * node's own.
 */
export async function makeTradable({ node }: DeployedChain, wallet: Hex): Promise<void> {
  const { client } = node;
  await setNativeBalance(node, wallet, LOCAL_CHAIN.walletWei);
  await client.impersonateAccount({ address: wallet });
  try {
    for (const call of allowanceCalls()) {
      const hash = await client.sendUnsignedTransaction({ from: wallet, ...call });
      const { status } = await receiptFor(client, hash);
      if (status === 'reverted')
        throw new AppError('chain_reverted', `an allowance of ${wallet} was not given`);
    }
  } finally {
    await client.stopImpersonatingAccount({ address: wallet });
  }
}

function allowanceCalls(): readonly { readonly to: Hex; readonly data: Hex }[] {
  return SPENDERS.flatMap((spender) => [
    {
      to: VENUE_A_CHAIN.collateral,
      data: encodeFunctionData({
        abi: TOKEN_ABI,
        functionName: 'approve',
        args: [spender, maxUint256],
      }),
    },
    {
      to: VENUE_A_CHAIN.conditionalTokens,
      data: encodeFunctionData({
        abi: CONDITIONAL_TOKENS_ABI,
        functionName: 'setApprovalForAll',
        args: [spender, true],
      }),
    },
  ]);
}
