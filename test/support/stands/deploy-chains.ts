import {
  deployChain,
  type DeployedChain,
  type EvmChainName,
} from '../../../src/sandbox/chains/evm/deploy-chain.ts';
import type { EvmNode } from '../../../src/sandbox/chains/evm/evm-node.ts';
import { SANDBOX_VENUES } from '../../../src/sandbox/venues/table.ts';

/** Makes a node one of the sandbox's chains, with all that its venues have there. */
export function deploy(name: EvmChainName, node: EvmNode): Promise<DeployedChain> {
  const contracts = Object.values(SANDBOX_VENUES).flatMap((row) => row.contracts[name] ?? []);
  return deployChain(node, 7, { name, contracts });
}
