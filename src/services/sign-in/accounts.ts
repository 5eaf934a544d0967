import { backOffMs } from '../../domain/back-off.ts';
import { SIGN_IN } from '../../../config/limits.ts';
import { AppError } from '../../domain/errors.ts';
import {
  asId,
  type Address,
  type SolanaAddress,
  type UserId,
  type VenueId,
} from '../../domain/ids.ts';
import type { UsdcMicros } from '../../domain/units.ts';
import type { Runtime } from '../../ports/runtime.ts';
import type { KeyVault, KeysDraft } from '../../ports/key-vault.ts';
import type { StoreWriter } from '../../ports/store.ts';
import type { Faucet, Venue } from '../../ports/venue.ts';
import { audit } from '../audit.ts';
import type { SecretDigests } from '../../ports/identity.ts';
import type { UserDirectory } from '../../ports/user-directory.ts';
import { freshId } from '../fresh-id.ts';
import { claimFor, claimOf, claimsOf, giveUp, knownBy, namedSo, usernameClaim } from './claims.ts';
import { assertHere, ownSlot } from '../placement.ts';
import {
  USERNAMES,
  USERS,
  type KeptIdentity,
  type UserRecord,
  type VenueAccount,
} from './tables.ts';
import { parseUsername, skeletonOf } from './usernames.ts';
import { claimWay, onlyWay, ownerOf, type ProvenPerson } from './login-identities.ts';

/** A user as they see themselves. */
export interface Profile {
  readonly userId: UserId;
  /** Null without one. */
  readonly phoneMasked: string | null;
  /** The other identity providers they sign in at. */
  readonly identities: readonly Pick<KeptIdentity, 'provider' | 'shown'>[];
  readonly username: string | null;
  readonly wallets: Wallets;
  /** `preparing` until the account at a venue is open and, where there is a faucet, filled. */
  readonly account: 'preparing' | 'ready';
  readonly createdAtMs: number;
}

/** The three wallets of a user: two keys of their own, and the Safe that the EVM key owns. */
export interface Wallets {
  readonly evm: Address;
  readonly solana: SolanaAddress;
  readonly safe: Address;
}

/** Id and keys of a user who may be about to exist. */
interface UserDraft {
  readonly userId: UserId;
  readonly keys: KeysDraft;
}

/** Users: made at the first sign-in, named, and given an account at each venue. */
export interface Accounts {
  /**
   * Claims a proven identity, and makes an id and sealed keys for a user who may turn out to exist
   * already. Errors: `not_owner` with the slot of a user of another shard, `store_unavailable`.
   */
  draft(person: ProvenPerson): Promise<UserDraft>;
  /**
   * Finds the user of a proven phone or identity, or makes the user from the draft, in the
   * sign-in's own commit.
   */
  enrol(tx: StoreWriter, person: ProvenPerson, draft: UserDraft): UserRecord;
  /**
   * Takes the account the rest of the way: keys in memory, and at each venue its account, faucet,
   * deposits. Each step is found again after a crash and done once. Never rejects: what fails at a
   * venue is logged and tried again later, for that venue alone.
   */
  activate(userId: UserId): Promise<void>;
  /** Errors: `not_found`, `not_owner` where another shard has the user. */
  profile(userId: UserId): Profile;
  /**
   * Sets or changes the username. Errors: `invalid_request`, `username_taken`, `not_found`,
   * `store_unavailable`.
   */
  setUsername(userId: UserId, username: string): Promise<Profile>;
  /**
   * The start: loads every user's keys and goes on with unfinished accounts. Gives the users.
   * Errors: `master_key_wrong`, `config_invalid` when the rule of wallets is not the one the users'
   * Safes were derived by.
   */
  recover(): Promise<readonly UserId[]>;
  /** Ends waiting retries. */
  stop(): void;
}

export interface AccountsDeps
  extends Pick<Runtime, 'store' | 'commit' | 'clock' | 'random' | 'log'> {
  readonly digests: Pick<SecretDigests, 'digest'>;
  readonly directory: UserDirectory;
  readonly vault: Pick<KeyVault, 'draft' | 'load' | 'has'>;
  /** The Safe of an owner by the venue's rule. */
  readonly safeOf: (owner: Address) => Address;
  /** Those that are open. */
  readonly venues: readonly Pick<Venue, 'id' | 'accounts' | 'faucet'>[];
  readonly grantUsdc: UsdcMicros;
  readonly syncDeposits: (userId: UserId, venue: VenueId) => Promise<unknown>;
}

