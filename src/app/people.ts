import type { Endpoints, Profile } from '../../config/profiles/profile.ts';
import { createEvmChain } from '../adapters/evm/evm-chain.ts';
import { openIdentity } from '../adapters/identity/identity.ts';
import type { InternalSecret } from '../adapters/identity/internal-secret.ts';
import { createInternalSecret } from '../adapters/identity/internal-secret.ts';
import { createOwnCodes } from '../adapters/identity/own-codes.ts';
import { createOpenId } from '../adapters/open-id/open-id.ts';
import { createSocialRegistry } from '../adapters/siwf/registry.ts';
import { SIWF_CHAIN_ID, createSiwf } from '../adapters/siwf/siwf.ts';
import { createTwilioVerify } from '../adapters/twilio-verify/twilio-verify.ts';
import { usdcMicros } from '../domain/units.ts';
import { AppError } from '../domain/errors.ts';
import type { SecretDigests } from '../ports/identity.ts';
import type { PhoneVerifier } from '../ports/phone-verifier.ts';
import type { ApiKeys } from '../services/api-keys/api-keys.ts';
import { createApiKeys } from '../services/api-keys/api-keys.ts';
import type { KeyExport } from '../services/keys/key-export.ts';
import { createKeyExport } from '../services/keys/key-export.ts';
import type { Accounts } from '../services/sign-in/accounts.ts';
import { createAccounts } from '../services/sign-in/accounts.ts';
import { createCodes } from '../services/sign-in/codes.ts';
import type { OtherHouses, OtherHousesDeps } from '../services/sign-in/other-houses.ts';
import { createOtherHouses } from '../services/sign-in/other-houses.ts';
import type { Sessions } from '../services/sign-in/sessions.ts';
import { createSessions } from '../services/sign-in/sessions.ts';
import type { Trading } from '../services/trading.ts';
import { createCodeDesk } from './code-desk.ts';
import type { House } from './house.ts';
import type { Outside } from './outside.ts';

/** Users and their sessions. */
export interface People {
  readonly accounts: Accounts;
  readonly sessions: Sessions;
  readonly otherHouses: OtherHouses;
  readonly keyExport: KeyExport;
  readonly apiKeys: ApiKeys;
  readonly digests: SecretDigests;
  readonly internal: InternalSecret;
  /** The last code that was sent to a phone; null when nobody can know it. */
  readonly codeFor: (phone: string) => string | null;
  /** Ends what runs by itself. */
  stop(): Promise<void>;
}

/** Opens sign-in and accounts. Errors: `master_key_wrong` when the house's own secrets were sealed under another key. */
export async function openPeople(
  house: House,
  profile: Profile,
  {
    endpoints,
    outside,
    trading,
    print,
  }: {
    readonly endpoints: Endpoints;
    readonly outside: Outside;
    readonly trading: Trading;
    readonly print: (line: string) => void;
  },
): Promise<People> {
  const { store, random, vault, wallets, log, metrics, wallClock: clock } = house;
  const identity = await openIdentity({
    store,
    vault,
    random,
    clock,
    log,
    issuer: 'predictd',
    audience: 'predictd',
  });
  const { digests, tokens } = identity;
  const desk = createCodeDesk(print);
  const { countries, codes, internalSecrets } = profile.identity;
  const accounts = createAccounts({
    store,
    commit: trading.commit,
    clock,
    random,
    vault,
    log,
    safeOf: wallets.safeOf,
    venues: outside.venues,
    grantUsdc: usdcMicros(profile.grantUsdcMicros),
    syncDeposits: (userId, venue) => trading.funding.syncDeposits(userId, venue),
  });
  const telephone = typeof codes === 'object' ? createTwilioVerify(codes) : null;
  const phones =
    telephone ??
    (codes === 'shown' ? createOwnCodes({ random, clock, digests, deliver: desk.show }) : NO_CODES);
  const codesDeps = {
    store,
    commit: trading.commit,
    clock,
    random,
    vault,
    digests,
    phones,
    metrics,
    countries: new Set(countries),
  };
  const sessions = createSessions({ ...codesDeps, tokens, accounts, log });
  const otherHouses = createOtherHouses({
    commit: trading.commit,
    clock,
    random,
    vault,
    digests,
    sessions,
    ...openHouses(profile, endpoints, house),
  });
  return {
    accounts,
    sessions,
    otherHouses,
    digests,
    keyExport: createKeyExport({
      store,
      commit: trading.commit,
      clock,
      digests,
      vault,
      codes: createCodes(codesDeps),
    }),
    apiKeys: createApiKeys({ store, commit: trading.commit, clock, random, digests, tokens }),
    internal: createInternalSecret(internalSecrets),
    codeFor: desk.codeFor,
    async stop() {
      accounts.stop();
      identity.stop();
      await telephone?.close();
    },
  };
}

/** The other houses of a profile; null where it has none. */
function openHouses(
  { identity: { google, social } }: Profile,
  { openId, socialRpc }: Endpoints,
  { metrics }: House,
): Pick<OtherHousesDeps, 'google' | 'social'> {
  return {
    google: google === null || openId === null ? null : createOpenId({ ...google, issuer: openId }),
    social:
      social === null || socialRpc === null
        ? null
        : {
            ...social,
            login: createSiwf(
              createSocialRegistry(
                createEvmChain({ chainId: SIWF_CHAIN_ID, rpcUrl: socialRpc, metrics }),
              ),
            ),
          },
  };
}

/** Sign-in by phone where nobody can bring a code to one. */
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
