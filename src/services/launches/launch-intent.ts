import { LAUNCH } from '../../../config/limits/launches.ts';
import { AppError } from '../../domain/errors.ts';
import { asId, type LaunchId, type UserId } from '../../domain/ids.ts';
import type { ImageRecord, LaunchRecord, TokenTexts } from '../../domain/launch.ts';
import { formatTokenAmount } from '../../domain/token-amount.ts';
import type { SealedSigner, TransactionRecord } from '../../domain/transaction.ts';
import { web3Chain } from '../../domain/web3-chains.ts';
import type { Clock } from '../../ports/clock.ts';
import type { KeyVault } from '../../ports/key-vault.ts';
import type { LaunchMessages, Solana, SolanaTrials, TokenLaunch } from '../../ports/solana.ts';
import type { PublicFiles } from '../../ports/public-files.ts';
import type { Runtime } from '../../ports/runtime.ts';
import type { Store, StoreReader } from '../../ports/store.ts';
import { claimKeyCharge, walletCharge } from '../api-keys/key-spends.ts';
import { audit } from '../audit.ts';
import { newIdBody } from '../new-id.ts';
import { assertNotLate } from '../tokens/price-late.ts';
import type { PricedToken, TokenPrices } from '../tokens/token-prices.ts';
import { reserveOut } from '../transactions/daily-out.ts';
import { assertUnreserved, reservesBefore, reservesOf } from '../transactions/wallet-reserves.ts';
import type { Transactions } from '../transactions/transactions.ts';

import { lamportsInMicros, launchCost } from './launch-cost.ts';
import { mayLaunchAtMs, putLaunch } from './launch-records.ts';

/** Who asks, and how. */
export interface LaunchCall {
  /** A repetition with the same one finds the first launch. */
  readonly key?: string;
  /** True for a user who has just signed in. */
  readonly isFresh: boolean;
  /** The API key the call came by; absent for a signed-in user. */
  readonly keyId?: string;
  /** How long the answer waits for the end. */
  readonly waitMs: number;
}

export interface LaunchDeps extends Pick<Runtime, 'commit' | 'clock' | 'random'> {
  readonly store: Store;
  readonly files: PublicFiles;
  readonly transactions: Pick<Transactions, 'intend' | 'find' | 'settled' | 'wake'>;
  readonly solana: Pick<Solana, 'lamports' | 'latestBlockhash'>;
  readonly trials: Pick<SolanaTrials, 'accounts' | 'trial'>;
  readonly messages: LaunchMessages;
  readonly vault: Pick<KeyVault, 'load' | 'draftSigner'>;
  readonly prices: Pick<TokenPrices, 'newest' | 'isLate'>;
  readonly walletOf: (userId: UserId) => string;
  /** Throws what keeps a user's money from leaving (L6). Errors: `trading_stopped`. */
  readonly assertMayLeave: (reader: StoreReader, userId: UserId) => void;
  /** What may leave in a day without a fresh sign-in, millionths of a dollar. */
  readonly dailyOutMicros: number;
  /** Market time, in which limits of API keys are kept. */
  readonly marketClock: Clock;
}

/** What is launched. */
interface Wanted {
  readonly texts: TokenTexts;
  readonly image: ImageRecord;
}

const SOL_DECIMALS = 9;
/** What launches are paid in, and counted by. */
export const SOL: PricedToken = { chain: 'SOLANA', address: null };

/**
 * Uploads the metadata, tries the transaction out, and queues it with its record, its place in the
 * day's cap and its key's charge in one change (L1, L5). A crash before that leaves a file that
 * nothing points to, and no token. Errors: those of `Launches.launch`.
 */