/** Makes the service. */
export function createAccounts(deps: AccountsDeps): Accounts {
  const activations = deps.venues.map((venue) => createActivation(deps, venue));
  const shown = (user: UserRecord) => profileOf(user, deps.venues);
  const userOf = (userId: UserId): UserRecord => {
    const user = deps.store.get(USERS, [userId])?.value;
    if (user !== undefined) return user;
    assertHere(deps.directory, userId);
    throw new AppError('not_found', `there is no user ${userId}`);
  };
  return {
    async draft(person) {
      const userId = knownBy(deps.store, person) ?? (await claimed(deps, person));
      return { userId, keys: await deps.vault.draft(userId) };
    },
    enrol: (tx, person, draft) =>
      enrol(tx, person, { ...draft, safe: deps.safeOf(draft.keys.evm) }, deps.clock.nowMs()),
    async activate(userId) {
      if (!deps.vault.has(userId)) await deps.vault.load(userId);
      await Promise.all(activations.map(({ run }) => run(userId)));
    },
    profile: (userId) => shown(userOf(userId)),
    async setUsername(userId, text) {
      const username = parseUsername(text);
      const claim = usernameClaim(username);
      const former = userOf(userId).username;
      const holder = await claimFor(deps.directory, claim, {
        userId,
        known: () => namedSo(deps.store, username),
      });
      if (holder !== userId) throw nameTaken();
      await deps.commit((tx) => {
        rename(tx, userId, username);
        audit(tx, { userId, atMs: deps.clock.nowMs(), action: 'username_set', subject: username });
      });
      if (former !== null && usernameClaim(former).name !== claim.name)
        await giveUp(deps, [{ ...usernameClaim(former), userId }]);
      return shown(userOf(userId));
    },
    async recover() {
      const all = deps.store.range(USERS).map(({ value }) => value);
      assertSameRule(deps, all[0]);
      const users = all.filter(({ removedAtMs }) => removedAtMs === undefined);
      await deps.directory.reconcile(users.flatMap((user) => claimsOf(user, deps.digests)));
      for (const { userId } of users) await deps.vault.load(userId);
      for (const { venue, run } of activations)
        for (const user of users) if (!isReady(user, venue)) void run(user.userId);
      return users.map((user) => user.userId);
    },
    stop: () => activations.forEach(({ stop }) => stop()),
  };
}

function enrol(
  tx: StoreWriter,
  person: ProvenPerson,
  draft: UserDraft & { readonly safe: Address },
  nowMs: number,
): UserRecord {
  const found = ownerOf(tx, person);
  if (found !== null) return found;
  const { userId, keys, safe } = draft;
  const user: UserRecord = {
    userId,
    address: keys.evm,
    solanaAddress: keys.solana,
    safe,
    ...onlyWay(person),
    username: null,
    createdAtMs: nowMs,
    venueAccounts: {},
  };
  keys.keep(tx);
  tx.put(USERS, [user.userId], user, 0);
  claimWay(tx, user.userId, person);
  tx.append({ type: 'user.created', userId: user.userId, atMs: nowMs, address: user.address });
  return user;
}

/**
 * Claims a person who is no user here; returns the id of their user to be. Errors: `not_owner`
 * where they are a user of another shard.
 */
async function claimed(
  { store, random, directory, digests }: AccountsDeps,
  person: ProvenPerson,
): Promise<UserId> {
  const userId = await claimFor(directory, claimOf(person, digests), {
    userId: asId<UserId>(freshId(random, 'usr_', ownSlot(directory, random))),
    known: () => knownBy(store, person),
  });
  assertHere(directory, userId);
  return userId;
}

function nameTaken(): AppError {
  return new AppError('username_taken', 'this name, or one that looks like it, is taken', {
    fields: [{ path: '/username', message: 'taken' }],
  });
}

function rename(tx: StoreWriter, userId: UserId, username: string): void {
  const user = tx.get(USERS, [userId])?.value;
  if (user === undefined) throw new AppError('not_found', `there is no user ${userId}`);
  const skeleton = skeletonOf(username);
  const holder = tx.get(USERNAMES, [skeleton])?.value;
  if (holder !== undefined && holder.userId !== userId) throw nameTaken();
  if (user.username !== null) tx.remove(USERNAMES, [skeletonOf(user.username)]);
  tx.put(USERNAMES, [skeleton], { userId });
  tx.put(USERS, [userId], { ...user, username });
}

/**
 * A rule that changed would send money to Safes that no user's orders move. All users follow one
 * rule, so one of them tells.
 */
function assertSameRule({ safeOf }: AccountsDeps, user: UserRecord | undefined): void {
  if (user === undefined || safeOf(user.address) === user.safe) return;
  throw new AppError(
    'config_invalid',
    `user ${user.userId} has the Safe ${user.safe}, and the configured rule of wallets gives ${safeOf(user.address)}: start with the rule the users were made by.`,
  );
}

