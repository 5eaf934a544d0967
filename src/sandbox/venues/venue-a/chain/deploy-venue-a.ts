import {
  concatHex,
  encodeAbiParameters,
  encodeFunctionData,
  padHex,
  parseAbiParameters,
  stringToHex,
} from 'viem';
import type { Hex } from 'viem';
import { LOCAL_CHAIN } from '../../../../../config/limits/sandbox.ts';
import { BASE_CHAIN, VENUE_A_CHAIN } from './chain-addresses.ts';
import { TOKEN_ABI } from './contract-abis.ts';
import collateralAdapter from '../contracts/CollateralAdapter.json' with { type: 'json' };
import collateralOfframp from '../contracts/CollateralOfframp.json' with { type: 'json' };
import collateralOnramp from '../contracts/CollateralOnramp.json' with { type: 'json' };
import orderExchange from '../contracts/OrderExchange.json' with { type: 'json' };
import sandboxCollateral from '../contracts/SandboxCollateral.json' with { type: 'json' };
import sandboxToken from '../contracts/SandboxToken.json' with { type: 'json' };
import { deployCommon, type SafeSet } from '../../../chains/evm/deploy-common.ts';
import type { EvmNode } from '../../../chains/evm/evm-node.ts';
import { EXCHANGE_DOMAIN } from './exchange-orders.ts';
import { openLocalChain, type LocalChain } from '../../../chains/evm/local-chain.ts';
import { conditionalTokensCode, SAFE_SET, safeArtifact } from '../../../chains/evm/package-code.ts';
import { placeContract } from '../../../chains/evm/place-code.ts';
import { VENUE_CONTRACTS } from './venue-contracts.ts';

/** A local chain with everything on it. */
export interface DeployedChain extends LocalChain {
  readonly safes: SafeSet;
}

/**
 * Makes a node the venue's chain: Safes, dollars, collateral, conditional tokens and the venue's own contracts, at their production
 * addresses. What is there already stays, so it may run again on a chain that was restored.
 * Errors: `chain_unavailable`, `chain_reverted`.
 */
export async function deployVenueA(node: EvmNode, seed: number): Promise<DeployedChain> {
  const { collateral, usdc, bridgedUsdc, conditionalTokens, onramp, offramp } = VENUE_A_CHAIN;
  const chain = await openLocalChain(node, seed);
  const safes = await deployCommon(chain);
  const deployer = chain.sender('deployer');
  const place = (address: Hex, code: string, parameters: Hex = '0x') =>
    placeContract(node, deployer, { address, initCode: concatHex([code as Hex, parameters]) }); // artifacts hold hex
  await place(usdc, sandboxToken.bytecode, tokenParameters('USD Coin', 'USDC', deployer.address));
  await place(
    bridgedUsdc,
    sandboxToken.bytecode,
    tokenParameters('USD Coin (PoS)', 'USDC.e', deployer.address),
  );
  await place(
    collateral,
    sandboxCollateral.bytecode,
    addresses([deployer.address, usdc, bridgedUsdc, onramp, offramp]),
  );
  await place(onramp, collateralOnramp.bytecode, addresses([collateral]));
  await place(offramp, collateralOfframp.bytecode, addresses([collateral]));
  await place(conditionalTokens, conditionalTokensCode());
  await place(
    VENUE_A_CHAIN.collateralAdapter,
    collateralAdapter.bytecode,
    addresses([collateral, conditionalTokens]),
  );
  await place(
    VENUE_A_CHAIN.negRiskCollateralAdapter,
    collateralAdapter.bytecode,
    addresses([collateral, conditionalTokens]),
  );
  const terms = exchangeParameters(chain);
  await place(VENUE_A_CHAIN.exchange, orderExchange.bytecode, terms);
  await place(VENUE_A_CHAIN.negRiskExchange, orderExchange.bytecode, terms);
  await place(VENUE_A_CHAIN.multiSend, safeArtifact(SAFE_SET.multiSend.artifact).bytecode);
  await layUpReserve(chain);
  await node.checkpoint();
  return { ...chain, safes };
}

/** Lays up the dollars that back whatever collateral the sandbox's own accounts make. */
async function layUpReserve({ node, sender }: LocalChain): Promise<void> {
  const { usdc, collateral } = VENUE_A_CHAIN;
  const held = await node.client.readContract({
    address: usdc,
    abi: TOKEN_ABI,
    functionName: 'balanceOf',
    args: [collateral],
  });
  if (held >= LOCAL_CHAIN.collateralReserveMicros) return;
  await sender('deployer').send({
    to: usdc,
    data: encodeFunctionData({
      abi: TOKEN_ABI,
      functionName: 'mint',
      args: [collateral, LOCAL_CHAIN.collateralReserveMicros],
    }),
  });
}

/** Makes a node the layer-2 that dollars come from: Safes, Multicall3 and the dollar. As repeatable as `deployVenueA`. */
export async function deployBase(node: EvmNode, seed: number): Promise<DeployedChain> {
  const chain = await openLocalChain(node, seed);
  const safes = await deployCommon(chain);
  const deployer = chain.sender('deployer');
  const initCode = concatHex([
    sandboxToken.bytecode as Hex,
    tokenParameters('USD Coin', 'USDC', deployer.address),
  ]); // artifacts hold hex
  await placeContract(node, deployer, { address: BASE_CHAIN.usdc, initCode });
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

function exchangeParameters({ sender }: LocalChain): Hex {
  const { collateral, conditionalTokens } = VENUE_A_CHAIN;
  const types = parseAbiParameters(
    'string, string, address, address, (address, address, address, address, bytes32)',
  );
  const terms = [
    sender('deployer').address,
    sender('operator').address,
    sender('fees').address,
    VENUE_CONTRACTS.safeFactory,
    VENUE_CONTRACTS.safeInitCodeHash,
  ] as const;
  return encodeAbiParameters(types, [
    EXCHANGE_DOMAIN.name,
    EXCHANGE_DOMAIN.version,
    collateral,
    conditionalTokens,
    terms,
  ]);
}

function addresses(list: readonly Hex[]): Hex {
  return concatHex(list.map((address) => padHex(address, { size: 32 })));
}
