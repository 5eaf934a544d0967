import type { Endpoints, Profile } from '../../config/profiles/profile.ts';
import { createEvmChain } from '../adapters/evm/evm-chain.ts';
import { openSignInSecrets } from '../adapters/identity/sign-in-secrets.ts';
import { createInternalSecret, type InternalSecret } from '../adapters/identity/internal-secret.ts';
import { createOwnCodes } from '../adapters/identity/own-codes.ts';
import { createOpenId } from '../adapters/open-id/open-id.ts';
import { createSocialRelay } from '../adapters/siwf/relay.ts';
import { createSocialRegistry } from '../adapters/siwf/registry.ts';
import { SIWF_CHAIN_ID, createSiwf } from '../adapters/siwf/siwf.ts';
import { createTwilioVerify } from '../adapters/twilio-verify/twilio-verify.ts';
import { usdcMicros } from '../domain/units.ts';
import { AppError } from '../domain/errors.ts';
import type { SecretDigests } from '../ports/identity.ts';
import type { PhoneVerifier } from '../ports/phone-verifier.ts';
import { createApiKeys, type ApiKeys } from '../services/api-keys/api-keys.ts';
import { createKeyActivity, type KeyActivity } from '../services/api-keys/key-activity.ts';
import { createKeyExport, type KeyExport } from '../services/keys/key-export.ts';
import { createAccounts, type Accounts } from '../services/sign-in/accounts.ts';
import { createCodes, type Codes } from '../services/sign-in/codes.ts';
import {
  createFederatedIdentity,
  type FederatedIdentity,
  type FederatedIdentityDeps,
} from '../services/sign-in/federated-identity.ts';
import { createSessions, type Sessions } from '../services/sign-in/sessions.ts';
import type { Trading } from '../services/trading.ts';
import { createCodePrinter } from './code-printer.ts';
import { leasedPhones } from './leased.ts';
import type { OpenRuntime } from './runtime.ts';
import type { ExternalServices } from './external-services.ts';

/** Users and their sessions. */
export interface Identity {
  readonly accounts: Accounts;
  readonly sessions: Sessions;
  readonly federatedIdentity: FederatedIdentity;
  readonly keyExport: KeyExport;
  /** One-time codes for what is not undone. */
  readonly codes: Codes;
  readonly apiKeys: ApiKeys;
  readonly keyActivity: KeyActivity;
  readonly digests: SecretDigests;
  readonly internal: InternalSecret;
  /** The last code that was sent to a phone; null when it is unknown. */
  readonly codeFor: (phone: string) => string | null;
  /** Ends what runs by itself. */
  stop(): Promise<void>;
}

/**
 * Opens sign-in and accounts. Errors: `master_key_wrong` when the service's own secrets were sealed
 * under another key.
 */
export async function openIdentity(
  runtime: OpenRuntime,
  profile: Profile,
  {
    endpoints,
    external,
    trading,
    print,
  }: {
    readonly endpoints: Endpoints;
    readonly external: ExternalServices;
    readonly trading: Trading;
    readonly print: (line: string) => void;
  },
): Promise<Identity> {
  const { store, random, vault, wallets, log, metrics, directory, wallClock: clock } = runtime;
  const secrets = await openSignInSecrets({
    store,
    vault,
    random,
    clock,
    log,
    issuer: 'predictd',
    audience: 'predictd',
    share: runtime.share,
  });
  const { digests, tokens } = secrets;
  const execution = createCodePrinter(print);
  const { countries, codes, internalSecrets } = profile.identity;
  const accounts = createAccounts({
    store,
    commit: trading.commit,
    clock,
    random,
    digests,
    directory,
    vault,
    log,
    safeOf: wallets.safeOf,
    venues: external.venues,
    grantUsdc: usdcMicros(profile.grantUsdcMicros),
    syncDeposits: (userId, venue) => trading.funding.syncDeposits(userId, venue),
  });
  const telephone = typeof codes === 'object' ? createTwilioVerify(codes) : null;
  const phones =
    telephone ??
    (codes === 'shown'
      ? createOwnCodes({ random, clock, digests, deliver: execution.show })
      : NO_CODES);
  const codesDeps = {
    store,
    commit: trading.commit,
    clock,
    random,
    directory,
    vault,
    digests,
    phones: leasedPhones(phones, runtime.lease),
    metrics,
    countries: new Set(countries),
  };
  const oneTimeCodes = createCodes(codesDeps);
  const sessions = createSessions({ ...codesDeps, tokens, accounts, log });
  const social = openSocial(profile, endpoints, runtime);
  const federatedIdentity = createFederatedIdentity({
    store,
    commit: trading.commit,
    clock,
    random,
    directory,
    vault,
    digests,
    sessions,
    google: openGoogle(profile, endpoints),
    social,
  });
  return {
    accounts,
    sessions,
    federatedIdentity,
    digests,
    keyExport: createKeyExport({
      store,
      commit: trading.commit,
      clock,
      digests,
      vault,
      codes: oneTimeCodes,
    }),
    codes: oneTimeCodes,
    keyActivity: createKeyActivity({ store, commit: trading.commit }),
    apiKeys: createApiKeys({
      store,
      commit: trading.commit,
      clock,
      random,
      directory,
      digests,
      tokens,
    }),
    internal: createInternalSecret(internalSecrets),
    codeFor: execution.codeFor,
    async stop() {
      accounts.stop();
      secrets.stop();
      await telephone?.close();
      await social?.relay.close();
    },
  };
}

/** Sign-in at Google; null where the profile has none. */
function openGoogle(
  { identity: { google } }: Profile,
  { openId }: Endpoints,
): FederatedIdentityDeps['google'] {
  return google === null || openId === null ? null : createOpenId({ ...google, issuer: openId });
}

/** The social protocol; null where the profile has none. */
function openSocial(
  { identity: { social } }: Profile,
  { socialRpc, socialRelay }: Endpoints,
  { metrics }: OpenRuntime,
) {
  if (social === null || socialRpc === null || socialRelay === null) return null;
  const chain = createEvmChain({ chainId: SIWF_CHAIN_ID, rpcUrl: socialRpc, metrics });
  return {
    ...social,
    relay: createSocialRelay({ baseUrl: socialRelay }),
    login: createSiwf(createSocialRegistry(chain)),
  };
}

/** Sign-in by phone without a service that sends codes. */
const NO_CODES: PhoneVerifier = {
  send: () => Promise.reject(unavailable()),
  check: () => Promise.reject(unavailable()),
};

function unavailable(): AppError {
  return new AppError(
    'sign_in_unavailable',
    'this profile has no telephone service to send codes by',
  );
}