function profileOf(user: UserRecord, venues: readonly ActivatedVenue[]): Profile {
  const { userId, phoneMasked, username, address, solanaAddress, safe, createdAtMs } = user;
  const identities = (user.identities ?? []).map(({ provider, shown }) => ({ provider, shown }));
  return {
    userId,
    phoneMasked,
    identities,
    username,
    wallets: { evm: address, solana: solanaAddress, safe },
    createdAtMs,
    account: venues.some((venue) => isReady(user, venue)) ? 'ready' : 'preparing',
  };
}

type ActivatedVenue = AccountsDeps['venues'][number];

function isReady(user: UserRecord, { id, faucet }: ActivatedVenue): boolean {
  const { isOpen, grant } = accountAt(user, id);
  return isOpen && (faucet === null || grant === 'done');
}

function accountAt({ venueAccounts }: UserRecord, venue: VenueId): VenueAccount {
  return venueAccounts[venue] ?? { isOpen: false, grant: 'none' };
}

interface Activation {
  readonly venue: ActivatedVenue;
  run(userId: UserId): Promise<void>;
  stop(): void;
}

/**
 * Runs the steps of activation at a venue, one user at a time each, and again after a wait when a
 * step failed.
 */
function createActivation(deps: AccountsDeps, venue: ActivatedVenue): Activation {
  const running = new Map<UserId, Promise<void>>();
  const retries = new Map<UserId, { cancel(): void }>();
  let isStopped = false;

  async function attempt(userId: UserId, failures: number): Promise<void> {
    try {
      await openAtVenue(deps, venue, userId);
      if (venue.faucet !== null) await askOnce(deps, { ...venue, faucet: venue.faucet }, userId);
      await deps.syncDeposits(userId, venue.id);
      // Only what was looked for is done: a start goes on with an account whose grant is not
      // booked yet.
      if (venue.faucet !== null) await markGranted(deps, venue, userId);
    } catch (error) {
      deps.log.warn(
        { userId, venue: venue.id, failures, error: String(error) },
        'account.activation_failed',
      );
      if (isStopped) return;
      const delayMs = backOffMs(failures, {
        firstMs: SIGN_IN.activationRetryFirstMs,
        maximumMs: SIGN_IN.activationRetryMaximumMs,
      });
      retries.get(userId)?.cancel();
      retries.set(
        userId,
        deps.clock.after(delayMs, () => {
          retries.delete(userId);
          void once(userId, failures + 1);
        }),
      );
    }
  }

  function once(userId: UserId, failures: number): Promise<void> {
    const current = running.get(userId);
    if (current !== undefined) return current;
    const started = attempt(userId, failures).finally(() => running.delete(userId));
    running.set(userId, started);
    return started;
  }

  return {
    venue,
    run: (userId) => once(userId, 0),
    stop() {
      isStopped = true;
      for (const timer of retries.values()) timer.cancel();
      retries.clear();
    },
  };
}

async function openAtVenue(
  deps: AccountsDeps,
  { id, accounts }: ActivatedVenue,
  userId: UserId,
): Promise<void> {
  const user = deps.store.get(USERS, [userId])?.value;
  if (user !== undefined && accountAt(user, id).isOpen) return;
  await accounts.open(userId);
  await deps.commit((tx) => change(tx, { userId, venue: id }, { isOpen: true }));
}

/**
 * Asks the faucet once: a grant whose answer was lost shows as a deposit or as collateral, and is
 * then not asked again.
 */
async function askOnce(
  deps: AccountsDeps,
  { id, accounts, faucet }: ActivatedVenue & { readonly faucet: Faucet },
  userId: UserId,
): Promise<void> {
  const user = deps.store.get(USERS, [userId])?.value;
  if (user === undefined) return;
  const { grant } = accountAt(user, id);
  if (grant === 'done') return;
  const hasArrived =
    grant === 'asked' &&
    ((await accounts.deposits(userId, 0)).length > 0 || (await accounts.collateral(userId)) > 0);
  if (hasArrived) return;
  await deps.commit((tx) => change(tx, { userId, venue: id }, { grant: 'asked' }));
  await faucet.grant(userId, deps.grantUsdc);
}

async function markGranted(
  deps: AccountsDeps,
  { id }: ActivatedVenue,
  userId: UserId,
): Promise<void> {
  const user = deps.store.get(USERS, [userId])?.value;
  if (user !== undefined && accountAt(user, id).grant === 'done') return;
  await deps.commit((tx) => change(tx, { userId, venue: id }, { grant: 'done' }));
}

function change(
  tx: StoreWriter,
  { userId, venue }: { readonly userId: UserId; readonly venue: VenueId },
  fields: Partial<VenueAccount>,
): void {
  const user = tx.get(USERS, [userId])?.value;
  if (user === undefined) return;
  const account = { ...accountAt(user, venue), ...fields };
  tx.put(USERS, [userId], { ...user, venueAccounts: { ...user.venueAccounts, [venue]: account } });
}
