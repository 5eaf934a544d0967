import { BoundedMap } from '../../domain/bounded-map.ts';
import { KEYS } from '../../../config/limits.ts';
import { VENUE_A } from '../../../config/limits/venue-a.ts';
import { AppError } from '../../domain/errors.ts';
import type { Address, UserId } from '../../domain/ids.ts';
import { usdcMicros } from '../../domain/units.ts';
import type { Clock } from '../../ports/clock.ts';
import type { KeyVault } from '../../ports/key-vault.ts';
import type { Deposit, VenueAccounts } from '../../ports/venue.ts';
import type { Keccak } from '../../adapters/wire/keccak.ts';
import { walletHeaders, type ApiCredentials, type AuthHeaders } from './auth.ts';
import { errorText, jsonOf, type Account, type VenueClient } from './client.ts';
import { microsOfNumber, msOfTimestamp } from './decimals.ts';
import { activitySchema, balanceSchema, credentialsSchema } from './schema.ts';

/** Where sealed trading credentials outlive the process. */
export interface CredentialStore {
  /** Null when the user's venue account was never opened. */
  get(userId: UserId): string | null;
  put(userId: UserId, sealed: string): Promise<void>;
}

/** The venue accounts of users, and what the other parts of the adapter need of them. */
export interface Accounts extends VenueAccounts {
  /** The account if it is open. Errors: `not_found` otherwise. */
  openAccount(userId: UserId): Account;
  /** The account where its credentials are in memory: what goes out for it need not wait. */
  heldAccount(userId: UserId): Account | null;
  /** The account, opened first if need be. Errors: those of `open`. */
  accountOf(userId: UserId): Promise<Account>;
  /**
   * Makes the venue read the chain again instead of its cache of balances (venue_a.md section
   * 14.4).
   */
  refreshBalance(userId: UserId, tokenId: string | null): Promise<void>;
}

/** What sealed credentials are for: they open for nothing else. */
const CREDENTIALS_PURPOSE = 'venue_a credentials';

/** Rows the Data API gives at most in one page. */
const ACTIVITY_PAGE = 500;
/** Less than a millionth is no money: the ledger has no place for it. */
const LEAST_DEPOSIT = 0.000001;

/**
 * Makes the accounts: credentials are derived by the user's key, sealed on the record store, and
 * cached in memory within a bound.
 */
export function createAccounts(parts: {
  readonly client: VenueClient;
  readonly vault: KeyVault;
  readonly keccak: Keccak;
  readonly clock: Clock;
  readonly chainId: number;
  readonly signatureType: 0 | 2 | 3;
  readonly records: CredentialStore;
  /** Address whose funds move. */
  readonly funderOf: (userId: UserId) => Address;
}): Accounts {
  const { client, vault, keccak, clock, chainId, signatureType, records, funderOf } = parts;
  const cached = new BoundedMap<UserId, ApiCredentials>(KEYS.unsealedMaximum);
  const opening = new Map<UserId, Promise<void>>();
  const remember = (userId: UserId, credentials: ApiCredentials): ApiCredentials => {
    cached.set(userId, credentials);
    return credentials;
  };
  const known = (userId: UserId): ApiCredentials | null => {
    const inMemory = cached.get(userId);
    if (inMemory !== undefined) return inMemory;
    const sealed = records.get(userId);
    return sealed === null ? null : remember(userId, unsealCredentials(vault, userId, sealed));
  };
  const obtain = async (userId: UserId): Promise<void> => {
    if (known(userId) !== null) return;
    const nowS = Math.floor(clock.nowMs() / 1_000);
    const headers = walletHeaders({ keccak, vault, chainId }, userId, nowS);
    const credentials = await createOrDerive(client, userId, headers);
    await records.put(
      userId,
      vault.sealFor(userId, CREDENTIALS_PURPOSE, JSON.stringify(credentials)),
    );
    remember(userId, credentials);
  };
  const open = (userId: UserId): Promise<void> => {
    const running = opening.get(userId);
    if (running !== undefined) return running;
    const started = obtain(userId).finally(() => opening.delete(userId));
    opening.set(userId, started);
    return started;
  };
  const openAccount = (userId: UserId): Account => {
    const credentials = known(userId);
    if (credentials === null)
      throw new AppError('not_found', `the venue account of user ${userId} is not open`);
    return { address: vault.addressOf(userId), credentials };
  };
  const heldAccount = (userId: UserId): Account | null => {
    const credentials = cached.get(userId);
    return credentials === undefined ? null : { address: vault.addressOf(userId), credentials };
  };
  const accountOf = async (userId: UserId): Promise<Account> => {
    if (known(userId) === null) await open(userId);
    return openAccount(userId);
  };
  return {
    open,
    openAccount,
    heldAccount,
    accountOf,
    deposits: (userId, sinceMs) => readDeposits(client, funderOf(userId), sinceMs),
    async collateral(userId) {
      const answer = balanceSchema.safeParse(
        await client.read({
          family: 'ledger',
          method: 'GET',
          path: '/balance-allowance',
          account: await accountOf(userId),
          query: { asset_type: 'COLLATERAL', signature_type: String(signatureType) },
        }),
      );
      if (!answer.success) throw new AppError('venue_protocol', 'the balance is no integer text');
      return usdcMicros(Number(answer.data.balance));
    },
    async refreshBalance(userId, tokenId) {
      await client.call({
        family: 'ledger',
        method: 'GET',
        path: '/balance-allowance/update',
        account: await accountOf(userId),
        query: {
          ...(tokenId === null
            ? { asset_type: 'COLLATERAL' }
            : { asset_type: 'CONDITIONAL', token_id: tokenId }),
          signature_type: String(signatureType),
        },
      });
    },
  };
}

