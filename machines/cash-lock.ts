import { assign, emit, setup } from 'xstate';

/** How a lock begins. */
export interface LockInput {
  /**
   * A holder that says nothing for this long loses the lock: the fence on its market remains, so
   * nothing doubles (L2).
   */
  readonly leaseMs: number;
  /** Trades that may wait. */
  readonly queueMaximum: number;
}

interface LockContext extends LockInput {
  readonly holder: string | null;
  readonly queue: readonly string[];
}

/** Events of a lock. `by` names one trade, not a user. */
export type LockEvent =
  | { readonly type: 'lock.request'; readonly by: string }
  /** Given back by its holder, or given up by one that waits. */
  | { readonly type: 'lock.release'; readonly by: string };

/** What a lock tells, at once. */
export type LockEmitted =
  | { readonly type: 'lock.granted'; readonly by: string }
  /** The queue is full. */
  | { readonly type: 'lock.refused'; readonly by: string };

/**
 * The lock of one user's cash account: trades that use it are executed one at a time, first come
 * first served (L7).
 */
export const cashLockMachine = setup({
  types: {
    input: {} as LockInput,
    context: {} as LockContext,
    events: {} as LockEvent,
    emitted: {} as LockEmitted,
  },
  guards: {
    someoneWaits: ({ context }) => context.queue.length > 0,
    isFull: ({ context }) => context.queue.length >= context.queueMaximum,
    isHolder: ({ context }, params: { readonly by: string }) => params.by === context.holder,
  },
  actions: {
    enqueue: assign({
      queue: ({ context }, params: { readonly by: string }) => [...context.queue, params.by],
    }),
    drop: assign({
      queue: ({ context }, params: { readonly by: string }) =>
        context.queue.filter((waiting) => waiting !== params.by),
    }),
    hold: assign((_, params: { readonly by: string }) => ({ holder: params.by })),
    admitNext: assign(({ context }) => ({
      holder: context.queue[0] ?? null,
      queue: context.queue.slice(1),
    })),
    grant: emit((_, params: { readonly by: string | null }) => ({
      type: 'lock.granted',
      by: params.by ?? '',
    })),
    refuse: emit((_, params: { readonly by: string }) => ({ type: 'lock.refused', by: params.by })),
    forgetHolder: assign({ holder: null }),
  },
  delays: { lease: ({ context }) => context.leaseMs },
}).createMachine({
  id: 'cashLock',
  context: ({ input }) => ({ ...input, holder: null, queue: [] }),
  initial: 'free',
  states: {
    free: {
      always: { guard: 'someoneWaits', target: 'held', actions: 'admitNext' },
      // The ordinary case, once an order: in one step.
      on: {
        'lock.request': {
          target: 'held',
          actions: { type: 'hold', params: ({ event }) => ({ by: event.by }) },
        },
      },
    },
    held: {
      entry: { type: 'grant', params: ({ context }) => ({ by: context.holder }) },
      exit: 'forgetHolder',
      on: {
        'lock.request': [
          {
            guard: 'isFull',
            actions: { type: 'refuse', params: ({ event }) => ({ by: event.by }) },
          },
          { actions: { type: 'enqueue', params: ({ event }) => ({ by: event.by }) } },
        ],
        'lock.release': [
          {
            guard: { type: 'isHolder', params: ({ event }) => ({ by: event.by }) },
            target: 'free',
          },
          { actions: { type: 'drop', params: ({ event }) => ({ by: event.by }) } },
        ],
      },
      after: { lease: 'free' },
    },
  },
});
