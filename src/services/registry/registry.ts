import { AppError } from '../../domain/errors.ts';
import type { ImageId, RegistryEntryId, UserId } from '../../domain/ids.ts';
import type { RegistryRecord } from '../../domain/registry.ts';
import type { TransactionRecord } from '../../domain/transaction.ts';
import type { RegistryMessages } from '../../ports/solana.ts';
import type { Page, PageQuery } from '../../ports/catalogue.ts';
import { readImage } from '../launches/images.ts';
import { newestPage } from '../newest-page.ts';
import { purposeFor, requestTransaction } from '../transactions/transaction-requests.ts';
import { intendRecord, type RegistryCall, type RegistryDeps } from './registry-intent.ts';
import { ownEntries, readRegistryRecord } from './registry-records.ts';
import { REGISTRY_RECORDS } from './tables.ts';
import { registrationFile, type Registration } from './registration-file.ts';

/** An entry a user wants for one of their agents. */
export interface RegisterRequest extends Omit<Registration, 'imageUri' | 'head'> {
  readonly imageId: ImageId | null;
}

/** Feedback of a user on another's agent. */
export interface FeedbackRequest {
  /** The address of its entry. */
  readonly agent: string;
  readonly value: bigint;
  readonly valueDecimals: number;
  readonly score: number | null;
  readonly tag1: string;
  readonly tag2: string;
  readonly endpoint: string;
  /** Kept as a file that the feedback points to; null for none. */
  readonly comment: string | null;
}

/** Users' agents in the agent registry, and what they say of others'. */
export interface Registry {
  /**
   * Makes an entry of one of the user's agents, with the head of its receipts as evidence: the file
   * first, then one transaction. Errors, nothing being signed: `not_found` for an image that is not
   * there, `conflict` for an agent that has an entry, `limit_reached`, `insufficient_funds`,
   * `trading_stopped`, `fresh_sign_in_required`, `chain_reverted`, `cap_exceeded`,
   * `idempotency_mismatch`, `files_unavailable`, `chain_unavailable`, `store_unavailable`.
   */
  register(userId: UserId, request: RegisterRequest, call: RegistryCall): Promise<RegistryRecord>;
  /**
   * Leaves feedback. Errors as `register`; `not_found` for an address without an entry, `forbidden`
   * for an agent of one's own.
   */
  feedback(userId: UserId, request: FeedbackRequest, call: RegistryCall): Promise<RegistryRecord>;
  /** One of this user's; null for an unknown one and for another user's. */
  get(userId: UserId, entryId: RegistryEntryId): RegistryRecord | null;
  /** A user's entries and feedback, newest first. Errors: `invalid_request` for a cursor. */
  list(userId: UserId, page: PageQuery): Page<RegistryRecord>;
}

/** Makes the service. A start needs nothing of it: what is under way are transactions. */
export function createRegistry(deps: RegistryDeps): Registry {
  const { store } = deps;

  async function once(
    userId: UserId,
    call: RegistryCall,
    make: () => Promise<TransactionRecord>,
  ): Promise<RegistryRecord> {
    const sent = await requestTransaction(
      deps.transactions,
      userId,
      { kind: 'registry', ...call },
      make,
    );
    return readRegistryRecord(store, userId, purposeFor(sent, 'registry').data.entryId);
  }

  return {
    register: (userId, request, call) =>
      once(userId, call, () => register(deps, userId, { request, call })),
    feedback: (userId, request, call) =>
      once(userId, call, () => feedback(deps, userId, { request, call })),
    get: (userId, entryId) => store.get(REGISTRY_RECORDS, [userId, entryId])?.value ?? null,
    list: (userId, page) => newestPage(store, REGISTRY_RECORDS, userId, page),
  };
}

async function register(
  deps: RegistryDeps,
  userId: UserId,
  { request, call }: { readonly request: RegisterRequest; readonly call: RegistryCall },
): Promise<TransactionRecord> {
  const { store, messages } = deps;
  deps.assertMayLeave(store, userId);
  const { imageId, agentId } = request;
  const imageUri = imageId === null ? null : readImage(store, userId, imageId).uri;
  const assertNew = (reader: Parameters<typeof ownEntries>[0]): void => {
    const known = ownEntries(reader, userId).find((entry) => entry.agentId === agentId);
    if (known !== undefined)
      throw new AppError('conflict', `${agentId} has its entry at ${known.asset} already`);
  };
  assertNew(store);
  const collection = await collectionOf(deps, messages);
  const file = registrationFile({ ...request, imageUri, head: deps.headOf(userId, agentId) });
  const uri = await deps.files.put({
    bytes: Buffer.from(JSON.stringify(file)),
    mediaType: 'application/json',
    name: 'registration.json',
  });
  await deps.vault.load(userId);
  const coSigner = deps.vault.draftSigner(userId);
  const entry = { user: deps.walletOf(userId), asset: coSigner.address, collection, uri };
  return intendRecord(deps, userId, {
    call,
    assertStill: assertNew,
    kind: 'agent',
    agentId,
    asset: coSigner.address,
    fileUri: uri,
    skills: request.skills,
    domains: request.domains,
    coSigner,
    messageOn: (blockhash) => messages.register(entry, blockhash),
  });
}

async function feedback(
  deps: RegistryDeps,
  userId: UserId,
  { request, call }: { readonly request: FeedbackRequest; readonly call: RegistryCall },
): Promise<TransactionRecord> {
  const { store, messages } = deps;
  deps.assertMayLeave(store, userId);
  const { agent: asset, comment, ...said } = request;
  const user = deps.walletOf(userId);
  const [account = null] = await deps.trials.accounts([messages.agentAddress(asset)]);
  const rated = account === null ? null : messages.readAgent(account);
  if (rated === null)
    throw new AppError('not_found', 'no agent has its entry at this address', {
      fields: [{ path: '/agent', message: 'the address of an entry in the registry' }],
    });
  const isOwn = ownEntries(store, userId).some((entry) => entry.asset === asset);
  if (isOwn || rated.owner === user)
    throw new AppError('forbidden', 'feedback on an agent of your own is not taken');
  const bytes =
    comment === null
      ? null
      : Buffer.from(JSON.stringify({ agent: asset, client: user, comment, ...inWords(said) }));
  const fileUri =
    bytes === null
      ? null
      : await deps.files.put({ bytes, mediaType: 'application/json', name: 'feedback.json' });
  const whole = {
    ...said,
    user,
    asset,
    collection: rated.collection,
    fileUri: fileUri ?? '',
    file: bytes,
  };
  return intendRecord(deps, userId, {
    call,
    assertStill: () => undefined,
    kind: 'feedback',
    agentId: null,
    asset,
    fileUri,
    coSigner: null,
    messageOn: (blockhash) => messages.feedback(whole, blockhash),
  });
}

function inWords({ value, ...said }: Omit<FeedbackRequest, 'agent' | 'comment'>) {
  return { value: value.toString(), ...said };
}

async function collectionOf(
  { trials }: Pick<RegistryDeps, 'trials'>,
  messages: RegistryMessages,
): Promise<string> {
  const [root = null] = await trials.accounts([messages.rootAddress]);
  const collection = root === null ? null : messages.readRoot(root);
  if (collection === null)
    throw new AppError('chain_unavailable', 'the agent registry is not on this chain', {
      retryable: true,
    });
  return collection;
}
