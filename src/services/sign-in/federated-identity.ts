import { TOKENS } from '../../../config/limits/identity.ts';
import { AppError } from '../../domain/errors.ts';
import type { UserId } from '../../domain/ids.ts';
import type { KeyVault } from '../../ports/key-vault.ts';
import type { OpenIdProvider, OpenIdAttempt } from '../../ports/open-id.ts';
import type { Runtime } from '../../ports/runtime.ts';
import type { SecretDigests } from '../../ports/identity.ts';
import type { Store } from '../../ports/store.ts';
import type { UserDirectory } from '../../ports/user-directory.ts';
import type { SignedMessage, SocialLogin, SocialRelay, SocialTerms } from '../../ports/social.ts';
import { audit } from '../audit.ts';
import { freshId } from '../fresh-id.ts';
import type { Client } from './client.ts';
import type { Arrival, Sessions, SignedIn } from './sessions.ts';
import type { KeptIdentity } from './tables.ts';
import { createLoginAttempts, type LoginAttempts } from './login-attempts.ts';
import { claimFor, claimOf, knownBy } from './claims.ts';
import { identityTaken, joinWay, shownOf } from './login-identities.ts';
import {
  createSocialChannels,
  readSocialVisit,
  writeSocialVisit,
  type SocialChannelStart,
  type SocialChannelState,
} from './social-channels.ts';

/**
 * A sign-in at Google that has begun: the requester keeps `visit` and sends the browser to `url`.
 */
interface GoogleStart {
  readonly visit: string;
  readonly url: string;
  readonly state: string;
  readonly expiresAtMs: number;
}

/** A social sign-in that has begun: what the message must say. */
export interface SocialStart {
  readonly visit: string;
  readonly domain: string;
  readonly uri: string;
  readonly nonce: string;
  readonly expiresAtMs: number;
}

/** What a user brings to prove who they are. */
export type Proof =
  | { readonly kind: 'phone'; readonly challengeId: string; readonly code: string }
  | { readonly kind: 'google'; readonly visit: string; readonly returnedTo: string }
  | ({ readonly kind: 'siwf'; readonly visit: string } & SignedMessage);

/** Who is signed in, and since when. */
interface SignedInUser {
  readonly userId: UserId;
  readonly authenticatedAtMs: number;
}

/** Sign-in at other identity providers, and the joining of a further way in to an account. */
export interface FederatedIdentity {
  /**
   * Errors: `sign_in_unavailable` where Google is not set up, does not answer, or too many sign-ins
   * are under way.
   */
  beginGoogle(): Promise<GoogleStart>;
  /**
   * Errors: `sign_in_unavailable` where social login is not set up, or too many sign-ins are under
   * way.
   */
  beginSocial(): Promise<SocialStart>;
  /**
   * Begins a social sign-in by asking a user's phone, over the relay. Errors:
   * `sign_in_unavailable`.
   */
  openSocialChannel(): Promise<SocialChannelStart>;
  /** How far that phone is. Errors: those of `SocialChannels.state`. */
  socialChannelState(visit: string): Promise<SocialChannelState>;
  /**
   * Signs in by a proof, which is good for one try; the first time this makes the user. Errors:
   * `sign_in_refused`, `code_expired` when the visit is over, `sign_in_unavailable`; those of
   * `Sessions.verifyCode` for a phone.
   */
  signIn(proof: Proof, client: Client): Promise<SignedIn>;
  /**
   * Gives a user who has just signed in one more way in. Errors: `fresh_sign_in_required`; those of
   * `signIn`; `identity_taken` when it is another account's, `limit_reached` when the account has
   * another of its kind.
   */
  link(user: SignedInUser, proof: Proof, client: Client): Promise<void>;
}

export interface FederatedIdentityDeps extends Pick<Runtime, 'commit' | 'clock' | 'random'> {
  readonly store: Pick<Store, 'get'>;
  readonly directory: UserDirectory;
  readonly vault: Pick<KeyVault, 'seal' | 'unseal'>;
  readonly digests: SecretDigests;
  readonly sessions: Pick<Sessions, 'admit' | 'provePhone'>;
  /** Null where it is not set up. */
  readonly google: OpenIdProvider | null;
  /**
   * Null where it is not set up; domain and uri are those of the page that asks for the signature.
   */
  readonly social: {
    readonly login: SocialLogin;
    readonly relay: SocialRelay;
    readonly domain: string;
    readonly uri: string;
  } | null;
}

