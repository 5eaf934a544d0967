import { createVirtualClock } from '../../../src/adapters/clock/virtual-clock.ts';
import type { UserId } from '../../../src/domain/ids.ts';
import type { Store } from '../../../src/ports/store.ts';
import { KEY_EXPORTS } from '../../../src/services/keys/key-export.ts';
import { API_KEY_RECORDS } from '../../../src/services/api-keys/tables.ts';
import {
  REFRESH_TOKEN_FAMILIES,
  USER_IDENTITIES,
  USER_PHONES,
  USERS,
} from '../../../src/services/sign-in/tables.ts';
import { openRuntime, START_MS, venueModel } from '../../services/sign-in/identity-runtime.ts';
import { createModelGoogle } from '../../support/fakes/model-identity-providers.ts';
import type { Stage } from './scenario.ts';

/** Sign-in, accounts and keys, in one of their lives. */
export type PeopleLife = Awaited<ReturnType<typeof openRuntime<Store>>>;

/**
 * The venue that opens accounts, the other identity providers, and what people hold in their hands.
 */
export interface PeopleStage extends Stage<PeopleLife> {
  /** Who a person turned out to be, each time they signed in. */
  readonly seen: UserId[];
  /** What a person has noted, by name. */
  readonly notes: Map<string, string>;
}

/**
 * Opens a stage without users. Its work is the machine's own cryptography, so its
 * time is not the clock's.
 */
export async function openPeopleStage(): Promise<PeopleStage> {
  const [clock, world, google] = [createVirtualClock(START_MS), venueModel(), createModelGoogle()];
  const seen: UserId[] = [];
  return {
    clock,
    seen,
    notes: new Map(),
    pace: 'hands',
    begin: (store, number, { death }) =>
      openRuntime({ store, clock, google, world: reachableUntil(death, world), seed: number }),
    start: ({ accounts }) => accounts.recover(),
    bury: ({ accounts }) => accounts.stop(),
    world: () => ({
      opened: world.state.opened.length,
      granted: world.state.granted.length,
      deposits: world.state.deposits.length,
    }),
    end: (store, { accounts, vault }) => ({
      isOne: new Set(seen).size <= 1,
      users: store.range(USERS).map(({ value: { userId } }) => {
        const { account, username, phoneMasked, identities } = accounts.profile(userId);
        return { account, username, phoneMasked, identities, hasKey: vault.has(userId) };
      }),
      ways: [...store.range(USER_PHONES), ...store.range(USER_IDENTITIES)].length,
      sessionsOpen: store
        .range(REFRESH_TOKEN_FAMILIES)
        .some(({ value }) => value.revokedAtMs === null),
      apiKeys: store.range(API_KEY_RECORDS).map(({ value: { name, scopes, revokedAtMs } }) => ({
        name,
        scopes,
        isRevoked: revokedAtMs !== null,
      })),
      exports: store.range(KEY_EXPORTS).map(({ value }) => value.atMs.length > 0),
      granted: world.state.granted.length,
    }),
    broken: (store) =>
      new Set(seen).size > 1 || store.range(USERS).length > 1
        ? ['one person became several users']
        : [],
    close: () => undefined,
  };
}

/** A world that a dead process no longer reaches. */
function reachableUntil(
  death: AbortSignal,
  world: ReturnType<typeof venueModel>,
): ReturnType<typeof venueModel> {
  const guard =
    <Args extends readonly unknown[], T>(call: (...args: Args) => Promise<T>) =>
    (...args: Args): Promise<T> =>
      death.aborted ? new Promise<T>(() => undefined) : call(...args);
  const { state, venue, faucet, syncDeposits } = world;
  return {
    state,
    venue: {
      open: guard(venue.open),
      deposits: guard(venue.deposits),
      collateral: guard(venue.collateral),
    },
    faucet: { grant: guard(faucet.grant) },
    syncDeposits: guard(syncDeposits),
  };
}
