import { assign, createActor, fromPromise, setup, type ActorRefFrom } from 'xstate';
import { UNWIND } from '../config/limits/risk.ts';
import type { AgentId, UserId } from '../src/domain/ids.ts';
import type { ActorClock } from './actor-clock.ts';

/** Which stopped agent is unwound. */
export interface UnwindInput {
  readonly userId: UserId;
  readonly agentId: AgentId;
  /** Wait before the first step: a start that finds many must not begin with all at once. */
  readonly afterMs: number;
}

/**
 * What one step came to: nothing is left and that is stored, something was done, or all that is
 * left has to wait.
 */
export type UnwindStep = 'over' | 'moved' | 'waiting';

/** Events of an unwind. */
export type UnwindEvent =
  /** An order or a trade of the agent has moved. */
  | { readonly type: 'agent.moved' }
  /** The process ends, or the user has enabled the agent again. */
  | { readonly type: 'unwind.stop' };

interface UnwindContext extends UnwindInput {
  /** Looks in a row that changed nothing. */
  readonly idle: number;
}

/** What the machine does to the world: cancels and sells what it can at this moment. */
export interface UnwindEffects {
  step(input: Pick<UnwindInput, 'userId' | 'agentId'>): Promise<UnwindStep>;
}

const unprovided = () =>
  Promise.reject(new Error('the unwind machine needs its effects by provide'));

/**
 * Ends what a stopped agent has open, step by step, until nothing is left (L6). It decides when;
 * what to cancel and sell is read from the records each time, so a crash between two steps changes
 * nothing.
 */
export const unwindMachine = setup({
  types: { input: {} as UnwindInput, context: {} as UnwindContext, events: {} as UnwindEvent },
  actors: { step: fromPromise<UnwindStep, Pick<UnwindInput, 'userId' | 'agentId'>>(unprovided) },
  guards: {
    is: (_, params: { readonly step: UnwindStep; readonly wanted: UnwindStep }) =>
      params.step === params.wanted,
  },
  actions: {
    countIdle: assign({ idle: ({ context }) => context.idle + 1 }),
    forgetIdle: assign({ idle: 0 }),
  },
  delays: {
    arrival: ({ context }) => context.afterMs,
    pause: ({ context }) =>
      Math.min(UNWIND.pauseFirstMs * 2 ** Math.min(context.idle, 16), UNWIND.pauseMaximumMs),
    step: UNWIND.stepTimeoutMs,
  },
}).createMachine({
  id: 'unwind',
  context: ({ input }) => ({ ...input, idle: 0 }),
  initial: 'arriving',
  on: { 'unwind.stop': '.over' },
  states: {
    arriving: { after: { arrival: 'working' } },
    working: {
      invoke: {
        src: 'step',
        input: ({ context: { userId, agentId } }) => ({ userId, agentId }),
        onDone: [
          {
            guard: { type: 'is', params: ({ event }) => ({ step: event.output, wanted: 'over' }) },
            target: 'over',
          },
          {
            guard: { type: 'is', params: ({ event }) => ({ step: event.output, wanted: 'moved' }) },
            target: 'pausing',
            actions: 'forgetIdle',
          },
          { target: 'pausing', actions: 'countIdle' },
        ],
        onError: { target: 'pausing', actions: 'countIdle' },
      },
      // The step under way may have passed over what has moved: the next one comes soon.
      on: { 'agent.moved': { actions: 'forgetIdle' } },
      after: { step: { target: 'pausing', actions: 'countIdle' } },
    },
    pausing: {
      on: { 'agent.moved': { actions: 'forgetIdle', target: 'pausing', reenter: true } },
      after: { pause: 'working' },
    },
    over: { type: 'final' },
  },
});

/** A running unwind. */
export type UnwindActor = ActorRefFrom<typeof unwindMachine>;

/** The machine with its effects in place. */
export function withUnwindEffects(effects: UnwindEffects): typeof unwindMachine {
  return unwindMachine.provide({
    actors: {
      step: fromPromise<UnwindStep, Pick<UnwindInput, 'userId' | 'agentId'>>(({ input }) =>
        effects.step(input),
      ),
    },
  });
}

/** Makes an actor on our clock; it runs once `start` is called. */
export function createUnwindActor(
  machine: typeof unwindMachine,
  input: UnwindInput,
  clock: ActorClock,
): UnwindActor {
  return createActor(machine, { input, clock });
}
