import { VENUE_C_TRAITS } from '../../../config/limits/venue-c.ts';
import type { Keccak } from '../../adapters/wire/keccak.ts';
import type { KeyVault } from '../../ports/key-vault.ts';
import type { Random } from '../../ports/random.ts';
import type { VenueTrading } from '../../ports/venue.ts';
import type { Allowances } from './allowances.ts';
import { createEarlierTrades } from './earlier-trades.ts';
import { createOrderGateway } from './order-gateway.ts';
import { createOrderRecords } from './order-records.ts';
import { createOrderSocket, type OrderSocketParts } from './order-socket.ts';
import { venueCRules } from './rules.ts';
import { createOrderSigner } from './sign.ts';

export interface OrderBookParts extends Omit<OrderSocketParts, 'earlier'> {
  readonly vault: Pick<KeyVault, 'addressOf' | 'signDigest'>;
  readonly keccak: Keccak;
  readonly random: Random;
  readonly chainId: number;
  readonly allowances: Allowances;
}

/** Makes the mechanism of markets that are traded by signed orders. */
export function createOrderBook(parts: OrderBookParts): VenueTrading {
  const earlier = createEarlierTrades(parts.clock);
  return {
    traits: VENUE_C_TRAITS,
    rules: venueCRules,
    signer: createOrderSigner(parts),
    gateway: createOrderGateway({
      ...parts,
      earlier,
      watch: createOrderSocket({ ...parts, earlier }),
    }),
    records: createOrderRecords(parts),
  };
}
