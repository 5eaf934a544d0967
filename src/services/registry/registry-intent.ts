import { REGISTRY } from '../../../config/limits/launches.ts';
import { AppError } from '../../domain/errors.ts';
import { asId, type AgentId, type RegistryEntryId, type UserId } from '../../domain/ids.ts';
import type { RegistryRecord } from '../../domain/registry.ts';
import type { SealedSigner, TransactionRecord } from '../../domain/transaction.ts';
import { web3Chain } from '../../domain/web3-chains.ts';
import type { RegistryMessages } from '../../ports/solana.ts';
import type { StoreReader } from '../../ports/store.ts';
import { audit } from '../audit.ts';
import { lamportsInMicros } from '../launches/launch-cost.ts';
import { SOL, type LaunchDeps } from '../launches/launch-intent.ts';
import { newIdBody } from '../new-id.ts';
import { assertNotLate } from '../tokens/price-late.ts';
import { reserveOut } from '../transactions/daily-out.ts';
import { assertUnreserved, reservesBefore, reservesOf } from '../transactions/wallet-reserves.ts';
import type { ReceiptsHead } from './registration-file.ts';
import { assertRegistryRoom, putRegistryRecord } from './registry-records.ts';

/** Who asks. */
export interface RegistryCall {
  /** A repetition with the same one finds what the first made. */
  readonly key?: string;
  /** True for a user who has just signed in. */
  readonly isFresh: boolean;
  /** How long the answer waits for the end. */
  readonly waitMs: number;
}

export interface RegistryDeps extends Omit<LaunchDeps, 'messages' | 'marketClock'> {
  readonly messages: RegistryMessages;
  /** The newest receipt of an agent of a user. */
  readonly headOf: (userId: UserId, agentId: AgentId) => ReceiptsHead | null;
}

/** What is to be recorded. */
export interface Intended
  extends Pick<RegistryRecord, 'kind' | 'agentId' | 'asset' | 'fileUri' | 'skills' | 'domains'> {
  readonly call: RegistryCall;
  /** Looked at once more in the change. */
  readonly assertStill: (reader: StoreReader) => void;
  readonly coSigner: SealedSigner | null;
  readonly messageOn: (blockhash?: string) => string;
}

/**
 * Tries the transaction out and queues it with its record and its place in the day's cap in one
 * change (L1, L5). Errors: those of `Registry.register`.
 */
export async function intendRecord(
  deps: RegistryDeps,
  userId: UserId,
  { call, assertStill, coSigner, messageOn, ...what }: Intended,
): Promise<TransactionRecord> {
  const { clock, random, transactions } = deps;
  const user = deps.walletOf(userId);
  const before = reservesBefore(deps.store, userId);
  const { costLamports, held } = await tryOut(deps, user, {
    messageOn,
    signers: coSigner === null ? 1 : 2,
  });
  assertNotLate(deps.prices, [SOL]);
  const micros = lamportsInMicros(costLamports, deps.prices.newest('SOLANA', null));
  const wallet = {
    chain: 'SOLANA',
    wallet: user,
    demands: [{ token: null, ...web3Chain('SOLANA').native, held, units: BigInt(costLamports) }],
  } as const;
  const entryId = asId<RegistryEntryId>(`reg_${newIdBody({ clock, random })}`);
  return deps.commit((tx) => {
    const nowMs = clock.nowMs();
    deps.assertMayLeave(tx, userId);
    assertStill(tx);
    assertRegistryRoom(tx, userId, nowMs);
    assertUnreserved(tx, userId, { ...wallet, before });
    const sent = transactions.intend(tx, {
      userId,
      account: { chain: 'SOLANA', rail: 'solana', address: user },
      purpose: { owner: 'registry', kind: 'registry', data: { entryId } },
      body: {
        kind: 'message',
        base64: messageOn(),
        lastValidHeight: null,
        ...(coSigner === null ? {} : { coSigner }),
      },
      reserves: reservesOf(wallet),
      key: call.key,
    });
    const { transactionId } = sent;
    const { isFresh } = call;
    reserveOut(tx, { userId, transactionId, micros, atMs: nowMs, isFresh }, deps.dailyOutMicros);
    putRegistryRecord(tx, {
      before: null,
      after: {
        ...what,
        entryId,
        userId,
        state: 'queued',
        costLamports,
        transactionId,
        transactionHash: null,
        reason: null,
        createdAtMs: nowMs,
        updatedAtMs: nowMs,
      },
    });
    audit(tx, {
      userId,
      atMs: nowMs,
      action: 'registry_requested',
      subject: entryId,
      detail: `${what.kind} ${what.asset}`,
    });
    return sent;
  });
}

/**
 * Returns what the transaction takes out of the wallet, by a trial of it on the newest state, and
 * what the wallet holds.
 */
async function tryOut(
  { solana, trials }: Pick<RegistryDeps, 'solana' | 'trials'>,
  user: string,
  { messageOn, signers }: Pick<Intended, 'messageOn'> & { readonly signers: number },
): Promise<{ readonly costLamports: number; readonly held: bigint }> {
  const held = await solana.lamports(user);
  if (held === 0n)
    throw new AppError('insufficient_funds', 'your Solana wallet holds no SOL to pay with');
  const { blockhash } = await solana.latestBlockhash();
  const bytes = Buffer.from(messageOn(blockhash), 'base64');
  const unsigned = Buffer.concat([Buffer.of(signers), Buffer.alloc(64 * signers), bytes]);
  const { failure, after } = await trials.trial(unsigned, [user]);
  if (failure !== null)
    throw new AppError('chain_reverted', `the chain would take it back: ${failure}`);
  const taken = Number(held - (after[0]?.lamports ?? 0n));
  if (taken > REGISTRY.costMaximumLamports)
    throw new AppError('cap_exceeded', `it would take ${taken} lamports`);
  return { costLamports: taken, held };
}
