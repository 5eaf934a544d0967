import {
  concatHex,
  encodeAbiParameters,
  encodeFunctionData,
  getContractAddress,
  keccak256,
  parseAbiParameters,
  zeroHash,
  type Hex,
} from 'viem';
import { poolFactoryCode, singletonFactory } from '../../../chains/evm/package-code.ts';
import { VENUE_C_CHAIN } from '../chain-addresses.ts';
import { POOL_FACTORY_ABI } from './pool-abi.ts';

/** Fee of every pool, 10^-18 of the dollars of a trade: 2 %, as the venue's (venue_c.md 18). */
export const POOL_FEE_E18 = 20_000_000_000_000_000n;

/** Where the factory of pools comes to be, and what puts it there. */
export function poolFactory(): { readonly address: Hex; readonly to: Hex; readonly data: Hex } {
  const code = poolFactoryCode();
  const { address: to } = singletonFactory(VENUE_C_CHAIN.chainId);
  const address = getContractAddress({
    opcode: 'CREATE2',
    from: to,
    salt: zeroHash,
    bytecodeHash: keccak256(code),
  });
  return { address, to, data: concatHex([zeroHash, code]) };
}

/**
 * The address of the pool that `creator` makes of a condition, before it is there and after: the
 * factory's clone of its master (Create2CloneFactory.sol of the package), whose parameters are part
 * of its creation code.
 */
export function poolAddress(factory: Hex, creator: Hex, conditionId: Hex): Hex {
  const { conditionalTokens, usdc } = VENUE_C_CHAIN;
  const master = getContractAddress({ opcode: 'CREATE', from: factory, nonce: 1n });
  const parameters = encodeAbiParameters(
    parseAbiParameters('address, address, bytes32[], uint256'),
    [conditionalTokens, usdc, [conditionId], POOL_FEE_E18],
  );
  const code = concatHex([
    '0x3d3d606380380380913d393d73',
    factory,
    '0x5af4602a57600080fd5b602d8060366000396000f3363d3d373d3d3d363d73',
    master,
    '0x5af43d82803e903d91602b57fd5bf3',
    encodeFunctionData({
      abi: POOL_FACTORY_ABI,
      functionName: 'cloneConstructor',
      args: [parameters],
    }),
  ]);
  return getContractAddress({
    opcode: 'CREATE2',
    from: factory,
    salt: keccak256(encodeAbiParameters(parseAbiParameters('address, uint256'), [creator, 0n])),
    bytecodeHash: keccak256(code),
  });
}
