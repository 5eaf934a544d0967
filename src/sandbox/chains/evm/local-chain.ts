import type { Hex } from 'viem';
import { LOCAL_CHAIN } from '../../../../config/limits/sandbox-chains.ts';
import { chainAccount, type ChainRole } from './chain-keys.ts';
import type { EvmNode } from './evm-node.ts';
import { createEvmSender, type EvmSender } from './evm-sender.ts';

/** A chain and the sandbox's own accounts on it. */
export interface LocalChain {
  readonly node: EvmNode;
  readonly seed: number;
  /**
   * The one queue of a role's account. Minter of every test dollar: `deployer`. The relayer server
   * keeps a queue of its own for `relayer`: no other code sends from it.
   */
  sender(role: ChainRole): EvmSender;
}

const ROLES: readonly ChainRole[] = ['deployer', 'relayer', 'operator', 'bridge', 'oracle', 'fees'];

/** Opens the sandbox's accounts on a chain and gives them native coins. One for each node. */
export async function openLocalChain(node: EvmNode, seed: number): Promise<LocalChain> {
  const senders = new Map<ChainRole, EvmSender>(
    ROLES.map((role) => [role, createEvmSender(node.client, chainAccount(seed, role))]),
  );
  for (const { address } of senders.values())
    await setNativeBalance(node, address, LOCAL_CHAIN.accountWei);
  return {
    node,
    seed,
    sender(role) {
      const sender = senders.get(role);
      if (sender === undefined) throw new RangeError(`no account for ${role}`);
      return sender;
    },
  };
}

/** Sets the native balance of an account: only a local node can. */
export async function setNativeBalance(node: EvmNode, address: Hex, wei: bigint): Promise<void> {
  await node.client.setBalance({ address, value: wei });
}
