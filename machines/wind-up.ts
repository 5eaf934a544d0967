import type { ActorRefFrom } from 'xstate';
import { assign, createActor, fromPromise, setup } from 'xstate';
import { WIND_UP } from '../config/limits/risk.ts';
import type { AgentId, UserId } from '../src/domain/ids.ts';
import type { ActorClock } from './actor-clock.ts';

/** Which stopped agent is wound up. */
export interface WindUpInput {
  readonly userId: UserId;
  readonly agentId: AgentId;
  /** Wait before the first look: a start that finds many must not begin with all at once. */
  readonly afterMs: number;
}

/** What one look came to: nothing is left and that is stored, something was done, or all that is left has to wait. */
export type WindUpStep = 'over' | 'moved' | 'waiting';

/** What a wind-up is told. */
export type WindUpEvent =
  /** An order or a trade of the agent has moved. */
  | { readonly type: 'agent.moved' }
  /** The process ends, or the user has enabled the agent again. */
  | { readonly type: 'wind_up.stop' };

interface WindUpContext extends WindUpInput {
  /** Looks in a row that changed nothing. */
  readonly idle: number;
}

/** What the machine does to the world: cancels and sells what it can at this moment. */
export interface WindUpEffects {
  step(input: Pick<WindUpInput, 'userId' | 'agentId'>): Promise<WindUpStep>;
}

const unprovided = () =>
  Promise.reject(new Error('the wind-up machine needs its effects by provide'));

/**
 * Ends what a stopped agent has open, look by look, until nothing is left (L6). It decides when; what to cancel and sell
 * is read from the records each time, so a crash between two looks changes nothing.
 */
export const windUpMachine = setup({
  types: { input: {} as WindUpInput, context: {} as WindUpContext, events: {} as WindUpEvent },
  actors: { step: fromPromise<WindUpStep, Pick<WindUpInput, 'userId' | 'agentId'>>(unprovided) },
  guards: {
    is: (_, params: { readonly step: WindUpStep; readonly wanted: WindUpStep }) =>
      params.step === params.wanted,
  },
  actions: {
    countIdle: assign({ idle: ({ context }) => context.idle + 1 }),
    forgetIdle: assign({ idle: 0 }),
  },
  delays: {
    arrival: ({ context }) => context.afterMs,
    pause: ({ context }) =>
      Math.min(WIND_UP.lookFirstMs * 2 ** Math.min(context.idle, 16), WIND_UP.lookMaximumMs),
    step: WIND_UP.stepTimeoutMs,
  },
}).createMachine({
  id: 'windUp',
  context: ({ input }) => ({ ...input, idle: 0 }),
  initial: 'arriving',
  on: { 'wind_up.stop': '.over' },
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
      // The look under way may have passed over what has moved: the next one comes soon.
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

/** A running wind-up. */
export type WindUpActor = ActorRefFrom<typeof windUpMachine>;

/** The machine with its effects in place. */
export function withWindUpEffects(effects: WindUpEffects): typeof windUpMachine {
  return windUpMachine.provide({
    actors: {
      step: fromPromise<WindUpStep, Pick<WindUpInput, 'userId' | 'agentId'>>(({ input }) =>
        effects.step(input),
      ),
    },
  });
}

/** Makes an actor on our clock; it runs once `start` is called. */
export function createWindUpActor(
  machine: typeof windUpMachine,
  input: WindUpInput,
  clock: ActorClock,
): WindUpActor {
  return createActor(machine, { input, clock });
}
