import { SAFE_ACTION } from '../../../config/limits/money.ts';
import type { ActionEffects, ActionStep } from '../../../machines/safe-action.ts';
import { AppError, assert } from '../../domain/errors.ts';
import type { ActionId, UserId } from '../../domain/ids.ts';
import { isActionOver } from '../../domain/safe-action.ts';
import type { SafeActionRecord } from '../../domain/safe-action.ts';
import type { Clock } from '../../ports/clock.ts';
import type { EvmChain } from '../../ports/evm.ts';
import type { Log } from '../../ports/log.ts';
import type { Metrics } from '../../ports/metrics.ts';
import type { RelayOutcome, SafeActionFate, Safes } from '../../ports/safe.ts';
import type { Store, StoreWriter } from '../../ports/store.ts';
import type { Commit } from '../commit.ts';
import { closeAction } from './action-closing.ts';
import type { ActionEnding } from './action-closing.ts';
import {
  bytesToSend,
  foldCancel,
  foldForgotten,
  foldMined,
  foldRelayFailure,
  foldSent,
  foldSigned,
  foldSuperseded,
  foldUnmined,
} from './action-fold.ts';
import { fromStored, putAction, readAction, toStored, usedNonce } from './action-records.ts';
import type { MoneyContracts } from './contracts.ts';
import type { ActionRef } from './tables.ts';

/** What the effects of actions work with. */
export interface ActionEffectDeps {
  readonly store: Store;
  readonly commit: Commit;
  readonly safes: Safes;
  readonly chain: EvmChain;
  readonly contracts: MoneyContracts;
  /** True where what lies in a Safe is its user's cash at the venue; false where the venue's word, or another wallet, is what the books follow. */
  readonly fundsInSafes: boolean;
  /** Puts the user's keys into memory. Errors: `not_found`, `master_key_wrong`. */
  readonly loadKeys: (userId: UserId) => Promise<unknown>;
  /** The chain's and people's time: what actions are stamped with and wait by. */
  readonly clock: Clock;
  /** The markets' time, in which the books are kept. */
  readonly marketClock: Clock;
  readonly log: Log;
  readonly metrics: Metrics;
}

/** The chain's word on an action and on the call that takes its place. */
type Verdict =
  | { readonly kind: 'open' }
  /** Decided, but by blocks that could still be taken back. */
  | { readonly kind: 'shallow' }
  | { readonly kind: 'mined'; readonly transactionHash: string }
  | { readonly kind: 'over'; readonly ending: ActionEnding }
  /** Somebody else used the nonce, for good: the bytes are dead, the wish is not. */
  | { readonly kind: 'superseded'; readonly reason: string };

/** Makes the effects of actions; `refOf` names the owner of an action that has an actor. */
export function createActionEffects(
  deps: ActionEffectDeps,
  refOf: (actionId: ActionId) => ActionRef,
): ActionEffects {
  const deadSince = new Map<string, number>();
  const told =
    (step: string, effect: (ref: ActionRef) => Promise<ActionStep>) =>
    async (actionId: ActionId) => {
      const ref = refOf(actionId);
      try {
        return await effect(ref);
      } catch (cause) {
        // The machine waits and asks again, whatever failed; people want to know what did.
        deps.log.warn({ ...ref, step, cause }, 'safe_action.step_failed');
        throw cause;
      }
    };
  return {
    sign: told('sign', (ref) => sign(deps, ref)),
    send: told('send', (ref) => send(deps, ref)),
    ask: told('ask', (ref) => ask(deps, ref, deadSince)),
    cancel: told('cancel', (ref) => cancel(deps, ref)),
  };
}

/** Folds something learned into a record, durably; a record that has ended is left as it is. */
async function apply(
  deps: ActionEffectDeps,
  ref: ActionRef,
  fold: (record: SafeActionRecord, nowMs: number, tx: StoreWriter) => SafeActionRecord,
): Promise<SafeActionRecord> {
  return deps.commit((tx) => {
    const before = readAction(tx, ref);
    if (isActionOver(before.state)) return before;
    const after = fold(before, deps.clock.nowMs(), tx);
    if (after !== before) putAction(tx, before, after);
    return after;
  });
}

function stepOf(record: SafeActionRecord, next: ActionStep['next'] = 'wait'): ActionStep {
  return { next: record.state === 'done' || record.state === 'failed' ? record.state : next };
}