/**
 * Creates the key, or derives the one that exists already: both give the same for the same wallet
 * (venue_a.md section 2.1).
 */
async function createOrDerive(
  client: VenueClient,
  userId: UserId,
  headers: AuthHeaders,
): Promise<ApiCredentials> {
  for (const [method, path] of [
    ['POST', '/auth/api-key'],
    ['GET', '/auth/derive-api-key'],
  ] as const) {
    const outcome = await client.call({
      family: 'keys',
      method,
      path,
      headers,
      timeoutMs: VENUE_A.writeTimeoutMs,
    });
    if (outcome.kind !== 'answered')
      throw new AppError('venue_unavailable', `${method} ${path}: ${outcome.cause}`, {
        retryable: true,
      });
    if (outcome.status === 403)
      throw new AppError('venue_restricted', `${method} ${path}: refused with 403`);
    const value = jsonOf(outcome.text);
    const read = credentialsSchema.safeParse(value);
    if (outcome.status < 300 && read.success)
      return { key: read.data.apiKey, secret: read.data.secret, passphrase: read.data.passphrase };
    if (outcome.status !== 400)
      throw new AppError(
        'venue_unavailable',
        `${method} ${path}: answered ${outcome.status} ${errorText(value).slice(0, 200)}`.trimEnd(),
        { retryable: true },
      );
  }
  throw new AppError(
    'venue_unavailable',
    `the venue neither creates nor derives credentials for user ${userId}`,
    { retryable: true },
  );
}

function unsealCredentials(vault: KeyVault, userId: UserId, sealed: string): ApiCredentials {
  const value = jsonOf(vault.unsealFor(userId, CREDENTIALS_PURPOSE, sealed));
  // Written by `obtain` above and authenticated by the seal.
  if (
    typeof value === 'object' &&
    value !== null &&
    'key' in value &&
    'secret' in value &&
    'passphrase' in value
  )
    return value as ApiCredentials;
  throw new AppError('store_corrupt', 'unexpected format of the sealed venue credentials');
}

async function readDeposits(
  client: VenueClient,
  funder: Address,
  sinceMs: number,
): Promise<readonly Deposit[]> {
  const deposits: Deposit[] = [];
  const timesSeen = new Map<string, number>();
  for (let page = 0; page < VENUE_A.pagesMaximum; page += 1) {
    const rows = activitySchema.safeParse(
      await client.read({
        family: 'data',
        method: 'GET',
        path: '/activity',
        query: {
          user: funder,
          type: 'DEPOSIT',
          start: String(Math.floor(sinceMs / 1_000)),
          sortBy: 'TIMESTAMP',
          sortDirection: 'ASC',
          limit: String(ACTIVITY_PAGE),
          offset: String(page * ACTIVITY_PAGE),
        },
      }),
    );
    if (!rows.success)
      throw new AppError('venue_protocol', 'unexpected format of the list of deposits');
    for (const row of rows.data) {
      if (row.type !== 'DEPOSIT') continue;
      const usdc = Math.abs(row.usdcSize) < LEAST_DEPOSIT ? 0 : microsOfNumber(row.usdcSize);
      if (usdc === 0) continue;
      if (usdc === null)
        throw new AppError('venue_protocol', `a deposit of ${row.usdcSize} USDC is not exact`);
      const nth = (timesSeen.get(row.transactionHash) ?? 0) + 1;
      timesSeen.set(row.transactionHash, nth);
      // One transaction may hold several deposits: the further ones are distinguished by their
      // place.
      deposits.push({
        depositId: nth === 1 ? row.transactionHash : `${row.transactionHash}#${nth}`,
        usdc: usdcMicros(usdc),
        atMs: msOfTimestamp(row.timestamp),
      });
    }
    if (rows.data.length < ACTIVITY_PAGE) return deposits.sort((a, b) => a.atMs - b.atMs);
  }
  throw new AppError(
    'venue_protocol',
    `more than ${VENUE_A.pagesMaximum * ACTIVITY_PAGE} deposits since ${sinceMs}`,
  );
}
