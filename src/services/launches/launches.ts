import { TOKEN_WARNINGS } from '../../../config/limits/tokens.ts';
import type { ImageId, LaunchId, UserId } from '../../domain/ids.ts';
import type { ImageRecord, LaunchRecord, TokenTexts } from '../../domain/launch.ts';
import { judgeName, type TokenWarning } from '../../domain/token-listing.ts';
import type { StoreReader } from '../../ports/store.ts';
import type { Page, PageQuery } from '../../ports/catalogue.ts';
import { assertKeyCharge, walletCharge } from '../api-keys/key-spends.ts';
import { newestPage } from '../newest-page.ts';
import { refusedBy, type Refusal } from '../refusal.ts';
import { assertMayGoOut } from '../transactions/daily-out.ts';
import { assertNotLate } from '../tokens/price-late.ts';
import { purposeFor, requestTransaction } from '../transactions/transaction-requests.ts';
import { addImage, readImage } from './images.ts';
import { launchCost, lamportsInMicros } from './launch-cost.ts';
import {
  assertNow,
  intendLaunch,
  tooLittle,
  SOL,
  type LaunchCall,
  type LaunchDeps,
} from './launch-intent.ts';
import { mayLaunchAtMs, readLaunch } from './launch-records.ts';
import { assertTexts } from './launch-texts.ts';
import { LAUNCHES } from './tables.ts';

/** A token a user wants to make. */
interface LaunchRequest extends TokenTexts {
  readonly imageId: ImageId;
}

/** What a launch would cost, and what prevents it. */
export interface LaunchEstimate {
  readonly rentLamports: number;
  readonly feeLamports: number;
  /** In millionths of a dollar; null where SOL has no price. */
  readonly costMicros: number | null;
  readonly walletAddress: string;
  readonly walletLamports: bigint;
  /** When the next launch is possible, epoch ms; null for now. */
  readonly mayLaunchAtMs: number | null;
  /** What its texts would be marked with wherever tokens are listed. */
  readonly warnings: readonly TokenWarning[];
  /** Null where it would be taken, as far as is known before anything is uploaded. */
  readonly refusal: Refusal | null;
}

/** Tokens that users make on the launch platform, from their own Solana wallets. */
export interface Launches {
  /**
   * Keeps a picture for a token. Errors: `unsupported_media_type`, `invalid_request` for one that
   * is damaged, cut off or too large, `limit_reached`, `files_unavailable`, `store_unavailable`.
   */
  addImage(userId: UserId, bytes: Uint8Array): Promise<ImageRecord>;
  /**
   * Says what a launch would cost, and what it would be refused for now. Nothing is made. Errors:
   * `invalid_request`, `not_found`, `chain_unavailable`.
   */
  estimate(
    userId: UserId,
    request: LaunchRequest,
    call: Omit<LaunchCall, 'key' | 'waitMs'>,
  ): Promise<LaunchEstimate>;
  /**
   * Makes a token: its metadata is uploaded, its one transaction tried out, and then queued with
   * all that follows from it in one change. Resolves with the end or with how far it is after some
   * seconds. Errors, nothing being signed: `invalid_request`, `not_found`, `limit_reached` for a
   * second one within five minutes, `insufficient_funds`, `trading_stopped`, `cap_exceeded`,
   * `confirmation_required`, `fresh_sign_in_required`, `chain_reverted`, `idempotency_mismatch`,
   * `files_unavailable`, `chain_unavailable`, `store_unavailable`.
   */
  launch(userId: UserId, request: LaunchRequest, call: LaunchCall): Promise<LaunchRecord>;
  /** Returns the address of the curve that sells a token. */
  curveOf(mint: string): string;
  /** One launch of this user; null for an unknown one and for another user's. */
  get(userId: UserId, launchId: LaunchId): LaunchRecord | null;
  /** A user's launches, newest first. Errors: `invalid_request` for an invalid cursor. */
  list(userId: UserId, page: PageQuery): Page<LaunchRecord>;
}

/** Makes the service. A start needs nothing of it: what is under way are transactions. */
export function createLaunches(deps: LaunchDeps): Launches {
  const { store } = deps;
  return {
    addImage: (userId, bytes) => addImage(deps, userId, bytes),
    estimate: (userId, request, call) => estimate(deps, userId, { request, call }),
    async launch(userId, request, call) {
      const sent = await requestTransaction(
        deps.transactions,
        userId,
        { kind: 'launch', ...call },
        () => intendLaunch(deps, userId, { request: checked(store, userId, request), call }),
      );
      return readLaunch(store, userId, purposeFor(sent, 'launch').data.launchId);
    },
    curveOf: (mint) => deps.messages.curveOf(mint),
    get: (userId, launchId) => store.get(LAUNCHES, [userId, launchId])?.value ?? null,
    list: (userId, page) => newestPage(store, LAUNCHES, userId, page),
  };

  /** What asks nothing of anybody comes first. */
  function checked(reader: StoreReader, userId: UserId, request: LaunchRequest) {
    assertNow(deps, reader, userId);
    assertTexts(request);
    return { texts: request, image: readImage(reader, userId, request.imageId) };
  }
}

async function estimate(
  deps: LaunchDeps,
  userId: UserId,
  {
    request,
    call,
  }: { readonly request: LaunchRequest; readonly call: Omit<LaunchCall, 'key' | 'waitMs'> },
): Promise<LaunchEstimate> {
  const { store, solana, prices, walletOf, clock } = deps;
  assertTexts(request);
  const { uri } = readImage(store, userId, request.imageId);
  // the metadata's name is of the picture's kind, and as long or shorter
  const cost = launchCost(request, Buffer.byteLength(uri, 'utf8'));
  const walletAddress = walletOf(userId);
  const lamports = cost.rentLamports + cost.feeLamports;
  const costMicros = lamportsInMicros(lamports, prices.newest('SOLANA', null));
  const walletLamports = await solana.lamports(walletAddress);
  return {
    ...cost,
    costMicros,
    walletAddress,
    walletLamports,
    mayLaunchAtMs: mayLaunchAtMs(store, userId, clock.nowMs()),
    // it has no address yet, so it is an unknown one
    warnings: judgeName({ ...request, chain: 'SOLANA', address: '' }, TOKEN_WARNINGS).warnings,
    refusal: await refusedBy(() => {
      assertNow(deps, store, userId);
      if (walletLamports < BigInt(lamports)) throw tooLittle(lamports, walletLamports);
      assertNotLate(prices, [SOL]);
      assertAffordable(deps, { userId, costMicros, ...call });
    }),
  };
}

/** Holds a launch to its key's limits and the day's. It only reads. */
function assertAffordable(
  { store, clock, marketClock, dailyOutMicros }: LaunchDeps,
  {
    userId,
    costMicros,
    keyId,
    isFresh,
  }: { readonly userId: UserId; readonly costMicros: number | null } & Omit<
    LaunchCall,
    'key' | 'waitMs'
  >,
): void {
  const charge = walletCharge({ userId, keyId, usdc: costMicros, atMs: marketClock.nowMs() });
  if (charge !== null) assertKeyCharge(store, charge);
  assertMayGoOut(
    store,
    { userId, micros: costMicros, atMs: clock.nowMs(), isFresh },
    dailyOutMicros,
  );
}
