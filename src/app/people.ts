import type { Profile } from '../../config/profiles/profile.ts';
import { openIdentity } from '../adapters/identity/identity.ts';
import { usdcMicros } from '../domain/units.ts';
import type { Accounts } from '../services/sign-in/accounts.ts';
import { createAccounts } from '../services/sign-in/accounts.ts';
import type { Sessions } from '../services/sign-in/sessions.ts';
import { createSessions } from '../services/sign-in/sessions.ts';
import type { Trading } from '../services/trading.ts';
import type { CodeDesk } from './code-desk.ts';
import { createCodeDesk } from './code-desk.ts';
import type { House } from './house.ts';
import type { Outside } from './outside.ts';

/** Users and their sessions. */
export interface People {
  readonly accounts: Accounts;
  readonly sessions: Sessions;
  readonly codes: CodeDesk;
}

/** Opens sign-in and accounts. Errors: `master_key_wrong` when the house's own secrets were sealed under another key. */
export async function openPeople(house: House, profile: Profile, { outside, trading, print }: { readonly outside: Outside; readonly trading: Trading; readonly print: (line: string) => void }): Promise<People> {
  const { store, random, vault, log, wallClock: clock } = house;
  const identity = await openIdentity({ store, vault, random, issuer: 'predictd', audience: 'predictd' });
  const codes = createCodeDesk(profile.showCodes ? print : null);
  const accounts = createAccounts({
    store, commit: trading.commit, clock, random, vault, log,
    venue: outside.accounts,
    faucet: outside.faucet,
    grantUsdc: usdcMicros(profile.grantUsdcMicros),
    syncDeposits: (userId) => trading.funding.syncDeposits(userId),
  });
  const sessions = createSessions({ store, commit: trading.commit, clock, random, vault, digests: identity.digests, tokens: identity.tokens, codes, accounts, log });
  return { accounts, sessions, codes };
}
