import {
  concatHex,
  encodeAbiParameters,
  encodeFunctionData,
  padHex,
  parseAbiParameters,
  type Hex,
} from 'viem';
import { LOCAL_CHAIN } from '../../../../../config/limits/sandbox-chains.ts';
import { TOKEN_ABI } from '../../../chains/evm/contract-abis.ts';
import type { LocalChain } from '../../../chains/evm/local-chain.ts';
import { conditionalTokensCode, SAFE_SET, safeArtifact } from '../../../chains/evm/package-code.ts';
import { placeContract } from '../../../chains/evm/place-code.ts';
import collateralAdapter from '../contracts/CollateralAdapter.json' with { type: 'json' };
import collateralOfframp from '../contracts/CollateralOfframp.json' with { type: 'json' };
import collateralOnramp from '../contracts/CollateralOnramp.json' with { type: 'json' };
import orderExchange from '../contracts/OrderExchange.json' with { type: 'json' };
import sandboxCollateral from '../contracts/SandboxCollateral.json' with { type: 'json' };
import { VENUE_A_CHAIN, VENUE_CONTRACTS } from './chain-addresses.ts';
import { EXCHANGE_DOMAIN } from './exchange-orders.ts';

/**
 * Puts the venue on its chain, at production addresses: collateral, conditional tokens and its own
 * contracts. What is there already stays. Errors: `chain_unavailable`, `chain_reverted`.
 */
export async function deployContracts(chain: LocalChain): Promise<void> {
  const { collateral, usdc, bridgedUsdc, conditionalTokens, onramp, offramp } = VENUE_A_CHAIN;
  const deployer = chain.sender('deployer');
  const place = (address: Hex, code: string, parameters: Hex = '0x') =>
    placeContract(chain.node, deployer, {
      address,
      initCode: concatHex([code as Hex, parameters]), // artifacts hold hex
    });
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
