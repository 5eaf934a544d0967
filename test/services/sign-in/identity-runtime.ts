import type { ShareSecret } from '../../../src/ports/shared-secret.ts';
import { ONLY_SHARD, type UserDirectory } from '../../../src/ports/user-directory.ts';
import {
  createVirtualClock,
  type VirtualClock,
} from '../../../src/adapters/clock/virtual-clock.ts';
import { openSignInSecrets } from '../../../src/adapters/identity/sign-in-secrets.ts';
import { createOwnCodes } from '../../../src/adapters/identity/own-codes.ts';
import { openKeyVault } from '../../../src/adapters/keys/key-vault.ts';
import { createLocalEncryptor } from '../../../src/adapters/keys/local-encryptor.ts';
import { createMemoryStore, type MemoryStore } from '../../../src/adapters/memory/memory-store.ts';
import { createSeededRandom } from '../../../src/adapters/random/seeded-random.ts';
import { createWalletAddresses } from '../../../src/adapters/safe-relayer/derive.ts';
import { loadKeccak } from '../../../src/adapters/wire/keccak.ts';
import { POLYGON_CHAIN } from '../../../config/profiles/profile.ts';
import type { JournalEntry } from '../../../src/domain/events.ts';
import { usdcMicros } from '../../../src/domain/units.ts';
import type { UserId } from '../../../src/domain/ids.ts';
import type { Store } from '../../../src/ports/store.ts';
import type { Deposit } from '../../../src/ports/venue.ts';
import { createAccounts, type AccountsDeps } from '../../../src/services/sign-in/accounts.ts';
import type { PhoneVerifier } from '../../../src/ports/phone-verifier.ts';
import { createApiKeys } from '../../../src/services/api-keys/api-keys.ts';
import { createCommit } from '../../../src/services/commit.ts';
import { createFederatedIdentity } from '../../../src/services/sign-in/federated-identity.ts';
import { createKeyExport } from '../../../src/services/keys/key-export.ts';
import { createCodes } from '../../../src/services/sign-in/codes.ts';
import { createSessions } from '../../../src/services/sign-in/sessions.ts';
import {
  createModelGoogle,
  createModelSocial,
  type ModelGoogle,
} from '../../support/fakes/model-identity-providers.ts';
import { VENUE_A } from '../../support/venue-ids.ts';

export const START_MS = 1_800_000_000_000;

/** A venue and a faucet that remember what they were asked, and fail as often as is set. */
export function venueModel() {
  const state = {
    opened: [] as UserId[],
    granted: [] as UserId[],
    synced: [] as UserId[],
    deposits: [] as Deposit[],
    failures: { open: 0, grant: 0, grantAnswer: 0, sync: 0 },
  };
  const failing = (what: keyof typeof state.failures): void => {
    if (state.failures[what] === 0) return;
    state.failures[what] -= 1;
    throw new Error(`${what} failed`);
  };
  return {
    state,
    venue: {
      open: async (userId: UserId) => {
        failing('open');
        state.opened.push(userId);
      },
      deposits: async () => state.deposits,
      collateral: async () => usdcMicros(0),
    },
    faucet: {
      grant: async (userId: UserId) => {
        failing('grant');
        state.granted.push(userId);
        state.deposits.push({
          depositId: `d${state.granted.length}`,
          usdc: usdcMicros(1_000_000),
          atMs: START_MS,
        });
        failing('grantAnswer');
      },
    },
    syncDeposits: async (userId: UserId) => {
      failing('sync');
      state.synced.push(userId);
    },
  };
}

const NO_METRICS = {
  count: () => {},
  gauge: () => {},
  observe: () => {},
  startTimer: () => () => {},
  beforeRead: () => {},
};

/**
 * Sessions and accounts over a memory store; `store` and `world` can be those of an earlier
 * service, as after a crash.
 */
export async function openRuntime<S extends Store = MemoryStore>(
  options: {
    readonly store?: S;
    readonly world?: ReturnType<typeof venueModel>;
    readonly seed?: number;
    readonly nowMs?: number;
    readonly google?: ModelGoogle;
    readonly clock?: VirtualClock;
    readonly phones?: PhoneVerifier;
    readonly masterKey?: number;
    readonly rule?: typeof POLYGON_CHAIN.wallets;
    readonly directory?: UserDirectory;
    readonly share?: ShareSecret;
    /** Venues beside the world's. */
    readonly others?: AccountsDeps['venues'];
  } = {},
) {
  // Without a store given, S is the memory store's own type.
  const store = options.store ?? (createMemoryStore() as Store as S);
  const world = options.world ?? venueModel();
  const clock = options.clock ?? createVirtualClock(options.nowMs ?? START_MS);
  const random = createSeededRandom(options.seed ?? 1);
  const keccak = await loadKeccak();
  const shared = options.share === undefined ? {} : { share: options.share };
  const vault = await openKeyVault({
    ...shared,
    store,
    encryptor: createLocalEncryptor(new Uint8Array(32).fill(options.masterKey ?? 9), random),
    random,
    keccak,
  });
  const { safeOf } = createWalletAddresses(keccak, options.rule ?? POLYGON_CHAIN.wallets);
  const google = options.google ?? createModelGoogle();
  const entries: JournalEntry[] = [];
  const log: string[] = [];
  const logger = {
    debug: () => {},
    info: () => {},
    warn: (_fields: unknown, event: string) => void log.push(event),
    error: (_fields: unknown, event: string) => void log.push(event),
  };
  const commit = createCommit({
    store,
    bus: { publish: (all) => void entries.push(...all), subscribe: () => () => {} },
    metrics: NO_METRICS,
  });
  const { tokens, digests } = await openSignInSecrets({
    store,
    vault,
    random,
    clock,
    log: logger,
    issuer: 'predictd',
    audience: 'api',
    ...shared,
  });
  const directory = options.directory ?? ONLY_SHARD;
  const sent: { phone: string; code: string }[] = [];
  const phones =
    options.phones ??
    createOwnCodes({
      random,
      clock,
      digests,
      deliver: async (phone, code) => void sent.push({ phone, code }),
    });
  const accounts = createAccounts({
    store,
    commit,
    clock,
    random,
    digests,
    directory,
    vault,
    safeOf,
    venues: [
      { id: VENUE_A, accounts: world.venue, faucet: world.faucet },
      ...(options.others ?? []),
    ],
    grantUsdc: usdcMicros(1_000_000),
    syncDeposits: world.syncDeposits,
    log: logger,
  });
  const codesDeps = {
    store,
    commit,
    clock,
    random,
    directory,
    vault,
    digests,
    metrics: NO_METRICS,
    countries: new Set(['US', 'GB', 'DE']),
    phones,
  };
  const sessions = createSessions({ ...codesDeps, tokens, accounts, log: logger });
  const codes = createCodes(codesDeps);
  const keyExport = createKeyExport({
    store,
    commit,
    clock,
    digests,
    vault,
    codes,
  });
  const social = createModelSocial(() => clock.nowMs());
  const federatedIdentity = createFederatedIdentity({
    store,
    commit,
    clock,
    random,
    directory,
    vault,
    digests,
    sessions,
    google,
    social,
  });
  const apiKeys = createApiKeys({
    store,
    commit,
    clock,
    random,
    directory,
    digests,
    tokens,
  });
  return {
    directory,
    logger,
    keyExport,
    codes,
    federatedIdentity,
    google,
    social,
    digests,
    tokens,
    commit,
    random,
    apiKeys,
    store,
    world,
    clock,
    vault,
    entries,
    log,
    sent,
    accounts,
    sessions,
  };
}
