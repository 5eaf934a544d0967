import { assign, fromPromise, setup } from 'xstate';
import { SAFE_ACTION } from '../config/limits/money.ts';
import type { ActionId } from '../src/domain/ids.ts';

/** What an action's record asks for after a step: to wait, another step, or nothing more. */
export interface ActionStep {
  readonly next: 'wait' | 'sign' | 'send' | 'cancel' | 'done' | 'failed';
}

/** How an actor comes to an action. */
export interface ActionInput {
  readonly actionId: ActionId;
  /** True when its bytes may have left: the chain is asked before anything is sent (L9). */
  readonly isSigned: boolean;
}

interface ActionContext {
  readonly actionId: ActionId;
  readonly isSigned: boolean;
  readonly step: ActionStep;
  /** Questions since the bytes were signed: the waits grow with it, between sendings too. */
  readonly questions: number;
}

/** What an action's actor is told. */
export type ActionEvent =
  /** There is reason to ask now. */
  { readonly type: 'action.ask' };

/** Input of every effect. */
export interface ActionEffectInput {
  readonly actionId: ActionId;
}

type ActionEffect = (actionId: ActionId) => Promise<ActionStep>;

/** What the machine does to the world; each effect stores what it learned before it resolves. */
export interface ActionEffects {
  /** Signs the action under the Safe's next nonce, durably (L1). */
  readonly sign: ActionEffect;
  /** Sends the stored bytes and stores the answer. */
  readonly send: ActionEffect;
  /** Asks the chain what became of the bytes, and the relayer where nothing did (L2). */
  readonly ask: ActionEffect;
  /** Signs the call that takes the action's place under its nonce, durably. */
  readonly cancel: ActionEffect;
}

const placeholder = fromPromise<ActionStep, ActionEffectInput>(() =>
  Promise.reject(new Error('the action machine needs its effects by provide')),
);

/**
 * Life of one action of a Safe, from the head of its queue to its proven end. The record in the store is the truth; this
 * machine only decides when to sign, send and ask. Nothing is concluded from a time-out or from the relayer: whatever
 * happened to a step, the chain is asked next (L2).
 */
export const safeActionMachine = setup({
  types: { input: {} as ActionInput, context: {} as ActionContext, events: {} as ActionEvent },
  actors: { sign: placeholder, send: placeholder, ask: placeholder, cancel: placeholder },
  guards: {
    isSigned: (_, params: { readonly isSigned: boolean }) => params.isSigned,
    isNext: (_, params: { readonly step: ActionStep; readonly next: ActionStep['next'] }) =>
      params.step.next === params.next,
  },
  actions: {
    take: assign((_, params: { readonly step: ActionStep }) => ({ step: params.step })),
    countQuestion: assign({ questions: ({ context }) => context.questions + 1 }),
    forgetQuestions: assign({ questions: 0 }),
  },
  delays: {
    step: SAFE_ACTION.stepTimeoutMs,
    backoff: ({ context }) =>
      Math.min(
        SAFE_ACTION.askFirstMs *
          2 ** Math.min(Math.max(0, context.questions - SAFE_ACTION.asksQuick), 16),
        SAFE_ACTION.askMaximumMs,
      ),
  },
}).createMachine({
  id: 'safeAction',
  context: ({ input }) => ({ ...input, step: { next: 'wait' }, questions: 0 }),
  initial: 'starting',
  states: {
    starting: {
      always: [
        {
          guard: { type: 'isSigned', params: ({ context }) => ({ isSigned: context.isSigned }) },
          target: 'asking',
        },
        { target: 'signing' },
      ],
    },
    signing: {
      entry: 'forgetQuestions',
      invoke: {
        src: 'sign',
        input: ({ context }) => ({ actionId: context.actionId }),
        onDone: {
          target: 'deciding',
          actions: { type: 'take', params: ({ event }) => ({ step: event.output }) },
        },
        onError: 'waiting',
      },
      after: { step: 'waiting' },
    },
    sending: {
      invoke: {
        src: 'send',
        input: ({ context }) => ({ actionId: context.actionId }),
        onDone: 'waiting',
        onError: 'waiting',
      },
      after: { step: 'waiting' },
    },
    waiting: { on: { 'action.ask': 'asking' }, after: { backoff: 'asking' } },
    asking: {
      entry: 'countQuestion',
      invoke: {
        src: 'ask',
        input: ({ context }) => ({ actionId: context.actionId }),
        onDone: {
          target: 'deciding',
          actions: { type: 'take', params: ({ event }) => ({ step: event.output }) },
        },
        onError: 'waiting',
      },
      after: { step: 'waiting' },
    },
    cancelling: {
      entry: 'forgetQuestions',
      invoke: {
        src: 'cancel',
        input: ({ context }) => ({ actionId: context.actionId }),
        onDone: {
          target: 'deciding',
          actions: { type: 'take', params: ({ event }) => ({ step: event.output }) },
        },
        onError: 'waiting',
      },
      after: { step: 'waiting' },
    },
    deciding: {
      always: [
        {
          guard: { type: 'isNext', params: ({ context: { step } }) => ({ step, next: 'done' }) },
          target: 'done',
        },
        {
          guard: { type: 'isNext', params: ({ context: { step } }) => ({ step, next: 'failed' }) },
          target: 'failed',
        },
        {
          guard: { type: 'isNext', params: ({ context: { step } }) => ({ step, next: 'sign' }) },
          target: 'signing',
        },
        {
          guard: { type: 'isNext', params: ({ context: { step } }) => ({ step, next: 'send' }) },
          target: 'sending',
        },
        {
          guard: { type: 'isNext', params: ({ context: { step } }) => ({ step, next: 'cancel' }) },
          target: 'cancelling',
        },
        { target: 'waiting' },
      ],
    },
    done: { type: 'final' },
    failed: { type: 'final' },
  },
});

/** The machine with its effects in place. */
export function withActionEffects(effects: ActionEffects): typeof safeActionMachine {
  const actor = (effect: ActionEffect) =>
    fromPromise<ActionStep, ActionEffectInput>(({ input }) => effect(input.actionId));
  return safeActionMachine.provide({
    actors: {
      sign: actor(effects.sign),
      send: actor(effects.send),
      ask: actor(effects.ask),
      cancel: actor(effects.cancel),
    },
  });
}
