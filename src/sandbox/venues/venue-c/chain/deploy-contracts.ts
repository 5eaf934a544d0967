import { concatHex, encodeAbiParameters, parseAbiParameters, type Hex } from 'viem';
import type { LocalChain } from '../../../chains/evm/local-chain.ts';
import { conditionalTokensCode } from '../../../chains/evm/package-code.ts';
import { hasCode, placeContract } from '../../../chains/evm/place-code.ts';
import adapter from '../contracts/GroupAdapter.json' with { type: 'json' };
import bookExchange from '../contracts/BookExchange.json' with { type: 'json' };
import { VENUE_C_CHAIN } from '../chain-addresses.ts';
import { ORDER_DOMAIN } from '../order-type.ts';
import { poolFactory } from './pool-address.ts';

/**
 * Puts the venue on its chain: at production addresses the conditional tokens, the exchanges of its
 * books and the adapter of groups, and the factory of its pools. What is there already stays.
 * Errors: `chain_unavailable`, `chain_reverted`.
 */
export async function deployContracts(chain: LocalChain): Promise<void> {
  const { usdc, conditionalTokens, exchange, groupExchange, groupAdapter } = VENUE_C_CHAIN;
  const deployer = chain.sender('deployer');
  await placeContract(chain.node, deployer, {
    address: conditionalTokens,
    initCode: conditionalTokensCode(),
  });
  for (const address of [exchange, groupExchange])
    await placeContract(chain.node, deployer, {
      address,
      initCode: concatHex([
        bookExchange.bytecode as Hex, // artifacts hold hex
        encodeAbiParameters(
          parseAbiParameters('string, string, address, address, address, address'),
          [
            ORDER_DOMAIN.name,
            ORDER_DOMAIN.version,
            usdc,
            conditionalTokens,
            chain.sender('operator').address,
            chain.sender('fees').address,
          ],
        ),
      ]),
    });
  await placeContract(chain.node, deployer, {
    address: groupAdapter,
    initCode: concatHex([
      adapter.bytecode as Hex, // as above
      encodeAbiParameters(parseAbiParameters('address, address, address'), [
        usdc,
        conditionalTokens,
        chain.sender('oracle').address,
      ]),
    ]),
  });
  const { address, ...creation } = poolFactory();
  if (!(await hasCode(chain.node, address))) await deployer.send(creation);
}
