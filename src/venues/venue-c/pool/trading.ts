import { VENUE_C_POOL_TRAITS } from '../../../../config/limits/venue-c.ts';
import type { VenueTrading } from '../../../ports/venue.ts';
import { createPoolGas, type PoolGasParts } from './gas.ts';
import { createPoolGateway, type PoolGatewayParts } from './gateway.ts';
import { poolRules } from './rules.ts';
import { createPoolSigner, type PoolSignerParts } from './sign.ts';

/** Makes trading with pools: the venue's second mechanism. */
export function createPoolTrading(
  parts: PoolSignerParts & Omit<PoolGatewayParts, 'evm'> & PoolGasParts,
): VenueTrading {
  return {
    traits: VENUE_C_POOL_TRAITS,
    rules: poolRules,
    signer: createPoolSigner(parts),
    gateway: createPoolGateway({ ...parts, evm: parts.chain.evm }),
    gas: createPoolGas(parts),
  };
}
