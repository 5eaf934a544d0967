import { assign, fromPromise, setup } from 'xstate';
import { DEPOSIT_WATCH } from '../config/limits/bridge.ts';
import type { UserId } from '../src/domain/ids.ts';

/** Which deposit address an actor follows. */
export interface DepositPlace {
  readonly userId: UserId;
  readonly address: string;
}

/** How an actor comes to an address. */
export interface DepositInput extends DepositPlace {
  /** It has just been polled: the next poll can wait. */
  readonly isSeen: boolean;
}

/** What a poll of an address found. */
export interface DepositReading {
  /** Since anything new was heard of its deposits, or anybody asked. */
  readonly quietMs: number;
  /** A deposit is under way, or the address was asked for not long ago. */
  readonly isAwaited: boolean;
}

interface DepositContext extends DepositInput {
  /** Polls in a row that failed. */
  readonly failures: number;
  /** Asked for during a poll: what that poll has seen may be older. */
  readonly isAskedAgain: boolean;
  /** As the last reading had it; none once the address was asked for. */
  readonly quietMs: number;
}

/** Events of an actor. */
export type DepositEvent =
  /** The address was asked for, or the chain has booked money of its owner. */
  | { readonly type: 'deposit.asked' }
  /** A caller asked for it and read it by itself. */
  | { readonly type: 'deposit.seen' };

/** What the machine does to the world. */
export interface DepositEffects {
  /** Resolves when it is this address's turn to be polled. */
  readonly turn: (place: DepositPlace, signal: AbortSignal) => Promise<void>;
  /** Asks the bridge and the books, and stores what is new before it resolves. */
  readonly poll: (place: DepositPlace) => Promise<DepositReading>;
}

const turnPlaceholder = fromPromise<void, DepositPlace>(() =>
  Promise.reject(new Error('the deposit machine needs its effects by provide')),
);
const pollPlaceholder = fromPromise<DepositReading, DepositPlace>(() =>
  Promise.reject(new Error('the deposit machine needs its effects by provide')),
);

/**
 * Follows what the bridge tells of one deposit address: quickly while something happens, ever more
 * slowly while nothing does, and not at all once no caller waits for it; then the actor ends, and
 * whoever asks again makes a new one. What it learns lies in records, so an actor is nothing but a
 * rhythm: one made after a crash goes on as though there had been none (L9).
 */
export const depositMachine = setup({
  types: { input: {} as DepositInput, context: {} as DepositContext, events: {} as DepositEvent },
  actors: { turn: turnPlaceholder, poll: pollPlaceholder },
  guards: {
    isSeen: (_, params: { readonly isSeen: boolean }) => params.isSeen,
    isAskedAgain: (_, params: { readonly isAskedAgain: boolean }) => params.isAskedAgain,
    isAwaited: (_, params: { readonly reading: DepositReading }) => params.reading.isAwaited,
  },
  actions: {
    take: assign((_, params: { readonly reading: DepositReading }) => ({
      quietMs: params.reading.quietMs,
      failures: 0,
    })),
    countFailure: assign({ failures: ({ context }) => context.failures + 1 }),
    noteAsked: assign({ isAskedAgain: true }),
    hasten: assign({ quietMs: 0, failures: 0 }),
    forgetAsked: assign({ isAskedAgain: false }),
  },
  delays: {
    pace: ({ context: { quietMs, failures } }) =>
      Math.min(
        Math.max(
          quietMs / DEPOSIT_WATCH.pollsEachQuiet,
          DEPOSIT_WATCH.quickMs * 2 ** Math.min(failures, 16),
        ),
        DEPOSIT_WATCH.slowMs,
      ),
    turn: DEPOSIT_WATCH.turnTimeoutMs,
    poll: DEPOSIT_WATCH.pollTimeoutMs,
  },
}).createMachine({
  id: 'deposit',
  context: ({ input }) => ({ ...input, failures: 0, isAskedAgain: false, quietMs: 0 }),
  initial: 'starting',
  states: {
    starting: {
      always: [
        {
          guard: { type: 'isSeen', params: ({ context: { isSeen } }) => ({ isSeen }) },
          target: 'waiting',
        },
        { target: 'queued' },
      ],
    },
    queued: {
      invoke: {
        src: 'turn',
        input: ({ context: { userId, address } }) => ({ userId, address }),
        onDone: 'polling',
        onError: 'waiting',
      },
      after: { turn: 'waiting' },
    },
    polling: {
      entry: 'forgetAsked',
      invoke: {
        src: 'poll',
        input: ({ context: { userId, address } }) => ({ userId, address }),
        onDone: [
          {
            guard: {
              type: 'isAskedAgain',
              params: ({ context: { isAskedAgain } }) => ({ isAskedAgain }),
            },
            target: 'queued',
            actions: { type: 'take', params: ({ event }) => ({ reading: event.output }) },
          },
          {
            guard: { type: 'isAwaited', params: ({ event }) => ({ reading: event.output }) },
            target: 'waiting',
            actions: { type: 'take', params: ({ event }) => ({ reading: event.output }) },
          },
          { target: 'asleep' },
        ],
        onError: { target: 'waiting', actions: 'countFailure' },
      },
      on: { 'deposit.asked': { actions: 'noteAsked' } },
      after: { poll: { target: 'waiting', actions: 'countFailure' } },
    },
    waiting: {
      on: {
        'deposit.asked': { target: 'queued', actions: 'hasten' },
        'deposit.seen': { target: 'waiting', reenter: true, actions: 'hasten' },
      },
      after: { pace: 'queued' },
    },
    asleep: { type: 'final' },
  },
});

/** The machine with its effects in place. */
export function withDepositEffects({ turn, poll }: DepositEffects): typeof depositMachine {
  return depositMachine.provide({
    actors: {
      turn: fromPromise<void, DepositPlace>(({ input, signal }) => turn(input, signal)),
      poll: fromPromise<DepositReading, DepositPlace>(({ input }) => poll(input)),
    },
  });
}
