import { z } from 'zod';
import { KEYS } from '../../../config/limits.ts';
import { VENUE_C_ACCOUNT } from '../../../config/limits/venue-c.ts';
import { hexOf } from '../../adapters/wire/hex.ts';
import { BoundedMap } from '../../domain/bounded-map.ts';
import { AppError } from '../../domain/errors.ts';
import type { Address, UserId } from '../../domain/ids.ts';
import { formatTokenAmount } from '../../domain/token-amount.ts';
import type { EvmClients } from '../../ports/chain-clients.ts';
import type { EvmFees } from '../../ports/evm-account.ts';
import type { Clock } from '../../ports/clock.ts';
import type { KeyVault } from '../../ports/key-vault.ts';
import type { VenueAccounts, WalletReads } from '../../ports/venue.ts';
import type { VenueAccount } from './account.ts';
import type { AccountToken } from './auth.ts';
import { jsonOf, type VenueClient } from './client.ts';
import type { AccountTokens } from './identity.ts';

/** Where sealed credentials outlive the process. */
export interface CredentialStore {
  /** Null where none are kept. */
  get(userId: UserId): string | null;
  put(userId: UserId, sealed: string): Promise<void>;
}

/** What a wallet has for gas, in wei. */
interface WalletGas {
  readonly fees: EvmFees;
  readonly needed: bigint;
  readonly held: bigint;
  /** What is missing, as a sentence; null where it has enough. */
  readonly problem: string | null;
}

/** Users' accounts at the venue, and their wallets, which hold all that is theirs. */
export interface Accounts extends VenueAccounts {
  readonly wallet: WalletReads;
  missing(userId: UserId): Promise<readonly string[]>;
  /** What the wallet has for gas, and what it must have. Errors: `chain_unavailable`. */
  gas(userId: UserId): Promise<WalletGas>;
  /**
   * The account, opened first if need be. Errors: `venue_unavailable`, `rate_limited` (retryable),
   * `venue_restricted`, `venue_protocol`; `wallet_not_ready` where no identity provider is set.
   */
  accountOf(userId: UserId): Promise<VenueAccount>;
  /** The venue took no more of what an account is known by: it is made anew at its next use. */
  refused(userId: UserId): void;
}

/** What sealed credentials are for: they open for nothing else. */
const CREDENTIALS_PURPOSE = 'venue_c credentials';
const COIN_DECIMALS = 18;

/** Written below, and authenticated by the seal. */
const kept = z.object({
  tokenId: z.string(),
  secret: z.string(),
  ownerId: z.int(),
  feeRateBps: z.int(),
});
type Kept = z.infer<typeof kept>;

/** A profile (venue_c.md section 8.2): its number is what orders name. */
const profileSchema = z.object({
  id: z.int().nonnegative(),
  rank: z.object({ feeRateBps: z.int().nonnegative().max(10_000) }),
});

/**
 * Creates the accounts. There is no deposit: money and shares stay in the wallet, and the venue
 * gives a token to whoever proves the wallet's key. Tokens are sealed at rest (L12).
 */
