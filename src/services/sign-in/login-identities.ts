import { AppError } from '../../domain/errors.ts';
import type { UserId } from '../../domain/ids.ts';
import type { Key, StoreWriter, Table } from '../../ports/store.ts';
import {
  USERS,
  USER_IDENTITIES,
  USER_PHONES,
  type KeptIdentity,
  type KeptPhone,
  type UserRecord,
} from './tables.ts';

/** A proven identity. */
export type ProvenPerson =
  | { readonly kind: 'phone'; readonly phone: KeptPhone }
  | { readonly kind: 'identity'; readonly identity: KeptIdentity };

/** The fields of a user that say how they sign in. */
export type LoginMethods = Pick<UserRecord, keyof KeptPhone | 'identities'>;

/**
 * The user a proven identity belongs to; null when it has none. Nothing but the identity itself
 * finds a user: no address, no name.
 */
export function ownerOf(tx: StoreWriter, person: ProvenPerson): UserRecord | null {
  const { table, key } = placeOf(person);
  const known = tx.get(table, key)?.value;
  return known === undefined ? null : (tx.get(USERS, [known.userId])?.value ?? null);
}

/** The ways in of a user who has this one alone. */
export function onlyWay(person: ProvenPerson): LoginMethods {
  if (person.kind === 'identity')
    return {
      phoneDigest: null,
      phoneMasked: null,
      phoneSealed: null,
      identities: [person.identity],
    };
  const { phoneDigest, phoneMasked, phoneSealed } = person.phone;
  return { phoneDigest, phoneMasked, phoneSealed };
}

/** Removes every login identity of a user: signing in by one of them again makes a new user. */
export function withoutWays(tx: StoreWriter, user: UserRecord): UserRecord {
  if (user.phoneDigest !== null) tx.remove(USER_PHONES, [user.phoneDigest]);
  for (const { provider, subject } of user.identities ?? [])
    tx.remove(USER_IDENTITIES, [provider, subject]);
  return { ...user, phoneDigest: null, phoneMasked: null, phoneSealed: null, identities: [] };
}

/** Notes whose an identity is. Errors: `conflict` when another call noted it at the same moment. */
export function claimWay(tx: StoreWriter, userId: UserId, person: ProvenPerson): void {
  const { table, key } = placeOf(person);
  tx.put(table, key, { userId }, 0);
}

/**
 * Gives a user one more way in; true when it is new. Errors: `identity_taken` when it is another
 * user's, `limit_reached` when the user has another of its kind, `not_found`.
 */
export function joinWay(tx: StoreWriter, userId: UserId, person: ProvenPerson): boolean {
  const user = tx.get(USERS, [userId])?.value;
  if (user === undefined) throw new AppError('not_found', `there is no user ${userId}`);
  const owner = ownerOf(tx, person);
  if (owner?.userId === userId) return false;
  if (owner !== null) throw identityTaken();
  tx.put(USERS, [userId], { ...user, ...withWay(user, person) });
  claimWay(tx, userId, person);
  return true;
}

/** The refusal of what another account has. */
export function identityTaken(): AppError {
  return new AppError(
    'identity_taken',
    'this way of signing in belongs to another account; sign in there instead',
  );
}

/** What a person is recognised by in lists and in the audit trail. */
export function shownOf(person: ProvenPerson): string {
  return person.kind === 'phone' ? person.phone.phoneMasked : person.identity.shown;
}

function withWay(user: LoginMethods, person: ProvenPerson): Partial<LoginMethods> {
  if (person.kind === 'phone') {
    if (user.phoneDigest !== null)
      throw new AppError('limit_reached', 'this account has a phone already');
    return onlyWay(person);
  }
  const { identities = [] } = user;
  const { provider } = person.identity;
  if (identities.some((each) => each.provider === provider))
    throw new AppError('limit_reached', `this account is known at ${provider} already`);
  return { identities: [...identities, person.identity] };
}

function placeOf(person: ProvenPerson): {
  readonly table: Table<{ readonly userId: UserId }>;
  readonly key: Key;
} {
  return person.kind === 'phone'
    ? { table: USER_PHONES, key: [person.phone.phoneDigest] }
    : { table: USER_IDENTITIES, key: [person.identity.provider, person.identity.subject] };
}
