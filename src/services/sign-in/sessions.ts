import { SIGN_IN } from '../../../config/limits.ts';
import { AppError } from '../../domain/errors.ts';
import { slotOf } from '../../domain/slot.ts';
import type { UserId } from '../../domain/ids.ts';
import type { PublicKeySet, SignInMethod, TokenIssuer } from '../../ports/identity.ts';
import type { Log } from '../../ports/log.ts';
import type { StoreWriter } from '../../ports/store.ts';
import { audit } from '../audit.ts';
import { freshId } from '../fresh-id.ts';
import type { Accounts } from './accounts.ts';
import { TEST_CLIENT, type Client } from './client.ts';
import { createAccess, type Access, type Session } from './access.ts';
import { createAssertions, type Proven } from './assertions.ts';
import { assertHere, elsewhere } from '../placement.ts';
import { createCodes, type CodeSent, type CodesDeps } from './codes.ts';
import {
  readRefreshToken,
  rotate,
  revokeFamily,
  runningFamilies,
  startFamily,
  type Rotation,
} from './refresh-token-families.ts';
import { type RefreshTokenFamily } from './tables.ts';
import { shownOf } from './login-identities.ts';
import { phoneOf } from './user-phone.ts';

/** Tokens of a signed-in device. The refresh token is good for one use. */
export interface SignedIn {
  readonly userId: UserId;
  readonly accessToken: string;
  readonly accessExpiresAtMs: number;
  readonly refreshToken: string;
  readonly refreshExpiresAtMs: number;
}

/** A user who proved who they are. */
export interface Arrival extends Proven {
  readonly client: Client;
  /** Uses the proof up, in the sign-in's own commit; what it throws undoes the sign-in. */
  readonly use: (tx: StoreWriter) => void;
}

/** A signed-in device as its user sees it. */
interface SessionSummary {
  readonly sessionId: string;
  readonly method: SignInMethod;
  /** What the device called itself last; null where that was not kept. */
  readonly program: string | null;
  readonly beganAtMs: number;
  /** When it last got tokens: an access token is used for SIGN_IN.accessTokenLifeMs after that. */
  readonly usedAtMs: number;
  readonly expiresAtMs: number;
}

/** Signing in and staying signed in. */
export interface Sessions extends Access {
  /**
   * Sends a one-time code; a new one replaces the old. Says the same of known and unknown phones.
   * Errors: `invalid_request` for what is no mobile number, `country_not_supported`, `rate_limited`
   * when the last one was sent a moment ago, `too_many_attempts` beyond the sends of a phone or an
   * address and under a lock, `sign_in_unavailable`. `accessToken` is of a user who adds a phone.
   */
  requestCode(phone: string, client?: Client, accessToken?: string | null): Promise<CodeSent>;
  /**
   * Signs in with the code, once; the first time it makes the user. Errors: `code_invalid` (with
   * attempts left), `code_expired` also for unknown, used and replaced challenges,
   * `too_many_attempts` after SIGN_IN.attemptsPerCode or OTP.wrongPerPhonePerHour,
   * `sign_in_unavailable`.
   */
  verifyCode(challengeId: string, code: string, client?: Client): Promise<SignedIn>;
  /**
   * Sends a code to the phone of a signed-in user, for signing in again. Errors: `phone_required`
   * without one, and those of `requestCode`.
   */
  requestCodeAgain(userId: UserId): Promise<CodeSent>;
  /**
   * Signs the same user in again, in the place of the session it is asked from, which ends. Errors:
   * those of `verifyCode`; a code of another user, or for something else, is `code_expired`.
   */
  signInAgain(
    session: Pick<Session, 'userId' | 'sessionId'>,
    proof: { readonly challengeId: string; readonly code: string },
    client?: Client,
  ): Promise<SignedIn>;
  /** What a right code proves, for the commit it shall count in. Errors: those of `verifyCode`. */
  provePhone(
    challengeId: string,
    code: string,
  ): Promise<Pick<Arrival, 'person' | 'method' | 'use'>>;
  /**
   * Signs in a proven identity; the first time it makes the user. Errors: `not_owner` with an
   * assertion for the shard that has the user: the proof is used up.
   */
  admit(arrival: Arrival): Promise<SignedIn>;
  /** Signs in whom another shard has judged. Errors: `token_invalid`, `token_expired`. */
  admitBy(assertion: string, client: Client): Promise<SignedIn>;
  /**
   * Gives new tokens for a refresh token. A second use of one ends its whole family, but for
   * TOKENS.refreshGraceMs on the same device, which gets the same successor. Errors:
   * `token_invalid`, `token_expired`.
   */
  refresh(refreshToken: string, client?: Client): Promise<SignedIn>;
  /** Ends the session and its tokens. */
  logout(sessionId: string): Promise<void>;
  /** The sessions of a user that go on, the one begun last first. */
  list(userId: UserId): readonly SessionSummary[];
  /** Ends a session of the user. Errors: `not_found`. */
  end(userId: UserId, sessionId: string): Promise<void>;
  /** Ends all sessions of the user but one; returns how many. */
  endOthers(userId: UserId, keptSessionId: string): Promise<number>;
  jwks(): PublicKeySet;
}

