import { createHmac, timingSafeEqual } from 'node:crypto';
import { getAddress, isAddress } from 'viem';
import { POOL_VENUE } from '../../../../../config/limits/sandbox-pools.ts';
import type { Random } from '../../../../ports/random.ts';
import type { FaultBoard } from '../../../faults.ts';
import type { RecordStore } from '../../../storage/record-store.ts';
import { timeOfStamp, type CallerTime } from '../../../wire/caller-times.ts';
import { uuidFrom } from '../model/trading.ts';

/** What a token may do. */
export const SCOPES = ['trading', 'account_creation', 'delegated_signing', 'withdrawal'] as const;
export type Scope = (typeof SCOPES)[number];

/** A user of the venue: plain JSON. */
export interface Profile {
  readonly id: number;
  /** EIP-55. */
  readonly account: string;
  readonly createdAtMs: number;
}

/** A scoped token: plain JSON. */
export interface ApiToken {
  readonly tokenId: string;
  /** Base64 of 32 bytes. */
  readonly secret: string;
  readonly label: string | null;
  readonly scopes: readonly Scope[];
  readonly profileId: number;
  readonly createdAtMs: number;
  readonly lastUsedAtMs: number | null;
}

/** What is signed of a request. */
interface SignedRequest {
  readonly method: string;
  readonly target: string;
  readonly body: string;
  header(name: string): string;
}

/** Who calls: `refused` says why a proof that was shown does not hold. */
type Caller =
  | {
      readonly kind: 'known';
      readonly profile: Profile;
      readonly scopes: readonly Scope[];
      readonly by: 'token' | 'identity';
    }
  | { readonly kind: 'anonymous' }
  | { readonly kind: 'refused'; readonly message: string };

/** The venue's users and how they prove who they are (venue_c.md section 2). */
export interface Access {
  caller(request: SignedRequest): Caller;
  profile(id: number): Profile | null;
  profileOf(account: string): Profile | null;
  /** Signs an account in, its profile made at the first time; null when there are too many. */
  identify(account: string): string | null;
  /** One more token of a profile; null when it has too many. */
  derive(profile: Profile, label: string | null, scopes: readonly Scope[]): ApiToken | null;
  tokensOf(profile: Profile): readonly ApiToken[];
  revoke(profile: Profile, tokenId: string): boolean;
}

/** The first profile's number. */
const FIRST_PROFILE = 1_000;

/** Creates the access; identity tokens live as long as the process, as the login provider's do. */
export function createAccess(parts: {
  readonly random: Random;
  readonly faults: FaultBoard;
  /** Clocks that callers may go by; the first is the markets'. */
  readonly times: readonly CallerTime[];
  readonly profiles: RecordStore<Profile>;
  readonly tokens: RecordStore<ApiToken>;
}): Access {
  const { random, faults, times, profiles, tokens } = parts;
  const identities = new Map<string, number>();
  const nowMs = (): number => times[0]?.nowMs() ?? 0;

  function byToken({ method, target, body, header }: SignedRequest): Caller {
    const token = tokens.get(header('lmts-api-key'));
    if (token === null) return { kind: 'refused', message: 'Invalid API token' };
    const timestamp = header('lmts-timestamp');
    const atMs = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/.test(timestamp)
      ? Date.parse(timestamp)
      : Number.NaN;
    const isStale =
      faults.take('stale-signature', { path: target }) !== null ||
      Number.isNaN(atMs) ||
      timeOfStamp(atMs, times, POOL_VENUE.signatureSkewMs) === null;
    if (isStale) return { kind: 'refused', message: 'Request timestamp is outside the window' };
    const signed = createHmac('sha256', Buffer.from(token.secret, 'base64'))
      .update(`${timestamp}\n${method.toUpperCase()}\n${target}\n${body}`)
      .digest();
    const shown = Buffer.from(header('lmts-signature'), 'base64');
    if (shown.length !== signed.length || !timingSafeEqual(shown, signed))
      return { kind: 'refused', message: 'Invalid HMAC signature' };
    const profile = profiles.get(String(token.profileId));
    if (profile === null) return { kind: 'refused', message: 'Invalid API token' };
    tokens.put(token.tokenId, { ...token, lastUsedAtMs: nowMs() });
    return { kind: 'known', profile, scopes: token.scopes, by: 'token' };
  }

  return {
    caller(request) {
      if (request.header('lmts-api-key') !== '') return byToken(request);
      if (request.header('x-api-key') !== '')
        return { kind: 'refused', message: 'Invalid API key' };
      const [, shown] = /^Bearer (\S+)$/.exec(request.header('identity')) ?? [];
      if (shown === undefined) return { kind: 'anonymous' };
      const profile = profiles.get(String(identities.get(shown) ?? ''));
      return profile === null
        ? { kind: 'refused', message: 'Invalid identity token' }
        : { kind: 'known', profile, scopes: SCOPES, by: 'identity' };
    },
    profile: (id) => profiles.get(String(id)),
    profileOf: (account) =>
      isAddress(account, { strict: false })
        ? (profiles.all().find((profile) => profile.account === getAddress(account)) ?? null)
        : null,
    identify(text) {
      const account = getAddress(text);
      let profile = profiles.all().find((known) => known.account === account);
      if (profile === undefined) {
        if (profiles.size() >= POOL_VENUE.profilesMaximum) return null;
        profile = { id: FIRST_PROFILE + profiles.size(), account, createdAtMs: nowMs() };
        profiles.put(String(profile.id), profile);
      }
      const token = Buffer.from(random.bytes(32)).toString('base64url');
      identities.set(token, profile.id);
      if (identities.size > POOL_VENUE.profilesMaximum)
        for (const oldest of identities.keys()) {
          identities.delete(oldest);
          break;
        }
      return token;
    },
    derive(profile, label, scopes) {
      if (tokensOf(profile).length >= POOL_VENUE.tokensPerProfile) return null;
      const token: ApiToken = {
        tokenId: uuidFrom(random),
        secret: Buffer.from(random.bytes(32)).toString('base64'),
        label,
        scopes,
        profileId: profile.id,
        createdAtMs: nowMs(),
        lastUsedAtMs: null,
      };
      tokens.put(token.tokenId, token);
      return token;
    },
    tokensOf,
    revoke(profile, tokenId) {
      if (tokens.get(tokenId)?.profileId !== profile.id) return false;
      tokens.remove(tokenId);
      return true;
    },
  };

  function tokensOf({ id }: Profile): readonly ApiToken[] {
    return tokens.all().filter(({ profileId }) => profileId === id);
  }
}
