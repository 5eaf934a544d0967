import {
  ResponseBodyError,
  WWWAuthenticateChallengeError,
  allowInsecureRequests,
  authorizationCodeGrant,
  buildAuthorizationUrl,
  calculatePKCECodeChallenge,
  clockTolerance,
  customFetch,
  discovery,
  enableNonRepudiationChecks,
  type Configuration,
  type IDToken,
} from 'openid-client';
import { LOGIN_ATTEMPTS } from '../../../config/limits/identity.ts';
import { AppError } from '../../domain/errors.ts';
import type { OpenIdPerson, OpenIdProvider } from '../../ports/open-id.ts';
import { createBoundedFetch, unavailable } from './bounded-fetch.ts';

/** The registration of this service as a client of a provider (RFC 6749, section 2). */
interface ClientRegistration {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** Where the provider sends the browser back to, exactly as it is registered there. */
  readonly returnTo: string;
}

/**
 * Subjects of Google are 21 digits; other providers' are ASCII of at most 255 (OpenID Connect Core,
 * section 2).
 */
const SUBJECT = /^[\x21-\x7e]{1,255}$/;
/** Words of the provider about our own registration: no person can do anything about them. */
const OUR_FAULTS: ReadonlySet<string> = new Set([
  'invalid_client',
  'unauthorized_client',
  'unsupported_grant_type',
]);

/**
 * Signs people in at an OpenID provider: code flow with PKCE, state and nonce, and an RS256 token
 * whose signature, issuer, audience, party, times and nonce are checked, although it came over the
 * provider's own connection. Source: identity.md section 3. Plain http is spoken to loopback only.
 * A call may take `timeoutMs` of real time.
 */
export function createOpenId(
  registration: ClientRegistration,
  timeoutMs: number = LOGIN_ATTEMPTS.callTimeoutMs,
): OpenIdProvider {
  const { clientId, returnTo } = registration;
  const discovered = createDiscovery(registration, timeoutMs);
  return {
    async begin({ state, nonce, verifier }) {
      const url = buildAuthorizationUrl(await discovered(), {
        redirect_uri: returnTo,
        scope: 'openid email',
        state,
        nonce,
        prompt: 'select_account',
        code_challenge: await calculatePKCECodeChallenge(verifier),
        code_challenge_method: 'S256',
      });
      return url.href;
    },
    async finish(returnedTo, { state, nonce, verifier }) {
      try {
        const tokens = await authorizationCodeGrant(
          await discovered(),
          answerOf(returnedTo, returnTo),
          {
            expectedState: state,
            expectedNonce: nonce,
            pkceCodeVerifier: verifier,
            idTokenExpected: true,
          },
        );
        return personOf(tokens.claims(), clientId);
      } catch (cause) {
        throw refusal(cause);
      }
    },
  };
}

function createDiscovery(
  { issuer, clientId, clientSecret }: ClientRegistration,
  timeoutMs: number,
): () => Promise<Configuration> {
  const server = new URL(issuer);
  let found: Promise<Configuration> | null = null;
  const discover = async (): Promise<Configuration> => {
    const metadata = {
      client_secret: clientSecret,
      id_token_signed_response_alg: 'RS256',
      [clockTolerance]: LOGIN_ATTEMPTS.skewSeconds,
    };
    const execute = [
      enableNonRepudiationChecks,
      ...(isLoopback(server) ? [allowInsecureRequests] : []),
    ];
    try {
      return await discovery(server, clientId, metadata, undefined, {
        execute,
        timeout: timeoutMs / 1_000,
        [customFetch]: createBoundedFetch(LOGIN_ATTEMPTS.answerMaximumBytes),
      });
    } catch (cause) {
      found = null;
      throw unavailableWithin(cause) ?? unavailable('says nothing of itself that can be used');
    }
  };
  return () => (found ??= discover());
}

function isLoopback({ protocol, hostname }: URL): boolean {
  return protocol === 'http:' && ['127.0.0.1', '[::1]', 'localhost'].includes(hostname);
}

/**
 * What the provider said, at our own address: the caller's word for where that was counts for
 * nothing.
 */
function answerOf(returnedTo: string, returnTo: string): URL {
  const url = new URL(returnTo);
  const mark = returnedTo.indexOf('?');
  url.search = mark < 0 ? '' : returnedTo.slice(mark).replace(/#.*$/, '');
  return url;
}

function personOf(claims: IDToken | undefined, clientId: string): OpenIdPerson {
  if (claims === undefined || !SUBJECT.test(claims.sub))
    throw new AppError('sign_in_refused', 'the provider does not say who this is');
  if (claims.azp !== undefined && claims.azp !== clientId)
    throw new AppError('sign_in_refused', 'the token was made for another party');
  const { email, email_verified: isVerified } = claims;
  return {
    subject: claims.sub,
    email:
      isVerified === true && typeof email === 'string' && /^[^\s@]{1,64}@[^\s@]{1,255}$/.test(email)
        ? email
        : null,
  };
}

/**
 * Whatever is not as it must be refuses the person; only a provider that did not answer, or does
 * not know us, does not.
 */
function refusal(cause: unknown): AppError {
  const lost = unavailableWithin(cause);
  // the visit is over: the same call cannot succeed later
  if (lost !== null) return new AppError('sign_in_unavailable', `${lost.message}; begin again`);
  if (cause instanceof AppError) return cause;
  if (
    cause instanceof WWWAuthenticateChallengeError ||
    (cause instanceof ResponseBodyError && OUR_FAULTS.has(cause.error))
  ) {
    return new AppError('sign_in_unavailable', 'the OpenID provider does not know us');
  }
  return new AppError('sign_in_refused', `the provider's answer does not hold: ${reasonOf(cause)}`);
}

function reasonOf(cause: unknown): string {
  if (cause instanceof ResponseBodyError)
    return `it refused the code with ${/^[a-z_]{1,40}$/.test(cause.error) ? cause.error : 'an error'}`;
  // the library's own words name the claim or parameter, and hold no value of it
  return cause instanceof Error && 'code' in cause && typeof cause.code === 'string'
    ? cause.code
    : 'it makes no sense';
}

function unavailableWithin(cause: unknown): AppError | null {
  for (let each = cause; each instanceof Error; each = each.cause) {
    if (each instanceof AppError && each.code === 'sign_in_unavailable') return each;
  }
  return null;
}
