import { TOKEN_TRANSFER } from '../../config/limits/funds.ts';
import { PROFILE_REMOVAL } from '../../config/limits/identity.ts';
import { CASH_ACCOUNTS } from '../domain/cash.ts';
import type { AuditAction } from '../domain/events.ts';
import { AppError, type FieldError } from '../domain/errors.ts';
import type { UserId } from '../domain/ids.ts';
import { addressKey } from '../domain/chain-address.ts';
import { formatTokenAmount } from '../domain/token-amount.ts';
import { formatMicros, usdcMicros } from '../domain/units.ts';
import type { Runtime } from '../ports/runtime.ts';
import type { SecretDigests } from '../ports/identity.ts';
import type { UserDirectory } from '../ports/user-directory.ts';
import type { KeyVault } from '../ports/key-vault.ts';
import type { StoreReader, StoreWriter } from '../ports/store.ts';
import type { Agents } from './agents/agents-types.ts';
import { API_KEY_RECORDS } from './api-keys/tables.ts';
import { audit } from './audit.ts';
import { balanceOf } from './books/record-changes.ts';
import { OPEN_FILLS, OPEN_HOLDS, OPEN_ORDERS, POSITION_TIMES, POSITIONS } from './books/tables.ts';
import { DEPOSIT_ADDRESSES, type Deposits } from './funding/deposit-addresses.ts';
import { OPEN_DEPOSITS } from './funding/tables.ts';
import { PUSH_ENDPOINTS, PUSH_SUBSCRIPTIONS } from './notifications/tables.ts';
import { claimsOf, giveUp } from './sign-in/claims.ts';
import type { Client } from './sign-in/client.ts';
import type { Codes, CodeSent, OwnPurpose } from './sign-in/codes.ts';
import { withoutWays } from './sign-in/login-identities.ts';
import { revokeFamily, runningFamilies } from './sign-in/refresh-token-families.ts';
import { REMOVED_ADDRESSES, USERNAMES, USERS } from './sign-in/tables.ts';
import { phoneOf } from './sign-in/user-phone.ts';
import { skeletonOf } from './sign-in/usernames.ts';
import { OPEN_SWAPS } from './swaps/tables.ts';
import { paymentsTo } from './transactions/payments.ts';
import { OPEN_TRANSACTIONS } from './transactions/tables.ts';
import type { TokenBalance } from './web3/balances.ts';
import type { WalletView, WalletViews } from './web3/wallet-views.ts';

/** Ends an account for good, against a fresh one-time code that is good for nothing else. */
export interface ProfileRemoval {
  /**
   * Sends a code to the user's own phone, once nothing is held. Errors: those of `remove` but of a
   * code, and of `KeyExport.requestCode`.
   */
  requestCode(userId: UserId, client: Client): Promise<CodeSent>;
  /**
   * Stops the user's agents, and ends sessions, API keys, push subscriptions, the username and
   * every login identity in one commit; the account cannot be signed in to again. What happened
   * stays in the journal, and the wallets' keys stay sealed. Resolves with the moment. Errors:
   * `account_not_empty` with every place where something is held, `chain_unavailable` where a
   * wallet cannot be read, `bridge_unavailable` where it is not known what is on its way, those of
   * a code (`KeyExport.exportKey`).
   */
  remove(userId: UserId, proof: RemovalProof, client: Client): Promise<number>;
}

/** What a user shows to have their account ended; null for what is missing. */
interface RemovalProof {
  readonly challengeId: string | null;
  readonly code: string | null;
}