export async function intendLaunch(
  deps: LaunchDeps,
  userId: UserId,
  { request, call }: { readonly request: Wanted; readonly call: LaunchCall },
): Promise<TransactionRecord> {
  const { vault, files, messages, clock, random, marketClock, transactions } = deps;
  const { texts, image } = request;
  assertNotLate(deps.prices, [SOL]);
  const metadataUri = await files.put({
    bytes: metadataOf(texts, image),
    mediaType: 'application/json',
    name: 'metadata.json',
  });
  await vault.load(userId);
  const mint = vault.draftSigner(userId);
  const user = deps.walletOf(userId);
  const token: TokenLaunch = {
    user,
    mint: mint.address,
    name: texts.name,
    symbol: texts.symbol,
    uri: metadataUri,
  };
  const before = reservesBefore(deps.store, userId);
  const { costLamports, held } = await tryOut(deps, token);
  const wallet = {
    chain: 'SOLANA',
    wallet: user,
    demands: [{ token: null, ...web3Chain('SOLANA').native, held, units: BigInt(costLamports) }],
  } as const;
  assertNotLate(deps.prices, [SOL]);
  const costMicros = lamportsInMicros(costLamports, deps.prices.newest('SOLANA', null));
  const launchId = asId<LaunchId>(`lnc_${newIdBody({ clock, random })}`);
  return deps.commit((tx) => {
    const nowMs = clock.nowMs();
    assertNow(deps, tx, userId);
    assertUnreserved(tx, userId, { ...wallet, before });
    const { keyId } = call;
    const charge = walletCharge({ userId, keyId, usdc: costMicros, atMs: marketClock.nowMs() });
    if (charge !== null) claimKeyCharge(tx, charge);
    const sent = transactions.intend(tx, {
      userId,
      account: { chain: 'SOLANA', rail: 'solana', address: user },
      purpose: { owner: 'launches', kind: 'launch', data: { launchId } },
      body: bodyOf(messages.create(token), mint),
      reserves: reservesOf(wallet),
      key: call.key,
    });
    const { transactionId } = sent;
    reserveOut(
      tx,
      { userId, transactionId, micros: costMicros, atMs: nowMs, isFresh: call.isFresh },
      deps.dailyOutMicros,
    );
    const record: LaunchRecord = {
      ...texts,
      launchId,
      userId,
      state: 'queued',
      mint: mint.address,
      imageUri: image.uri,
      metadataUri,
      costLamports,
      costMicros,
      transactionId,
      transactionHash: null,
      reason: null,
      createdAtMs: nowMs,
      updatedAtMs: nowMs,
    };
    putLaunch(tx, { before: null, after: record });
    audit(tx, {
      userId,
      atMs: nowMs,
      action: 'launch_requested',
      subject: launchId,
      detail: `${mint.address} for ${formatTokenAmount(BigInt(costLamports), SOL_DECIMALS)} SOL`,
    });
    return sent;
  });
}

/** Refuses a launch while money may not leave, or too soon after another. */
export function assertNow(
  { assertMayLeave, clock }: Pick<LaunchDeps, 'assertMayLeave' | 'clock'>,
  reader: StoreReader,
  userId: UserId,
): void {
  assertMayLeave(reader, userId);
  const nowMs = clock.nowMs();
  const mayAtMs = mayLaunchAtMs(reader, userId, nowMs);
  if (mayAtMs === null) return;
  throw new AppError(
    'limit_reached',
    `one token may be launched in ${LAUNCH.everyMs / 60_000} minutes`,
    { retryable: true, retryAfterMs: mayAtMs - nowMs },
  );
}

/** Says that the wallet does not hold what a launch takes. */
export function tooLittle(lamports: number, held: bigint): AppError {
  const sol = (amount: bigint): string => formatTokenAmount(amount, SOL_DECIMALS);
  return new AppError(
    'insufficient_funds',
    `a launch takes ${sol(BigInt(lamports))} SOL, and your Solana wallet holds ${sol(held)}`,
  );
}

function bodyOf(base64: string, coSigner: SealedSigner) {
  return { kind: 'message', base64, lastValidHeight: null, coSigner } as const;
}

/** As the platform writes it (web3.md section 4); in a fixed order, so that it has one name. */
function metadataOf({ name, symbol, description }: TokenTexts, image: ImageRecord): Uint8Array {
  return Buffer.from(
    JSON.stringify({ name, symbol, description, image: image.uri, showName: true }),
  );
}

/**
 * Returns what the transaction takes out of the wallet, by a trial of it on the newest state, and
 * what the wallet holds; by a second one where the wallet paid for something else between the
 * reading and the first. Errors: `insufficient_funds`, `chain_reverted`, `cap_exceeded` for more
 * than was shown.
 */
async function tryOut(
  deps: LaunchDeps,
  token: TokenLaunch,
  mayRepeat = true,
): Promise<{ readonly costLamports: number; readonly held: bigint }> {
  const { rentLamports, feeLamports } = launchCost(token, Buffer.byteLength(token.uri, 'utf8'));
  const shown = rentLamports + feeLamports;
  const held = await deps.solana.lamports(token.user);
  if (held < BigInt(shown)) throw tooLittle(shown, held);
  const { blockhash } = await deps.solana.latestBlockhash();
  const message = Buffer.from(deps.messages.create(token, blockhash), 'base64');
  // two signatures to come: a trial is not signed
  const unsigned = Buffer.concat([Buffer.of(2), Buffer.alloc(128), message]);
  const { failure, after } = await deps.trials.trial(unsigned, [token.user]);
  if (failure !== null)
    throw new AppError('chain_reverted', `the chain would take the launch back: ${failure}`);
  const taken = Number(held - (after[0]?.lamports ?? 0n));
  if (taken * 100 > shown * (100 + LAUNCH.costSlackPercent)) {
    if (mayRepeat && (await deps.solana.lamports(token.user)) !== held)
      return tryOut(deps, token, false);
    throw new AppError('cap_exceeded', `the launch would take ${taken} lamports, not ${shown}`);
  }
  // some nodes leave the fee out of a trial
  return { costLamports: Math.max(taken, feeLamports), held };
}
