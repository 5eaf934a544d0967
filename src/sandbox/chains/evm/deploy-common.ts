import {
  concatHex,
  getContractAddress,
  isAddressEqual,
  keccak256,
  parseTransaction,
  zeroHash,
} from 'viem';
import type { Hex } from 'viem';
import { assert } from '../../../domain/errors.ts';
import { MULTICALL3 } from '../../venues/venue-a/chain/chain-addresses.ts';
import { receiptOf } from './evm-sender.ts';
import { setNativeBalance, type LocalChain } from './local-chain.ts';
import {
  multicallCode,
  SAFE_SET,
  safeArtifact,
  safeProductionAddress,
  singletonFactory,
} from './package-code.ts';
import { hasCode } from './place-code.ts';

/** Addresses of the Safe's contracts, version 1.4.1. */
export type SafeSet = Readonly<Record<keyof typeof SAFE_SET, Hex>>;

/**
 * Puts what every chain has on a local one: the shared factory, the Safe's contracts through it, Multicall3. What is there
 * already is left alone, so a chain that was restored, or whose deployment was cut short, is completed.
 */
export async function deployCommon(chain: LocalChain): Promise<SafeSet> {
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

async function deployMulticall({ node }: LocalChain): Promise<void> {
  if (await hasCode(node, MULTICALL3)) return;
  const { data } = await node.client.call({ data: multicallCode() });
  assert(data !== undefined, 'Multicall3 gave no code');
  await node.client.setCode({ address: MULTICALL3, bytecode: data });
}