/** Makes the service. */
export function createProfileRemoval(
  deps: Pick<Runtime, 'store' | 'commit' | 'clock' | 'log'> & {
    readonly digests: SecretDigests;
    readonly directory: UserDirectory;
    readonly vault: Pick<KeyVault, 'unseal'>;
    readonly codes: Codes;
    readonly agents: Pick<Agents, 'stopAll'>;
    readonly wallets: Pick<WalletViews, 'view' | 'chains'>;
    readonly deposits: Pick<Deposits, 'refresh'>;
  },
): ProfileRemoval {
  const { store, commit, clock, codes, wallets } = deps;
  /** What lies on a chain that this service has no node of came there without it. */
  const walletsOf = async (userId: UserId): Promise<readonly WalletView[]> => {
    const reached = new Set(
      wallets.chains().flatMap((each) => (each.isConnected ? each.chain : [])),
    );
    return (await wallets.view(userId, clock.nowMs())).filter(({ chain }) => reached.has(chain));
  };
  /** Payments that were made a moment ago are in no books before the bridge is asked. */
  const assertNothingHeld = async (userId: UserId): Promise<void> => {
    await deps.deposits.refresh(userId);
    assertEmpty(heldInBooks(store, userId, clock.nowMs()));
    assertEmpty(heldInWallets(await walletsOf(userId)));
  };
  const note = (
    tx: StoreWriter,
    userId: UserId,
    client: Client,
    [action, subject]: readonly [AuditAction, string],
  ): void =>
    audit(tx, {
      userId,
      atMs: clock.nowMs(),
      action,
      subject,
      origin: client.address === null ? null : deps.digests.digest('address', client.address),
    });
  return {
    async requestCode(userId, client) {
      const phone = phoneOf(store, userId);
      await assertNothingHeld(userId);
      const sent = await codes.requestFor(
        userId,
        deps.vault.unseal(phone.sealed),
        purposeOf(userId),
      );
      await commit((tx) => note(tx, userId, client, ['removal_asked', phone.masked]));
      return sent;
    },
    async remove(userId, { challengeId, code }, client) {
      if (challengeId === null || code === null)
        throw new AppError(
          'code_required',
          'ask for a code first, and send it with its challenge in the headers X-Challenge-Id and X-One-Time-Code',
        );
      const sinceMs = clock.nowMs();
      // first what needs no code: one is used up by a refusal
      await assertNothingHeld(userId);
      await codes.prove(challengeId, code, purposeOf(userId));
      await deps.agents.stopAll(userId);
      const user = store.get(USERS, [userId])?.value;
      const removedAtMs = await commit((tx) => {
        // an order may have been placed meanwhile, or a payment have come after its wallet was read
        assertEmpty(heldInBooks(tx, userId, sinceMs));
        codes.use(tx, challengeId);
        note(tx, userId, client, ['account_removed', userId]);
        return end(tx, userId, clock.nowMs());
      });
      if (user !== undefined) await giveUp(deps, claimsOf(user, deps.digests));
      return removedAtMs;
    },
  };
}

function purposeOf(userId: UserId): OwnPurpose {
  return `remove ${userId}`;
}

/** Ends every means of using the account; returns the moment. */
function end(tx: StoreWriter, userId: UserId, nowMs: number): number {
  const user = tx.get(USERS, [userId])?.value;
  if (user === undefined) throw new AppError('not_found', `there is no user ${userId}`);
  for (const { familyId } of runningFamilies(tx, userId, nowMs)) revokeFamily(tx, familyId, nowMs);
  for (const { key, value } of tx.range(API_KEY_RECORDS, { prefix: [userId] }))
    if (value.revokedAtMs === null) tx.put(API_KEY_RECORDS, key, { ...value, revokedAtMs: nowMs });
  for (const { key, value } of tx.range(PUSH_SUBSCRIPTIONS, { prefix: [userId] })) {
    tx.remove(PUSH_SUBSCRIPTIONS, key);
    tx.remove(PUSH_ENDPOINTS, [value.endpointDigest]);
  }
  for (const address of addressesOf(tx, userId))
    tx.put(REMOVED_ADDRESSES, [addressKey(address)], { userId });
  if (user.username !== null) tx.remove(USERNAMES, [skeletonOf(user.username)]);
  tx.put(USERS, [userId], { ...withoutWays(tx, user), username: null, removedAtMs: nowMs });
  return nowMs;
}

/**
 * Returns what the books hold of a user, a sentence a place, and what others pay them that has not
 * arrived before `sinceMs`.
 */