/** Makes the service. */
export function createSessions(
  deps: CodesDeps & {
    readonly tokens: TokenIssuer;
    readonly accounts: Pick<Accounts, 'draft' | 'enrol' | 'activate'>;
    readonly log: Log;
  },
): Sessions {
  const { clock, digests, tokens } = deps;
  const codes = createCodes(deps);
  const assertions = createAssertions(deps);
  const access = createAccess(deps);
  const originOf = ({ address }: Client): string | null =>
    address === null ? null : digests.digest('address', address);
  const refreshTokenOf = (familyId: string, generation: number, secret: string): string =>
    `${familyId}.${generation}.${secret}`;

  async function signedIn(
    familyId: string,
    family: RefreshTokenFamily,
    refreshToken: string,
  ): Promise<SignedIn> {
    const issuedAtMs = wholeSeconds(clock.nowMs());
    const accessExpiresAtMs = wholeSeconds(issuedAtMs + SIGN_IN.accessTokenLifeMs);
    const { userId, method, createdAtMs, expiresAtMs: refreshExpiresAtMs } = family;
    const accessToken = await tokens.issue({
      userId,
      familyId,
      method,
      authenticatedAtMs: wholeSeconds(createdAtMs),
      scopes: null,
      issuedAtMs,
      expiresAtMs: accessExpiresAtMs,
    });
    return { userId, accessToken, accessExpiresAtMs, refreshToken, refreshExpiresAtMs };
  }

  /** Begins a session in `tx`, and writes down of whom and how. */
  function begin(
    tx: StoreWriter,
    ids: { readonly familyId: string; readonly secret: string; readonly userId: UserId },
    { method, client, shown }: Pick<Arrival, 'method' | 'client'> & { readonly shown: string },
  ): RefreshTokenFamily {
    const { familyId, secret, userId } = ids;
    const nowMs = clock.nowMs();
    audit(tx, {
      userId,
      atMs: nowMs,
      action: 'signed_in',
      subject: familyId,
      detail: `${method} ${shown}`,
      origin: originOf(client),
    });
    return startFamily(tx, {
      familyId,
      userId,
      method,
      digest: digests.digest('refresh', secret),
      program: client.program,
      nowMs,
    });
  }

  const newIds = (userId: UserId) => ({
    secret: Buffer.from(deps.random.bytes(32)).toString('base64url'),
    familyId: freshId(deps.random, 'ses_', slotOf(userId)),
  });

  async function admit({ person, method, client, use }: Arrival): Promise<SignedIn> {
    const draft = await deps.accounts.draft(person).catch(async (error: unknown) => {
      if (!(error instanceof AppError) || error.redirect === null) throw error;
      await deps.commit((tx) => use(tx));
      throw elsewhere(error.redirect.slot, assertions.write({ person, method }));
    });
    const { familyId, secret } = newIds(draft.userId);
    const family = await deps.commit((tx) => {
      use(tx);
      const { userId } = deps.accounts.enrol(tx, person, draft);
      return begin(tx, { familyId, secret, userId }, { method, client, shown: shownOf(person) });
    });
    // Sign-in does not wait for the venue: the profile says how far the account is.
    deps.accounts
      .activate(family.userId)
      .catch((cause: unknown) =>
        deps.log.error({ userId: family.userId, cause }, 'account.activation_failed'),
      );
    return signedIn(familyId, family, refreshTokenOf(familyId, 0, secret));
  }

  const provePhone: Sessions['provePhone'] = async (challengeId, code) => {
    const phone = await codes.prove(challengeId, code);
    return {
      person: { kind: 'phone', phone },
      method: 'otp',
      use: (tx) => codes.use(tx, challengeId),
    };
  };

  return {
    requestCode: (phone, client = TEST_CLIENT, accessToken = null) =>
      codes.request(
        phone,
        client.address,
        accessToken === null ? null : access.recognize(accessToken),
      ),
    verifyCode: async (challengeId, code, client = TEST_CLIENT) =>
      admit({ ...(await provePhone(challengeId, code)), client }),
    async requestCodeAgain(userId) {
      const phone = deps.vault.unseal(phoneOf(deps.store, userId).sealed);
      return codes.requestFor(userId, phone, `again ${userId}`);
    },
    async signInAgain({ userId, sessionId }, { challengeId, code }, client = TEST_CLIENT) {
      const { phoneMasked } = await codes.prove(challengeId, code, `again ${userId}`);
      const { familyId, secret } = newIds(userId);
      const family = await deps.commit((tx) => {
        codes.use(tx, challengeId);
        endFamily(tx, { userId, sessionId, nowMs: clock.nowMs() });
        return begin(
          tx,
          { familyId, secret, userId },
          { method: 'otp', client, shown: phoneMasked },
        );
      });
      return signedIn(familyId, family, refreshTokenOf(familyId, 0, secret));
    },
    provePhone,
    admit,
    async admitBy(assertion, client) {
      return admit({ ...assertions.read(assertion), client, use: () => undefined });
    },
    async refresh(refreshToken, client = TEST_CLIENT) {
      const { familyId, generation, secret } = readRefreshToken(refreshToken);
      assertHere(deps.directory, familyId);
      const next = digests.digest('next_refresh', refreshToken);
      const rotation = await deps.commit((tx) => {
        const nowMs = clock.nowMs();
        const rotated = rotate(tx, {
          familyId,
          generation,
          nowMs,
          isRight: (digest) => digests.same(digest, digests.digest('refresh', secret)),
          nextDigest: digests.digest('refresh', next),
          device: digests.digest('device', `${client.address ?? ''}\n${client.program}`),
          program: client.program,
        });
        if (rotated.kind === 'reused')
          audit(tx, {
            userId: rotated.family.userId,
            atMs: nowMs,
            action: 'refresh_reused',
            subject: familyId,
            detail: 'session ended',
            origin: originOf(client),
          });
        return rotated;
      });
      if (rotation.kind === 'rotated')
        return signedIn(
          familyId,
          rotation.family,
          refreshTokenOf(familyId, rotation.family.generation, next),
        );
      if (rotation.kind === 'reused')
        deps.log.warn({ sessionId: familyId }, 'session.refresh_token_reused');
      throw refusalOf(rotation);
    },
    async logout(sessionId) {
      await deps.commit((tx) => {
        const nowMs = clock.nowMs();
        const userId = revokeFamily(tx, sessionId, nowMs);
        if (userId !== null)
          audit(tx, { userId, atMs: nowMs, action: 'signed_out', subject: sessionId });
      });
    },
    list: (userId) =>
      runningFamilies(deps.store, userId, clock.nowMs()).map((family) => ({
        sessionId: family.familyId,
        method: family.method,
        program: family.program ?? null,
        beganAtMs: family.createdAtMs,
        usedAtMs: family.refreshedAtMs ?? family.createdAtMs,
        expiresAtMs: family.expiresAtMs,
      })),
    end: (userId, sessionId) =>
      deps.commit((tx) => {
        const nowMs = clock.nowMs();
        const isRunning = runningFamilies(tx, userId, nowMs).some(
          ({ familyId }) => familyId === sessionId,
        );
        if (!isRunning) throw new AppError('not_found', `session ${sessionId} not found`);
        endFamily(tx, { userId, sessionId, nowMs });
      }),
    endOthers: (userId, keptSessionId) =>
      deps.commit((tx) => {
        const nowMs = clock.nowMs();
        const others = runningFamilies(tx, userId, nowMs).filter(
          ({ familyId }) => familyId !== keptSessionId,
        );
        for (const { familyId } of others) endFamily(tx, { userId, sessionId: familyId, nowMs });
        return others.length;
      }),
    ...access,
    jwks: () => tokens.publicKeys(),
  };
}

function endFamily(
  tx: StoreWriter,
  {
    userId,
    sessionId,
    nowMs,
  }: { readonly userId: UserId; readonly sessionId: string; readonly nowMs: number },
): void {
  if (revokeFamily(tx, sessionId, nowMs) !== null)
    audit(tx, { userId, atMs: nowMs, action: 'signed_out', subject: sessionId });
}

function wholeSeconds(ms: number): number {
  return Math.floor(ms / 1_000) * 1_000;
}

function refusalOf({ kind }: Rotation): AppError {
  return kind === 'expired'
    ? new AppError('token_expired', 'the session has expired; sign in again')
    : new AppError('token_invalid', 'the refresh token is no longer good; sign in again');
}
