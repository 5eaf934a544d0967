import { LAUNCH } from '../../../config/limits/launches.ts';
import { AppError } from '../../domain/errors.ts';
import type { ImageId, LaunchId, UserId } from '../../domain/ids.ts';
import type { ImageRecord, LaunchRecord, TokenTexts } from '../../domain/launch.ts';
import type { StoreReader } from '../../ports/store.ts';
import type { Page, PageQuery } from '../../ports/venue.ts';
import { transactionByKey } from '../transactions/transaction-records.ts';
import { addImage, readImage } from './images.ts';
import { launchCost, lamportsInMicros } from './launch-cost.ts';
import { intendLaunch, tooSoon, type LaunchCall, type LaunchDeps } from './launch-intent.ts';
import { mayLaunchAtMs, pageOfLaunches, readLaunch } from './launch-records.ts';
import { assertTexts } from './launch-texts.ts';
import { LAUNCHES } from './tables.ts';

/** A token somebody wants to make. */
export interface LaunchRequest extends TokenTexts {
  readonly imageId: ImageId;
}

/** What a launch would cost, and what stands in its way. */
export interface LaunchEstimate {
  readonly rentLamports: number;
  readonly feeLamports: number;
  /** In millionths of a dollar; null where SOL has no price. */
  readonly costMicros: number | null;
  readonly walletAddress: string;
  readonly walletLamports: bigint;
  /** When the next launch is possible, epoch ms; null for now. */
  readonly mayLaunchAtMs: number | null;
}

/** Tokens that users make on the launch platform, from their own Solana wallets. */
export interface Launches {
  /**
   * Keeps a picture for a token. Errors: `unsupported_media_type`, `limit_reached`,
   * `files_unavailable`, `store_unavailable`.
   */
  addImage(userId: UserId, bytes: Uint8Array): Promise<ImageRecord>;
  /**
   * Says what a launch would cost. Nothing is made. Errors: `invalid_request`, `not_found`,
   * `chain_unavailable`.
   */
  estimate(userId: UserId, request: LaunchRequest): Promise<LaunchEstimate>;
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
  /** One launch of this user; null for nobody's and for someone else's. */
  get(userId: UserId, launchId: LaunchId): LaunchRecord | null;
  /** A user's launches, newest first. Errors: `invalid_request` for a cursor that is none. */
  list(userId: UserId, page: PageQuery): Page<LaunchRecord>;
}

/** Makes the service. A start needs nothing of it: what is under way are transactions. */
export function createLaunches(deps: LaunchDeps): Launches {
  const { store, transactions, clock } = deps;
  return {
    addImage: (userId, bytes) => addImage(deps, userId, bytes),
    estimate: (userId, request) => estimate(deps, userId, request),
    async launch(userId, request, call) {
      const made = call.key === undefined ? null : transactionByKey(store, userId, call.key);
      if (made !== null && made.purpose.kind !== 'launch')
        throw new AppError('idempotency_mismatch', `this key was used for a ${made.purpose.kind}`);
      const launchId =
        made?.purpose.kind === 'launch'
          ? made.purpose.launchId
          : await intendLaunch(deps, userId, { request: checked(store, userId, request), call });
      transactions.wake(userId);
      const known = transactions.get(userId, readLaunch(store, userId, launchId).transactionId);
      if (known !== null) await transactions.settled(known, LAUNCH.answerWithinMs);
      return readLaunch(store, userId, launchId);
    },
    curveOf: (mint) => deps.messages.curveOf(mint),
    get: (userId, launchId) => store.get(LAUNCHES, [userId, launchId])?.value ?? null,
    list: (userId, page) => pageOfLaunches(store, userId, page),
  };

  /** What asks nothing of anybody comes first. */
  function checked(reader: StoreReader, userId: UserId, request: LaunchRequest) {
    deps.assertMayLeave(reader, userId);
    assertTexts(request);
    const atMs = mayLaunchAtMs(reader, userId, clock.nowMs());
    if (atMs !== null) throw tooSoon(atMs - clock.nowMs());
    return { texts: request, image: readImage(reader, userId, request.imageId) };
  }
}

async function estimate(
  { store, solana, prices, walletOf, clock }: LaunchDeps,
  userId: UserId,
  request: LaunchRequest,
): Promise<LaunchEstimate> {
  assertTexts(request);
  const { uri } = readImage(store, userId, request.imageId);
  // the metadata's name is of the picture's kind, and as long or shorter
  const cost = launchCost(request, Buffer.byteLength(uri, 'utf8'));
  const walletAddress = walletOf(userId);
  return {
    ...cost,
    costMicros: lamportsInMicros(
      cost.rentLamports + cost.feeLamports,
      prices.newest('SOLANA', null),
    ),
    walletAddress,
    walletLamports: await solana.lamports(walletAddress),
    mayLaunchAtMs: mayLaunchAtMs(store, userId, clock.nowMs()),
  };
}