/** The nonce is read from the chain; the signature is made in the transaction that stores it, for signing is deterministic. */
async function sign(deps: ActionEffectDeps, ref: ActionRef): Promise<ActionStep> {
  const { safes, chain } = deps;
  await deps.loadKeys(ref.userId);
  const before = readAction(deps.store, ref);
  if (before.signed !== null) return stepOf(before, 'send');
  if (before.purpose.kind === 'deploy' && (await safes.isDeployed(before.safe)))
    return close(deps, ref, { kind: 'executed', receipt: null });
  const { blockNumber: sinceBlock } = await chain.head();
  const nonce = before.purpose.kind === 'deploy' ? null : await nextNonce(deps, before);
  const record = await apply(deps, ref, (known, nowMs) => {
    if (known.signed !== null) return known;
    const signed =
      nonce === null
        ? safes.signCreate(ref.userId)
        : safes.signExecute(ref.userId, { calls: callsOf(known), nonce, note: noteOf(known) });
    return foldSigned(
      known,
      { signed: toStored(signed), sinceBlock, giveUpAtMs: nowMs + SAFE_ACTION.giveUpMs },
      nowMs,
    );
  });
  return stepOf(record, 'send');
}

/**
 * The Safe's next nonce. Nodes behind one address need not be at the same block: bytes under a nonce that is used were executed in no block
 * since they were signed, and nothing would ever be known of them. Errors: `chain_unavailable` where the node has not seen our last action.
 */
async function nextNonce(
  { safes, store }: ActionEffectDeps,
  { userId, safe }: SafeActionRecord,
): Promise<number> {
  const nonce = await safes.nonce(safe);
  const used = usedNonce(store, userId);
  if (used !== null && nonce <= used)
    throw new AppError(
      'chain_unavailable',
      `the node tells nonce ${nonce} of ${safe}, and ${used} is used`,
      { retryable: true },
    );
  return nonce;
}

/** Sends the stored bytes. A relayer that throws has told nothing about what left (L2). */
async function send(deps: ActionEffectDeps, ref: ActionRef): Promise<ActionStep> {
  const record = readAction(deps.store, ref);
  const bytes = bytesToSend(record);
  assert(bytes !== null, `action ${ref.actionId} is signed before it is sent`);
  const atMs = deps.clock.nowMs();
  const outcome = await deps.safes.submit(fromStored(bytes)).catch(
    (cause: unknown): RelayOutcome => ({
      kind: 'unknown',
      cause: cause instanceof Error ? cause.message : String(cause),
    }),
  );
  deps.metrics.count('safe_submissions_total', { outcome: outcome.kind });
  return stepOf(
    await apply(deps, ref, (known, nowMs) => foldSent(known, { outcome, bytes, atMs }, nowMs)),
  );
}

async function cancel(deps: ActionEffectDeps, ref: ActionRef): Promise<ActionStep> {
  await deps.loadKeys(ref.userId);
  const record = await apply(deps, ref, (known, nowMs) => {
    const { signed } = known;
    if (signed === null || signed.kind !== 'execute' || known.cancel !== null) return known;
    const calls = [{ to: signed.owner, data: '0x' as const, valueWei: 0n }];
    return foldCancel(
      known,
      toStored(
        deps.safes.signExecute(ref.userId, {
          calls,
          nonce: signed.nonce,
          note: 'nothing, in place of an action that was given up',
        }),
      ),
      nowMs,
    );
  });
  deps.log.warn(
    {
      userId: ref.userId,
      actionId: ref.actionId,
      kind: record.purpose.kind,
      reason: record.reason,
    },
    'safe_action.given_up',
  );
  return stepOf(record, 'send');
}

/** Asks the chain; only where it says nothing, the relayer, whose word decides no more than when to send again. */
async function ask(
  deps: ActionEffectDeps,
  ref: ActionRef,
  deadSince: Map<string, number>,
): Promise<ActionStep> {
  const before = readAction(deps.store, ref);
  if (isActionOver(before.state)) return stepOf(before);
  if (before.signed === null) return stepOf(before, 'sign');
  const verdict = await judge(deps, before, deadSince);
  switch (verdict.kind) {
    case 'over':
      return close(deps, ref, verdict.ending);
    case 'shallow':
      return stepOf(before);
    case 'mined':
      return stepOf(
        await apply(deps, ref, (known, nowMs) => foldMined(known, verdict.transactionHash, nowMs)),
      );
    case 'superseded':
      deps.log.warn(
        { userId: ref.userId, actionId: ref.actionId, reason: verdict.reason },
        'safe_action.superseded',
      );
      return stepOf(
        await apply(deps, ref, (known, nowMs) =>
          known.signed?.signature === before.signed?.signature && known.cancel === null
            ? foldSuperseded(known, verdict.reason, nowMs)
            : known,
        ),
        'sign',
      );
    case 'open':
      return askRelayer(
        deps,
        ref,
        await apply(deps, ref, (known, nowMs) => foldUnmined(known, nowMs)),
      );
  }
}