/** Makes the service. */
export function createFederatedIdentity(deps: FederatedIdentityDeps): FederatedIdentity {
  const { commit, clock, random, digests } = deps;
  const visits = createLoginAttempts(deps);
  const secret = (): string => Buffer.from(random.bytes(32)).toString('base64url');
  const socialTerms = (): Omit<SocialTerms, 'nowMs'> => {
    const { domain, uri } = setUp(deps.social, SOCIAL);
    return { domain, uri, nonce: freshId(random, '') };
  };
  const channels =
    deps.social === null
      ? null
      : createSocialChannels({ relay: deps.social.relay, visits, clock, terms: socialTerms });

  return {
    async beginGoogle() {
      const google = setUp(deps.google, 'Google');
      const expected: OpenIdAttempt = { state: secret(), nonce: secret(), verifier: secret() };
      const url = await google.begin(expected);
      return {
        ...(await visits.begin('google', JSON.stringify(expected))),
        url,
        state: expected.state,
      };
    },
    async beginSocial() {
      const terms = socialTerms();
      const kept = writeSocialVisit({ nonce: terms.nonce, channel: null });
      return { ...(await visits.begin('siwf', kept)), ...terms };
    },
    async openSocialChannel() {
      return setUp(channels, SOCIAL).open();
    },
    async socialChannelState(visit) {
      return setUp(channels, SOCIAL).state(visit);
    },
    async signIn(proof, client) {
      return deps.sessions.admit({ ...(await prove(deps, visits, proof)), client });
    },
    async link({ userId, authenticatedAtMs }, proof, client) {
      if (authenticatedAtMs + TOKENS.freshSignInMs <= clock.nowMs())
        throw new AppError('fresh_sign_in_required', 'sign in again before adding a login method');
      const { person, use } = await prove(deps, visits, proof).catch((error: unknown) => {
        throw error instanceof AppError && error.redirect !== null ? begunElsewhere() : error;
      });
      const holder = await claimFor(deps.directory, claimOf(person, digests), {
        userId,
        known: () => knownBy(deps.store, person),
      });
      if (holder !== userId) throw identityTaken();
      await commit((tx) => {
        use(tx);
        if (!joinWay(tx, userId, person)) return;
        const origin = client.address === null ? null : digests.digest('address', client.address);
        audit(tx, {
          userId,
          atMs: clock.nowMs(),
          action: 'identity_linked',
          subject: proof.kind,
          detail: shownOf(person),
          origin,
        });
      });
    },
  };
}

const SOCIAL = 'social login';

/** The refusal of a proof that was begun without the token of the user who adds it. */
function begunElsewhere(): AppError {
  return new AppError(
    'code_expired',
    'this was begun without your access token: ask for a code, or begin, with it, and bring that',
  );
}

type Proven = Pick<Arrival, 'person' | 'method' | 'use'>;

async function prove(
  { sessions, google, social, clock }: FederatedIdentityDeps,
  visits: LoginAttempts,
  proof: Proof,
): Promise<Proven> {
  switch (proof.kind) {
    case 'phone':
      return sessions.provePhone(proof.challengeId, proof.code);
    case 'google': {
      const provider = setUp(google, 'Google');
      const person = await provider.finish(
        proof.returnedTo,
        readVisit(await visits.take('google', proof.visit)),
      );
      return known({
        provider: 'google',
        subject: person.subject,
        shown: person.email === null ? 'a Google account' : maskEmail(person.email),
      });
    }
    case 'siwf': {
      const { login, domain, uri } = setUp(social, SOCIAL);
      const { nonce } = readSocialVisit(await visits.take('siwf', proof.visit));
      const fid = await login.verify(proof, { domain, uri, nonce, nowMs: clock.nowMs() });
      return known({ provider: 'siwf', subject: fid, shown: `fid ${fid}` });
    }
  }
}

/** The visit is over already, so nothing is left to be used up. */
function known(identity: KeptIdentity): Proven {
  return {
    person: { kind: 'identity', identity },
    method: identity.provider,
    use: () => undefined,
  };
}

function readVisit(text: string): OpenIdAttempt {
  return JSON.parse(text) as OpenIdAttempt; // sealed by beginGoogle, and opened under the same key
}

/** Shows enough of an address to recognise one's own: "a•••@example.org". */
function maskEmail(email: string): string {
  const at = email.lastIndexOf('@');
  return `${email.slice(0, 1)}•••${email.slice(at)}`;
}

function setUp<T>(provider: T | null, name: string): T {
  if (provider === null)
    throw new AppError('sign_in_unavailable', `${name} is not set up here; sign in another way`);
  return provider;
}
