import type { Endpoints, Profile } from '../../config/profiles/profile.ts';
import { createLocalEncryptor } from '../adapters/keys/local-encryptor.ts';
import { openKeyVault } from '../adapters/keys/key-vault.ts';
import { createMemoryStore } from '../adapters/memory/memory-store.ts';
import type { PromMetrics } from '../adapters/metrics/prom-metrics.ts';
import { createSystemRandom } from '../adapters/random/system-random.ts';
import { createWalletAddresses } from '../adapters/safe-relayer/derive.ts';
import type { Safes } from '../adapters/safe-relayer/safe-transaction.ts';
import { createSafes } from '../adapters/safe-relayer/safes.ts';
import { loadKeccak } from '../adapters/wire/keccak.ts';
import { asId, type Address } from '../domain/ids.ts';
import type { Clock } from '../ports/clock.ts';
import type { Log } from '../ports/log.ts';
import type { Metrics } from '../ports/metrics.ts';
import { countedStore } from './counted-store.ts';
import { openExternalServices, type ExternalServices } from './external-services.ts';
import { lateTransactions } from './late-transactions.ts';
import { observedLog } from './observed-log.ts';

/** Everything outside behind its ports, for reading. */
export interface Outside {
  readonly profile: Profile;
  readonly endpoints: Endpoints;
  readonly external: Pick<
    ExternalServices,
    | 'venues'
    | 'closedVenues'
    | 'views'
    | 'chains'
    | 'exchange'
    | 'oracle'
    | 'inference'
    | 'assessor'
    | 'bridge'
    | 'tokens'
  >;
  /** Asked about transactions alone: nothing is submitted, and no builder's key is shown. */
  readonly relayer: Pick<Safes, 'lookup'>;
  /** Market time: that of the running sandbox, else the wall's. */
  readonly clock: Clock;
  readonly wallClock: Clock;
  readonly metrics: Metrics;
  close(): Promise<void>;
}

/**
 * Opens the daemon's own clients on a store of their own in memory, with keys of no user and
 * without the lease, so that nothing can be sent that cannot be unsent. Errors: those of a venue's
 * `open`.
 */
export async function openOutside(
  parts: Pick<Outside, 'profile' | 'endpoints' | 'clock' | 'wallClock'> & {
    readonly metrics: PromMetrics;
    readonly log: Log;
  },
): Promise<Outside> {
  const { metrics } = parts;
  const store = countedStore(createMemoryStore(), metrics);
  const random = createSystemRandom();
  const keccak = await loadKeccak();
  const encryptor = createLocalEncryptor(random.bytes(32), random);
  const vault = await openKeyVault({ store, encryptor, random, keccak });
  const wallets = createWalletAddresses(keccak, parts.profile.chain.wallets);
  const external = await openExternalServices({
    ...parts,
    store,
    random,
    keccak,
    vault,
    wallets,
    log: observedLog(parts.log),
    lease: { isHeld: () => false },
    transactions: lateTransactions(),
  });
  const { chain, money, safeServices } = parts.profile;
  const relayer = createSafes({
    relayerUrl: safeServices(parts.endpoints).relayer,
    contracts: {
      chainId: chain.chainId,
      factory: asId<Address>(chain.wallets.safe.factory),
      multisend: asId<Address>(money.multisend),
    },
    builder: null,
    chain: external.chains.evm.POLYGON,
    vault,
    clock: parts.wallClock,
    metrics,
    addressOf: wallets.safeOf,
  });
  return {
    ...parts,
    external,
    relayer,
    async close() {
      await Promise.all([external.close(), relayer.close()]);
    },
  };
}