/** Ends the action by the chain's word, with all it means for the books. */
async function close(
  deps: ActionEffectDeps,
  ref: ActionRef,
  ending: ActionEnding,
): Promise<ActionStep> {
  const record = await deps.commit((tx) => {
    const before = readAction(tx, ref);
    return isActionOver(before.state)
      ? before
      : closeAction(tx, before, ending, {
          contracts: deps.contracts,
          fundsInSafes: deps.fundsInSafes,
          nowMs: deps.clock.nowMs(),
          bookedAtMs: deps.marketClock.nowMs(),
        });
  });
  const { purpose, state, reason, transactionHash } = record;
  deps.log.info(
    {
      userId: ref.userId,
      actionId: ref.actionId,
      kind: purpose.kind,
      state,
      reason,
      transactionHash,
    },
    'safe_action.ended',
  );
  deps.metrics.count('safe_actions_total', { kind: purpose.kind, state });
  return stepOf(record);
}

async function judge(
  deps: ActionEffectDeps,
  record: SafeActionRecord,
  deadSince: Map<string, number>,
): Promise<Verdict> {
  const { signed, cancel: instead, sinceBlock, actionId } = record;
  assert(signed !== null, `action ${actionId} is signed before the chain is asked`);
  const fate = await deps.safes.fate(fromStored(signed), sinceBlock);
  if (fate.kind !== 'failed') deadSince.delete(signed.signature);
  switch (fate.kind) {
    case 'open':
      return fate;
    case 'done_earlier':
      return { kind: 'over', ending: { kind: 'executed', receipt: null } };
    case 'done':
      return judgeDone(deps, fate);
    case 'failed': {
      if (!(await isDead(deps, signed.signature, deadSince))) return { kind: 'shallow' };
      deadSince.delete(signed.signature);
      if (fate.cause === 'superseded' && instead === null)
        return { kind: 'superseded', reason: fate.reason };
      return {
        kind: 'over',
        ending: {
          kind: 'never',
          reason: instead === null ? fate.reason : (record.reason ?? fate.reason),
        },
      };
    }
  }
}

/** Executed counts once enough blocks stand on it, and its transaction still shows it. */
async function judgeDone(
  { chain, contracts }: ActionEffectDeps,
  fate: Extract<SafeActionFate, { kind: 'done' }>,
): Promise<Verdict> {
  if (fate.confirmations < contracts.confirmations)
    return { kind: 'mined', transactionHash: fate.transactionHash };
  const receipt = await chain.receipt(fate.transactionHash);
  if (receipt === null || !receipt.succeeded || receipt.confirmations < contracts.confirmations)
    return { kind: 'mined', transactionHash: fate.transactionHash };
  return { kind: 'over', ending: { kind: 'executed', receipt } };
}

/** Bytes are dead when the chain says so for as many blocks as make anything final: a reorganisation could revive them. */
async function isDead(
  { chain, contracts }: ActionEffectDeps,
  signature: string,
  deadSince: Map<string, number>,
): Promise<boolean> {
  const { blockNumber } = await chain.head();
  const since = deadSince.get(signature) ?? blockNumber;
  deadSince.set(signature, since);
  return blockNumber - since + 1 >= contracts.confirmations;
}

async function askRelayer(
  deps: ActionEffectDeps,
  ref: ActionRef,
  record: SafeActionRecord,
): Promise<ActionStep> {
  if (isActionOver(record.state)) return stepOf(record);
  const { relayId } = record;
  const word = relayId === null ? { kind: 'absent' as const } : await deps.safes.lookup(relayId);
  const told = await apply(deps, ref, (known, nowMs) => {
    if (relayId === null) return known;
    if (word.kind === 'failed') return foldRelayFailure(known, relayId, word.reason, nowMs);
    return word.kind === 'absent' ? foldForgotten(known, relayId, nowMs) : known;
  });
  if (isToGiveUp(told, deps.clock.nowMs())) return stepOf(told, 'cancel');
  const isQuiet = deps.clock.nowMs() - (told.lastSentAtMs ?? 0) >= SAFE_ACTION.rebroadcastMs;
  return stepOf(told, told.relayId === null || isQuiet ? 'send' : 'wait');
}

/** A deployment is never given up: nothing else can be done without it. */
function isToGiveUp(
  { signed, cancel: instead, refusals, giveUpAtMs }: SafeActionRecord,
  nowMs: number,
): boolean {
  if (signed === null || signed.kind === 'create' || instead !== null) return false;
  return refusals >= SAFE_ACTION.refusalsMaximum || (giveUpAtMs !== null && nowMs >= giveUpAtMs);
}

function callsOf({ calls }: SafeActionRecord) {
  return calls.map(({ to, data, valueWei }) => ({ to, data, valueWei: BigInt(valueWei) }));
}

function noteOf({ purpose, actionId }: SafeActionRecord): string {
  return `${purpose.kind} ${actionId}`;
}
