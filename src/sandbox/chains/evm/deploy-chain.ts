import {
  concatHex,
  encodeAbiParameters,
  getContractAddress,
  isAddressEqual,
  keccak256,
  padHex,
  parseAbiParameters,
  parseTransaction,
  stringToHex,
  zeroHash,
  type Hex,
} from 'viem';
import { assert } from '../../../domain/errors.ts';
import { BASE_CHAIN, MULTICALL3, POLYGON } from './chain-addresses.ts';
import sandboxToken from './contracts/SandboxToken.json' with { type: 'json' };
import type { EvmNode } from './evm-node.ts';
import { receiptOf } from './evm-sender.ts';
import { openLocalChain, setNativeBalance, type LocalChain } from './local-chain.ts';
import {
  multicallCode,
  SAFE_SET,
  safeArtifact,
  safeProductionAddress,
  singletonFactory,
} from './package-code.ts';
import { hasCode, placeContract } from './place-code.ts';

/** Addresses of the Safe's contracts, version 1.4.1. */
type SafeSet = Readonly<Record<keyof typeof SAFE_SET, Hex>>;

/** A local chain with everything on it. */
export interface DeployedChain extends LocalChain {
  readonly safes: SafeSet;
}

/**
 * Puts a venue's own contracts on a local chain; what is there already stays. Errors:
 * `chain_unavailable`, `chain_reverted`.
 */
export type DeployContracts = (chain: LocalChain) => Promise<void>;

/** The local EVM chains, and the dollars on each: address, name, symbol. */
export const EVM_CHAINS = {
  polygon: {
    chainId: POLYGON.chainId,
    dollars: [
      [POLYGON.usdc, 'USD Coin', 'USDC'],
      [POLYGON.bridgedUsdc, 'USD Coin (PoS)', 'USDC.e'],
    ],
  },
  base: { chainId: BASE_CHAIN.chainId, dollars: [[BASE_CHAIN.usdc, 'USD Coin', 'USDC']] },
} as const;

/** Name of a local EVM chain. */
export type EvmChainName = keyof typeof EVM_CHAINS;

/**
 * Makes a node one of the local chains: Safes, Multicall3, dollars, then what the venues have
 * there, all at production addresses. What is there already stays, so it may run again on a chain
 * that was restored. Errors: `chain_unavailable`, `chain_reverted`.
 */
export async function deployChain(
  node: EvmNode,
  seed: number,
  {
    name,
    contracts,
  }: { readonly name: EvmChainName; readonly contracts: readonly DeployContracts[] },
): Promise<DeployedChain> {
  const chain = await openLocalChain(node, seed);
  const safes = await deployCommon(chain);
  const deployer = chain.sender('deployer');
  for (const [address, title, symbol] of EVM_CHAINS[name].dollars) {
    const parameters = tokenParameters(title, symbol, deployer.address);
    const initCode = concatHex([sandboxToken.bytecode as Hex, parameters]); // artifacts hold hex
    await placeContract(node, deployer, { address, initCode });
  }
  for (const deploy of contracts) await deploy(chain);
  await node.checkpoint();
  return { ...chain, safes };
}

function tokenParameters(name: string, symbol: string, minter: Hex): Hex {
  const packed = (text: string) => padHex(stringToHex(text), { dir: 'right', size: 32 });
  return encodeAbiParameters(parseAbiParameters('bytes32, bytes32, address'), [
    packed(name),
    packed(symbol),
    minter,
  ]);
}

/**
 * Puts what every chain has on a local one: the shared factory, the Safe's contracts through it,
 * Multicall3. What is there already is left alone, so a chain that was restored, or whose
 * deployment was cut short, is completed.
 */
async function deployCommon(chain: LocalChain): Promise<SafeSet> {
  const factory = await deployFactory(chain);
  const set: Record<string, Hex> = {};
  for (const [name, { artifact, deployment }] of Object.entries(SAFE_SET)) {
    const { bytecode } = safeArtifact(artifact);
    const address = getContractAddress({
      opcode: 'CREATE2',
      from: factory,
      salt: zeroHash,
      bytecodeHash: keccak256(bytecode),
    });
    assert(
      isAddressEqual(address, safeProductionAddress(deployment)),
      `${name} would land on ${address}, not on its production address`,
    );
    if (!(await hasCode(chain.node, address)))
      await chain.sender('deployer').send({ to: factory, data: concatHex([zeroHash, bytecode]) });
    assert(await hasCode(chain.node, address), `${name} was not deployed`);
    set[name] = address;
  }
  await deployMulticall(chain);
  return set as SafeSet; // one entry for each key of SAFE_SET
}

/** The signer's own signed transaction makes the factory, so it has the same address everywhere. */
async function deployFactory({ node }: LocalChain): Promise<Hex> {
  const { signer, transaction, address } = singletonFactory(node.chainId);
  if (await hasCode(node, address)) return address;
  const { gasPrice = 0n, gas = 0n } = parseTransaction(transaction);
  await setNativeBalance(node, signer, gasPrice * gas + 1n);
  await node.client.setNextBlockBaseFeePerGas({ baseFeePerGas: 0n });
  await node.client.sendRawTransaction({ serializedTransaction: transaction });
  await receiptOf(node.client, transaction);
  assert(await hasCode(node, address), 'the shared factory was not deployed');
  return address;
}

/** Puts Multicall3 at its usual address; what is there stays. Errors: `chain_unavailable`. */
export async function deployMulticall({ node }: LocalChain): Promise<void> {
  if (await hasCode(node, MULTICALL3)) return;
  const { data } = await node.client.call({ data: multicallCode() });
  assert(data !== undefined, 'Multicall3 gave no code');
  await node.client.setCode({ address: MULTICALL3, bytecode: data });
}