export function createAccounts(parts: {
  readonly client: VenueClient;
  /** Null where no identity provider is set: no account can be opened. */
  readonly tokens: AccountTokens | null;
  readonly vault: Pick<KeyVault, 'addressOf' | 'signPersonal' | 'sealFor' | 'unsealFor'>;
  /**
   * The user's own address on Base, their keys in memory. Errors: `not_found`, `master_key_wrong`.
   */
  readonly walletOf: (userId: UserId) => Promise<Address>;
  readonly records: CredentialStore;
  readonly wallet: WalletReads;
  /** Wall time. */
  readonly clock: Clock;
  readonly chain: {
    readonly evm: Pick<EvmClients['evm'], 'balances'>;
    readonly accounts: Pick<EvmClients['accounts'], 'fees'>;
  };
}): Accounts {
  const { client, tokens, vault, walletOf, records, wallet, clock, chain } = parts;
  const cached = new BoundedMap<UserId, Kept>(KEYS.unsealedMaximum);
  const opening = new Map<UserId, Promise<Kept>>();
  /** Whose credentials were refused: what is kept is asked about before it is used again. */
  const refused = new BoundedMap<UserId, true>(VENUE_C_ACCOUNT.refusedMaximum);
  /** When credentials were last made, wall time: a refusal right after is no matter of them. */
  const madeAtMs = new BoundedMap<UserId, number>(VENUE_C_ACCOUNT.refusedMaximum);

  async function credentialsOf(userId: UserId): Promise<Kept> {
    const known = cached.get(userId) ?? stored(userId);
    if (known !== null && refused.get(userId) !== true) return known;
    const running =
      opening.get(userId) ?? obtain(userId, known).finally(() => opening.delete(userId));
    opening.set(userId, running);
    return running;
  }

  function stored(userId: UserId): Kept | null {
    const sealed = records.get(userId);
    const read =
      sealed === null
        ? null
        : kept.safeParse(jsonOf(vault.unsealFor(userId, CREDENTIALS_PURPOSE, sealed)));
    if (read?.success !== true) return null;
    cached.set(userId, read.data);
    return read.data;
  }

  /** Takes what is kept where the venue still knows it; else a new token. */
  async function obtain(userId: UserId, before: Kept | null): Promise<Kept> {
    const known = before && (await withProfileIfKnown(client, before));
    const fresh = known ?? (await withProfile(client, await newToken(userId)));
    const sealed = vault.sealFor(userId, CREDENTIALS_PURPOSE, JSON.stringify(fresh));
    await records.put(userId, sealed);
    refused.delete(userId);
    madeAtMs.set(userId, clock.nowMs());
    cached.set(userId, fresh);
    return fresh;
  }

  async function newToken(userId: UserId): Promise<AccountToken> {
    if (tokens === null)
      throw new AppError(
        'wallet_not_ready',
        'no account at venue_c can be opened: this service knows no identity provider for it',
      );
    const sign = (text: string) => hexOf(vault.signPersonal(userId, Buffer.from(text, 'utf8')));
    return tokens.derive(vault.addressOf(userId), sign);
  }

  async function accountOf(userId: UserId): Promise<VenueAccount> {
    const address = await walletOf(userId);
    return { ...(await credentialsOf(userId)), address };
  }

  async function gas(userId: UserId): Promise<WalletGas> {
    const address = await walletOf(userId);
    const [{ wei: held }, fees] = await Promise.all([
      chain.evm.balances(address, []),
      chain.accounts.fees(),
    ]);
    const needed = fees.maxFeePerGas * VENUE_C_ACCOUNT.gasNeeded;
    const problem = `not enough ETH on Base for gas: what a wallet allows before it trades, and a claim, take about ${eth(needed)} ETH, and your wallet ${address} holds ${eth(held)} ETH`;
    return { fees, needed, held, problem: held >= needed ? null : problem };
  }

  return {
    wallet,
    accountOf,
    gas,
    refused(userId) {
      const ageMs = clock.nowMs() - (madeAtMs.get(userId) ?? -Infinity);
      if (ageMs >= VENUE_C_ACCOUNT.renewEveryMs) refused.set(userId, true);
    },
    async open(userId) {
      await (tokens === null ? walletOf(userId) : accountOf(userId));
    },
    deposits: () => Promise.resolve([]),
    collateral: async (userId) => (await wallet.holdings(userId, [])).usdc,
    async missing(userId) {
      const { problem } = await gas(userId);
      return problem === null ? [] : [problem];
    },
  };
}

/** Null where the venue knows the token no longer. */
async function withProfileIfKnown(client: VenueClient, token: AccountToken): Promise<Kept | null> {
  try {
    return await withProfile(client, token);
  } catch (cause) {
    if (!(cause instanceof AppError) || cause.code !== 'venue_restricted') throw cause;
    return null;
  }
}

async function withProfile(client: VenueClient, { tokenId, secret }: AccountToken): Promise<Kept> {
  const account = { tokenId, secret };
  const profile = profileSchema.safeParse(await client.read({ path: '/profiles/me', account }));
  if (!profile.success)
    throw new AppError('venue_protocol', 'venue_c gave a profile in another format');
  const { id: ownerId, rank } = profile.data;
  return { ...account, ownerId, feeRateBps: rank.feeRateBps };
}

function eth(wei: bigint): string {
  return formatTokenAmount(wei, COIN_DECIMALS);
}
