import { VENUE_C_TRAITS } from '../../../../config/limits/venue-c.ts';
import type { Keccak } from '../../../adapters/wire/keccak.ts';
import type { Address } from '../../../domain/ids.ts';
import type { EvmChain } from '../../../ports/evm.ts';
import type { KeyVault } from '../../../ports/key-vault.ts';
import type { Random } from '../../../ports/random.ts';
import type { VenueTrading } from '../../../ports/venue.ts';
import type { Accounts } from '../accounts.ts';
import type { Allowances } from '../allowances.ts';
import { createEarlierTrades } from './earlier-trades.ts';
import { createOrderDigest } from './digest.ts';
import { createOrderGas } from './gas.ts';
import { createOrderGateway } from './gateway.ts';
import { createOrderRecords } from './records.ts';
import { createOrderSocket, type OrderSocketParts } from './socket.ts';
import { venueCRules } from './rules.ts';
import { createOrderSigner } from './sign.ts';
import { createSettlementReader } from './settlements.ts';

/** Makes the mechanism of markets that are traded by signed orders. */
export function createOrderBook(
  parts: Omit<OrderSocketParts, 'accounts'> & {
    readonly accounts: OrderSocketParts['accounts'] & Pick<Accounts, 'gas'>;
    readonly vault: Pick<KeyVault, 'addressOf' | 'signDigest'>;
    readonly keccak: Keccak;
    readonly random: Random;
    readonly evm: Pick<EvmChain, 'chainId' | 'head' | 'logs' | 'receipt'>;
    readonly conditionalTokens: Address;
    readonly allowances: Allowances;
  },
): VenueTrading {
  const digestOf = createOrderDigest(parts.keccak, parts.evm.chainId);
  return {
    traits: VENUE_C_TRAITS,
    rules: venueCRules,
    signer: createOrderSigner({ ...parts, digestOf }),
    gateway: createOrderGateway({
      ...parts,
      earlier: createEarlierTrades(parts.clock, createSettlementReader({ ...parts, digestOf })),
      watch: createOrderSocket(parts),
    }),
    gas: createOrderGas(parts),
    records: createOrderRecords(parts),
  };
}
