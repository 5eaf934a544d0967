import { assign, fromPromise, setup } from 'xstate';
import { SWAP } from '../config/limits/tokens.ts';
import type { SwapId, UserId } from '../src/domain/ids.ts';

/** Which swap an actor follows. */
export interface SwapPlace {
  readonly userId: UserId;
  readonly swapId: SwapId;
}

/** What a poll at a swap came to. */
export interface SwapPoll {
  readonly isOver: boolean;
  /** The record has changed since the last poll. */
  readonly isNew: boolean;
}

interface SwapContext extends SwapPlace {
  /** Polls in a row that brought nothing new. */
  readonly quiet: number;
}

const placeholder = fromPromise<SwapPoll, SwapPlace>(() =>
  Promise.reject(new Error('the swap machine needs its poll by provide')),
);

/**
 * Follows one swap to its proven end: its transactions, then what arrives on the other side. What
 * is learned lies in the record, so an actor is nothing but a rhythm: one made after a crash goes
 * on as though there had been none (L9). Whatever happens to a poll, the next one asks again;
 * nothing is concluded from a time-out (L2).
 */
export const swapMachine = setup({
  types: { input: {} as SwapPlace, context: {} as SwapContext },
  actors: { poll: placeholder },
  guards: {
    isOver: (_, params: { readonly poll: SwapPoll }) => params.poll.isOver,
    isNew: (_, params: { readonly poll: SwapPoll }) => params.poll.isNew,
  },
  actions: {
    countQuiet: assign({ quiet: ({ context }) => context.quiet + 1 }),
    forgetQuiet: assign({ quiet: 0 }),
  },
  delays: {
    step: SWAP.stepTimeoutMs,
    pause: ({ context: { quiet } }) =>
      Math.min(SWAP.pauseFirstMs * 2 ** Math.min(Math.max(0, quiet - 10), 16), SWAP.pauseMaximumMs),
  },
}).createMachine({
  id: 'swap',
  context: ({ input }) => ({ ...input, quiet: 0 }),
  initial: 'polling',
  states: {
    polling: {
      invoke: {
        src: 'poll',
        input: ({ context: { userId, swapId } }) => ({ userId, swapId }),
        onDone: [
          {
            guard: { type: 'isOver', params: ({ event }) => ({ poll: event.output }) },
            target: 'over',
          },
          {
            guard: { type: 'isNew', params: ({ event }) => ({ poll: event.output }) },
            target: 'pausing',
            actions: 'forgetQuiet',
          },
          { target: 'pausing', actions: 'countQuiet' },
        ],
        onError: { target: 'pausing', actions: 'countQuiet' },
      },
      after: { step: { target: 'pausing', actions: 'countQuiet' } },
    },
    pausing: { after: { pause: 'polling' } },
    over: { type: 'final' },
  },
});

/** The machine with its poll in place. */
export function withSwapPoll(poll: (place: SwapPlace) => Promise<SwapPoll>): typeof swapMachine {
  return swapMachine.provide({
    actors: { poll: fromPromise<SwapPoll, SwapPlace>(({ input }) => poll(input)) },
  });
}
