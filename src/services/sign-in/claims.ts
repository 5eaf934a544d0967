import type { UserId } from '../../domain/ids.ts';
import { slotOf } from '../../domain/slot.ts';
import type { SecretDigests } from '../../ports/identity.ts';
import type { Log } from '../../ports/log.ts';
import type { StoreReader } from '../../ports/store.ts';
import type { Claim, HeldClaim, UserDirectory } from '../../ports/user-directory.ts';
import type { ProvenPerson } from './login-identities.ts';
import { USERNAMES, USER_IDENTITIES, USER_PHONES, type UserRecord } from './tables.ts';
import { skeletonOf } from './usernames.ts';

/** What a proven identity is claimed by: no directory has what another provider calls a user. */
export function claimOf(person: ProvenPerson, digests: Pick<SecretDigests, 'digest'>): Claim {
  if (person.kind === 'phone') return { kind: 'phone', name: person.phone.phoneDigest };
  const { provider, subject } = person.identity;
  return { kind: provider, name: digests.digest('identity', `${provider}\n${subject}`) };
}

export function usernameClaim(username: string): Claim {
  return { kind: 'username', name: skeletonOf(username) };
}

/** Returns all that a user is known by. */
export function claimsOf(
  user: UserRecord,
  digests: Pick<SecretDigests, 'digest'>,
): readonly HeldClaim[] {
  const { userId, phoneDigest, identities = [], username } = user;
  return [
    ...(phoneDigest === null ? [] : [{ kind: 'phone' as const, name: phoneDigest }]),
    ...identities.map((identity) => claimOf({ kind: 'identity', identity }, digests)),
    ...(username === null ? [] : [usernameClaim(username)]),
  ].map((claim) => ({ ...claim, userId }));
}

/** Returns whom this shard's store knows by a proven identity; null without one. */
export function knownBy(reader: Pick<StoreReader, 'get'>, person: ProvenPerson): UserId | null {
  const found =
    person.kind === 'phone'
      ? reader.get(USER_PHONES, [person.phone.phoneDigest])
      : reader.get(USER_IDENTITIES, [person.identity.provider, person.identity.subject]);
  return found?.value.userId ?? null;
}

/** Returns whom this shard's store knows by a username; null without one. */
export function namedSo(reader: Pick<StoreReader, 'get'>, username: string): UserId | null {
  return reader.get(USERNAMES, [skeletonOf(username)])?.value.userId ?? null;
}

/**
 * Claims what a user is to be known by, in all shards; returns whose it is then. A claim of this
 * shard that its store does not know, `known` being null, was left by a crash or by a user who has
 * given it up, and goes to whoever asks. Errors: `store_unavailable`.
 */
export async function claimFor(
  directory: UserDirectory,
  claim: Claim,
  { userId, known }: { readonly userId: UserId; readonly known: () => UserId | null },
): Promise<UserId> {
  const holder = await directory.claim(claim, userId);
  if (holder === userId) return holder;
  const slot = slotOf(holder);
  const isHere = slot !== null && directory.slots?.has(slot) !== false;
  if (!isHere) return holder;
  return known() ?? directory.move(claim, { from: holder, to: userId });
}

/**
 * Gives up what a user is known by no longer. Where the directory does not answer, the next start
 * of the shard does so.
 */
export async function giveUp(
  { directory, log }: { readonly directory: UserDirectory; readonly log: Log },
  claims: readonly HeldClaim[],
): Promise<void> {
  try {
    await directory.release(claims);
  } catch (error) {
    log.warn({ userId: claims[0]?.userId, error: String(error) }, 'directory.claims_kept');
  }
}
