import { createActor } from 'xstate';
import type { Actor } from 'xstate';
import { toActorClock } from '../../../machines/actor-clock.ts';
import type { safeActionMachine } from '../../../machines/safe-action.ts';
import { withActionEffects } from '../../../machines/safe-action.ts';
import { assert } from '../../domain/errors.ts';
import { asId } from '../../domain/ids.ts';
import type { ActionId, UserId } from '../../domain/ids.ts';
import { isActionOver } from '../../domain/safe-action.ts';
import type { SafeActionRecord } from '../../domain/safe-action.ts';
import type { Random } from '../../ports/random.ts';
import type { StoreWriter } from '../../ports/store.ts';
import type { ActionEffectDeps } from './action-effects.ts';
import { createActionEffects } from './action-effects.ts';
import type { ActionDraft } from './action-records.ts';
import { intendAction, newActionId, openActions, readAction } from './action-records.ts';
import type { ActionRef } from './tables.ts';
import { OPEN_SAFE_ACTIONS, SAFE_ACTIONS } from './tables.ts';

/**
 * One durable queue of actions for each Safe, one action in flight at a time; only what follows a deployment starts once that is in a block, for
 * its nonce is known, and does not wait until the block is final.
 */
export interface SafeActions {
  /**
   * Puts an action at the end of its Safe's queue, in the caller's own change; `alongside` runs when it is new. Call `wake`
   * once the change is durable. Errors: `limit_reached`.
   */
  intend(
    tx: StoreWriter,
    draft: ActionDraft,
    alongside?: (record: SafeActionRecord) => void,
  ): SafeActionRecord;
  /** Resolves with the record once the action has ended, or as it stands after `withinMs` of the actions' clock. */
  settled(record: SafeActionRecord, withinMs: number): Promise<SafeActionRecord>;
  /** Works on a user's queue if nobody does. */
  wake(userId: UserId): void;
  /** One action of this user; null for nobody's and for someone else's. */
  get(userId: UserId, actionId: ActionId): SafeActionRecord | null;
  /** All actions of a user, oldest first. */
  list(userId: UserId): readonly SafeActionRecord[];
  /** The start: works on every queue, asking the chain about all that may have left (L9). Gives the actions found open. */
  recover(): number;
  /** Users whose queue is worked on. */
  readonly size: number;
  stop(): void;
}

/** What the queues need. */
export interface SafeActionsDeps extends ActionEffectDeps {
  readonly random: Random;
}

interface Running {
  readonly ref: ActionRef;
  readonly actor: Actor<typeof safeActionMachine>;
}

/** Makes the queues. Nothing runs before `recover` or `wake`. */
export function createSafeActions(deps: SafeActionsDeps): SafeActions {
  const running = new Map<ActionId, Running>();
  const waiters = new Map<ActionId, Set<{ readonly tell: () => void }>>();
  const clock = toActorClock(deps.clock);
  const machine = withActionEffects(
    createActionEffects(deps, (actionId) => {
      const found = running.get(actionId);
      assert(found !== undefined, `action ${actionId} has an actor`);
      return found.ref;
    }),
  );
  let isOver = false;

  function wake(userId: UserId): void {
    if (isOver) return;
    for (const action of inFlight(openActions(deps.store, userId)))
      if (!running.has(action.actionId)) run(action);
  }

  function run({ userId, actionId, purpose, signed }: SafeActionRecord): void {
    const ref = { userId, actionId };
    const actor = createActor(machine, { input: { actionId, isSigned: signed !== null }, clock });
    running.set(actionId, { ref, actor });
    actor.subscribe({
      next() {
        if (purpose.kind === 'deploy') wake(userId);
      },
      complete() {
        running.delete(actionId);
        Array.from(waiters.get(actionId) ?? [], ({ tell }) => tell).forEach((tell) => tell());
        wake(userId);
      },
      error: (cause) => deps.log.error({ ...ref, cause }, 'safe_action.actor_failed'),
    });
    actor.start();
  }

  return {
    intend(tx, draft, alongside) {
      const { record, isNew } = intendAction(tx, draft, {
        actionId: newActionId(deps),
        nowMs: deps.clock.nowMs(),
      });
      if (isNew) alongside?.(record);
      return record;
    },
    wake,
    settled: ({ userId, actionId }, withinMs) =>
      new Promise((resolve) => {
        const read = () => readAction(deps.store, { userId, actionId });
        if (isActionOver(read().state)) return resolve(read());
        const waiter = { tell: () => finish() };
        const timer = deps.clock.after(withinMs, () => finish());
        const finish = () => {
          timer.cancel();
          waiters.get(actionId)?.delete(waiter);
          if (waiters.get(actionId)?.size === 0) waiters.delete(actionId);
          resolve(read());
        };
        waiters.set(actionId, (waiters.get(actionId) ?? new Set()).add(waiter));
      }),
    get: (userId, actionId) => deps.store.get(SAFE_ACTIONS, [userId, actionId])?.value ?? null,
    list: (userId) =>
      deps.store.range(SAFE_ACTIONS, { prefix: [userId] }).map(({ value }) => value),
    recover() {
      const open = deps.store.range(OPEN_SAFE_ACTIONS);
      for (const userId of new Set(open.map(({ key }) => String(key[0]))))
        wake(asId<UserId>(userId));
      return open.length;
    },
    get size() {
      return new Set(Array.from(running.values(), ({ ref }) => ref.userId)).size;
    },
    stop() {
      isOver = true;
      for (const { actor } of running.values()) actor.stop();
      running.clear();
      for (const { tell } of [...waiters.values()].flatMap((waiting) => [...waiting])) tell();
    },
  };
}

/** The actions of a queue that may be in flight: its first, and its second where that is a deployment some block has. */
function inFlight([first, second]: readonly SafeActionRecord[]): readonly SafeActionRecord[] {
  if (first === undefined) return [];
  return second !== undefined && first.purpose.kind === 'deploy' && first.state === 'mined'
    ? [first, second]
    : [first];
}
