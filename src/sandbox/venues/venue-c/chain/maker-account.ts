import { encodeFunctionData, maxUint256, type Hex } from 'viem';
import { CHAIN_VENUE, LOCAL_CHAIN } from '../../../../../config/limits/sandbox-chains.ts';
import { chainAccount } from '../../../chains/evm/chain-keys.ts';
import { CONDITIONAL_TOKENS_ABI, TOKEN_ABI } from '../../../chains/evm/contract-abis.ts';
import { createEvmSender } from '../../../chains/evm/evm-sender.ts';
import { setNativeBalance, type LocalChain } from '../../../chains/evm/local-chain.ts';
import { VENUE_C_CHAIN } from '../chain-addresses.ts';

/** The market maker's account of a sandbox. */
export function makerAccount(seed: number) {
  return chainAccount(seed, 'maker:pools');
}

/**
 * Gives the market maker's account coins, dollars and the exchanges' allowances; what is there
 * stays. It only ever buys, so it needs no shares. Errors: `chain_unavailable`, `chain_reverted`.
 */
export async function equipMaker(chain: LocalChain): Promise<void> {
  const { usdc, exchange, groupExchange } = VENUE_C_CHAIN;
  for (const each of [exchange, groupExchange]) await equipFor(chain, usdc, each);
}

async function equipFor(chain: LocalChain, usdc: Hex, exchange: Hex): Promise<void> {
  const { client } = chain.node;
  const account = makerAccount(chain.seed);
  const allowed = await client.readContract({
    address: usdc,
    abi: TOKEN_ABI,
    functionName: 'allowance',
    args: [account.address, exchange],
  });
  if (allowed > maxUint256 / 2n) return;
  await setNativeBalance(chain.node, account.address, LOCAL_CHAIN.accountWei);
  await chain.sender('deployer').send({
    to: usdc,
    data: encodeFunctionData({
      abi: TOKEN_ABI,
      functionName: 'mint',
      args: [account.address, CHAIN_VENUE.makerMicros],
    }),
  });
  const sender = createEvmSender(client, account);
  await sender.send({
    to: VENUE_C_CHAIN.conditionalTokens,
    data: encodeFunctionData({
      abi: CONDITIONAL_TOKENS_ABI,
      functionName: 'setApprovalForAll',
      args: [exchange, true],
    }),
  });
  await sender.send({
    to: usdc,
    data: encodeFunctionData({
      abi: TOKEN_ABI,
      functionName: 'approve',
      args: [exchange, maxUint256],
    }),
  });
}

/** Dollars and coins out of nothing, for a wallet of a caller's. Errors: `chain_unavailable`. */
export async function endow(
  chain: LocalChain,
  { to, micros, wei }: { readonly to: Hex; readonly micros: bigint; readonly wei: bigint },
): Promise<void> {
  if (wei > 0n) {
    const has = await chain.node.client.getBalance({ address: to });
    await setNativeBalance(chain.node, to, has + wei);
  }
  if (micros > 0n)
    await chain.sender('deployer').send({
      to: VENUE_C_CHAIN.usdc,
      data: encodeFunctionData({ abi: TOKEN_ABI, functionName: 'mint', args: [to, micros] }),
    });
}