function heldInBooks(reader: StoreReader, userId: UserId, sinceMs: number): readonly FieldError[] {
  const cash = CASH_ACCOUNTS.flatMap((account): readonly FieldError[] => {
    const { settled, provisional } = balanceOf(reader, userId, account);
    return settled + provisional < PROFILE_REMOVAL.dustMicros
      ? []
      : [
          {
            path: `/cash/${account}`,
            message: `${formatMicros(usdcMicros(settled + provisional))} USDC`,
          },
        ];
  });
  return [
    ...cash,
    ...counted([
      ['positions', heldPositions(reader, userId)],
      ['orders', reader.range(OPEN_ORDERS, { prefix: [userId] }).length],
      ['fills', reader.range(OPEN_FILLS, { prefix: [userId] }).length],
      ['holds', reader.range(OPEN_HOLDS, { prefix: [userId] }).length],
      ['transactions', reader.range(OPEN_TRANSACTIONS, { prefix: [userId] }).length],
      ['incoming', incomingOf(reader, userId, sinceMs)],
      ['swaps', reader.range(OPEN_SWAPS, { prefix: [userId] }).length],
      ['deposits', reader.range(OPEN_DEPOSITS, { prefix: [userId] }).length],
    ]),
  ];
}

function counted(places: readonly (readonly [string, number])[]): readonly FieldError[] {
  return places
    .filter(([, count]) => count > 0)
    .map(([what, count]) => ({ path: `/${what}`, message: `${count} open` }));
}

/**
 * Counts what is on its way to a user. What arrived before its wallet was read is seen there; of a
 * deposit address the bridge may tell later.
 */
function incomingOf(reader: StoreReader, userId: UserId, sinceMs: number): number {
  return (
    paymentsTo(reader, walletsIn(reader, userId), sinceMs) +
    paymentsTo(reader, depositsIn(reader, userId), sinceMs - TOKEN_TRANSFER.bridgeTellsMs)
  );
}

/** Returns every address that a user may be paid at. */
function addressesOf(reader: StoreReader, userId: UserId): readonly string[] {
  return [...walletsIn(reader, userId), ...depositsIn(reader, userId)];
}

function walletsIn(reader: StoreReader, userId: UserId): readonly string[] {
  const user = reader.get(USERS, [userId])?.value;
  return user === undefined ? [] : [user.address, user.solanaAddress, user.safe];
}

function depositsIn(reader: StoreReader, userId: UserId): readonly string[] {
  const given = reader.get(DEPOSIT_ADDRESSES, [userId])?.value.addresses;
  return given === undefined ? [] : [given.evm, given.solana, given.bitcoin, given.tron];
}

/** Counts open positions, without what a sale leaves and no venue takes an order for. */
function heldPositions(reader: StoreReader, userId: UserId): number {
  return reader.range(POSITION_TIMES, { prefix: [userId, 'open'] }).filter(({ key }) => {
    const held = reader.get(POSITIONS, [userId, String(key.at(-1))])?.value;
    return held === undefined || Math.abs(held.shares) >= PROFILE_REMOVAL.dustShareMicros;
  }).length;
}

/**
 * Returns what wallets hold beside dust. Errors: `chain_unavailable` for one that could not be
 * read.
 */
function heldInWallets(wallets: readonly WalletView[]): readonly FieldError[] {
  return wallets.flatMap(({ chain, walletType, balances, error }) => {
    if (balances === null)
      throw new AppError('chain_unavailable', `your wallet on ${chain} cannot be read: ${error}`, {
        retryable: true,
      });
    return [balances.native, ...balances.tokens].filter(isWorthKeeping).map((balance) => ({
      path: `/wallets/${walletType}/${chain}`,
      message: `${formatTokenAmount(balance.raw, balance.decimals)} ${balance.symbol ?? balance.address}`,
    }));
  });
}

/** What has no price is worth something where we know it, and may be anything where we do not. */
function isWorthKeeping({ raw, worthMicros, origin }: TokenBalance): boolean {
  if (raw === 0n) return false;
  return worthMicros === null ? origin === 'known' : worthMicros >= PROFILE_REMOVAL.dustMicros;
}

function assertEmpty(held: readonly FieldError[]): void {
  if (held.length === 0) return;
  const places = held.map(({ path, message }) => `${path.slice(1)}: ${message}`).join('; ');
  throw new AppError('account_not_empty', `your account still holds something: ${places}`, {
    fields: held,
  });
}
