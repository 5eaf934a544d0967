import { VENUE_C_POOL_TRAITS } from '../../../../config/limits/venue-c.ts';
import type { Address, UserId } from '../../../domain/ids.ts';
import type { EvmClients } from '../../../ports/chain-clients.ts';
import type { Clock } from '../../../ports/clock.ts';
import type { KeyVault } from '../../../ports/key-vault.ts';
import type { Random } from '../../../ports/random.ts';
import type { VenueTrading } from '../../../ports/venue.ts';
import type { TransactionQueue } from '../../../services/transactions/transactions.ts';
import type { PoolMoney } from './contract.ts';
import { createPoolGas } from './gas.ts';
import { createPoolGateway } from './gateway.ts';
import type { KnownPools } from './known-pools.ts';
import { poolRules } from './rules.ts';
import { createPoolSigner } from './sign.ts';

/** Makes trading with pools: the venue's second mechanism. */
export function createPoolTrading(parts: {
  readonly vault: Pick<KeyVault, 'has' | 'load' | 'addressOf'>;
  readonly walletOf: (userId: UserId) => Promise<Address>;
  readonly random: Random;
  readonly chain: Pick<EvmClients, 'evm' | 'accounts'>;
  readonly money: PoolMoney;
  readonly pools: KnownPools;
  readonly transactions: TransactionQueue;
  /** Market time. */
  readonly clock: Clock;
  /** Of the chain. */
  readonly wallClock: Clock;
}): VenueTrading {
  return {
    traits: VENUE_C_POOL_TRAITS,
    rules: poolRules,
    signer: createPoolSigner(parts),
    gateway: createPoolGateway({ ...parts, evm: parts.chain.evm }),
    gas: createPoolGas(parts),
  };
}
