import { assign, fromPromise, setup } from 'xstate';
import { ORDER } from '../config/limits.ts';
import type { IntentId } from '../src/domain/ids.ts';
import type { OrderState } from '../src/domain/order.ts';

/** The state of an order's record after a step, and what the step asks for next. */
export interface OrderStep {
  readonly state: OrderState;
  /**
   * `resend`: the venue does not know the bytes and they may go out again. `defer`: send again
   * after `waitMs`. `reissued`: signed once more, and gone. `rest`: what was sent has ended, and
   * the order waits with this service.
   */
  readonly next: 'carry_on' | 'resend' | 'defer' | 'reissued' | 'rest';
  readonly waitMs: number;
  /** The user wants it gone and the venue can be asked. */
  readonly cancelWanted: boolean;
}

/** How an actor comes to an order. */
export interface OrderInput {
  readonly intentId: IntentId;
  /**
   * `fresh`: just signed, not yet durable. `found`: read from the store at a start; whatever was
   * sent is asked about first (L9).
   */
  readonly start: 'fresh' | 'found';
  readonly state: OrderState;
  readonly cancelWanted: boolean;
  /** How long the venue has for an answer, ms of the actor's clock. */
  readonly answerWithinMs: number;
  /** How long the record may take to be durable. */
  readonly sendWindowMs: number;
}

interface OrderContext {
  readonly intentId: IntentId;
  readonly start: 'fresh' | 'found';
  readonly answerWithinMs: number;
  readonly sendWindowMs: number;
  readonly step: OrderStep;
  /** Questions since the state last changed: the waits grow with it. */
  readonly questions: number;
  /** Cancels sent since the state last changed or the request came. */
  readonly cancels: number;
}

/** Events of an order actor. */
export type OrderEvent =
  /** The signed bytes would survive a power failure: they may leave (L1). */
  | { readonly type: 'order.durable' }
  /** An update from elsewhere (channel, fill, sync) moved the record. */
  | { readonly type: 'order.moved'; readonly step: OrderStep }
  /** The request to cancel is durable. */
  | { readonly type: 'cancel.wanted' }
  /** There is reason to ask now: a fill, a reconnect, an expiry. */
  | { readonly type: 'order.ask' };

/** Input of every effect. */
export interface OrderEffectInput {
  readonly intentId: IntentId;
}

type OrderEffect = (input: OrderEffectInput, signal: AbortSignal) => Promise<OrderStep>;

/** What the machine does to the world; each effect stores what it learned before it resolves. */
export interface OrderEffects {
  /** Stores the answer to the bytes that have just gone out for the first time. */
  readonly submit: OrderEffect;
  /** Stamps the record, durably, then sends the same bytes again and stores the answer. */
  readonly resend: OrderEffect;
  /** Stores that the answer was lost (L2). */
  readonly markUnknown: OrderEffect;
  /** Asks the venue by order id and stores its word. */
  readonly ask: OrderEffect;
  /** Asks the venue to cancel and stores its word. */
  readonly cancel: OrderEffect;
}

const placeholder = fromPromise<OrderStep, OrderEffectInput>(() =>
  Promise.reject(new Error('the order machine needs its effects by provide')),
);

/**
 * Life of one order from its durable signature to its end (design.md section 4). The record in the
 * store is the truth; this machine only decides when to send, ask and cancel. It never concludes
 * anything from a time-out: an answer that is missing leads to `unknown`, and out of `unknown`
 * leads only the venue's word (L2).
 */
export const orderMachine = setup({
  types: { input: {} as OrderInput, context: {} as OrderContext, events: {} as OrderEvent },
  actors: {
    submit: placeholder,
    resend: placeholder,
    markUnknown: placeholder,
    ask: placeholder,
    cancel: placeholder,
  },
  guards: {
    isFound: (_, params: { readonly start: 'fresh' | 'found' }) => params.start === 'found',
    isState: (_, params: { readonly step: OrderStep; readonly state: OrderState }) =>
      params.step.state === params.state,
    isToResend: (_, params: { readonly step: OrderStep }) => params.step.next === 'resend',
    isToRest: (_, params: { readonly step: OrderStep }) => params.step.next === 'rest',
    isReissued: (_, params: { readonly step: OrderStep }) => params.step.next === 'reissued',
    isToDefer: (_, params: { readonly step: OrderStep }) => params.step.next === 'defer',
    isToCancel: (_, params: { readonly step: OrderStep; readonly cancels: number }) =>
      params.step.cancelWanted && params.step.state === 'live' && params.cancels === 0,
  },
  actions: {
    take: assign(({ context }, params: { readonly step: OrderStep }) => ({
      step: params.step,
      ...(params.step.state === context.step.state ? {} : { questions: 0, cancels: 0 }),
    })),
    wantCancel: assign(({ context }) => ({
      step: { ...context.step, cancelWanted: true },
      cancels: 0,
    })),
    countQuestion: assign({ questions: ({ context }) => context.questions + 1 }),
    countCancel: assign({ cancels: ({ context }) => context.cancels + 1 }),
    allowCancel: assign({ cancels: 0 }),
    forgetWait: assign({
      step: ({ context }) => ({ ...context.step, next: 'carry_on' as const, waitMs: 0 }),
    }),
  },
  delays: {
    durability: ({ context }) => context.sendWindowMs,
    submission: ({ context }) => context.answerWithinMs,
    question: ({ context }) => context.answerWithinMs,
    deferral: ({ context }) => context.step.waitMs,
    backoff: ({ context }) =>
      Math.min(
        ORDER.reconcileFirstMs * 2 ** Math.min(context.questions, 16),
        ORDER.reconcileMaximumMs,
      ),
    watch: ({ context }) =>
      Math.min(
        ORDER.reconcileMaximumMs * 2 ** Math.min(context.questions, 16),
        ORDER.watchIntervalMs,
      ),
  },
}).createMachine({
  id: 'order',
  context: ({ input }) => ({
    intentId: input.intentId,
    start: input.start,
    answerWithinMs: input.answerWithinMs,
    sendWindowMs: input.sendWindowMs,
    step: { state: input.state, next: 'carry_on', waitMs: 0, cancelWanted: input.cancelWanted },
    questions: 0,
    cancels: 0,
  }),
  initial: 'starting',
  on: {
    'order.moved': {
      target: '.deciding',
      actions: { type: 'take', params: ({ event }) => ({ step: event.step }) },
    },
    'cancel.wanted': { actions: 'wantCancel' },
  },
  states: {
    starting: {
      always: [
        {
          guard: { type: 'isFound', params: ({ context }) => ({ start: context.start }) },
          target: 'asking',
        },
        { target: 'signed' },
      ],
    },
    signed: {
      // A fill cannot come before the bytes have left, so nothing but durability moves the order
      // from here.
      on: { 'order.durable': 'submitting', 'order.moved': {} },
      after: { durability: 'marking' },
    },
    submitting: {
      entry: 'forgetWait',
      invoke: {
        src: 'submit',
        input: ({ context }) => ({ intentId: context.intentId }),
        onDone: {
          target: 'deciding',
          actions: { type: 'take', params: ({ event }) => ({ step: event.output }) },
        },
        onError: 'marking',
      },
      // The channel may be faster than the answer; the answer is still worth having.
      on: {
        'order.moved': { actions: { type: 'take', params: ({ event }) => ({ step: event.step }) } },
      },
      after: { submission: 'marking' },
    },
    deferred: {
      entry: 'countQuestion',
      exit: 'forgetWait',
      after: { deferral: 'resending' },
    },
    resending: {
      invoke: {
        src: 'resend',
        input: ({ context }) => ({ intentId: context.intentId }),
        onDone: {
          target: 'deciding',
          actions: { type: 'take', params: ({ event }) => ({ step: event.output }) },
        },
        onError: 'marking',
      },
      on: {
        'order.moved': { actions: { type: 'take', params: ({ event }) => ({ step: event.step }) } },
      },
      after: { submission: 'marking' },
    },
    marking: {
      invoke: {
        src: 'markUnknown',
        input: ({ context }) => ({ intentId: context.intentId }),
        onDone: {
          target: 'deciding',
          actions: { type: 'take', params: ({ event }) => ({ step: event.output }) },
        },
        onError: 'unknown',
      },
      after: { question: 'unknown' },
    },
    /** Sends the order to where its record says it is. */
    deciding: {
      always: [
        {
          guard: { type: 'isToRest', params: ({ context: { step } }) => ({ step }) },
          target: 'resting',
        },
        {
          guard: {
            type: 'isState',
            params: ({ context: { step } }) => ({ step, state: 'filled' }),
          },
          target: 'filled',
        },
        {
          guard: {
            type: 'isState',
            params: ({ context: { step } }) => ({ step, state: 'cancelled' }),
          },
          target: 'cancelled',
        },
        {
          guard: {
            type: 'isState',
            params: ({ context: { step } }) => ({ step, state: 'expired' }),
          },
          target: 'expired',
        },
        {
          guard: {
            type: 'isState',
            params: ({ context: { step } }) => ({ step, state: 'rejected' }),
          },
          target: 'rejected',
        },
        {
          guard: { type: 'isReissued', params: ({ context: { step } }) => ({ step }) },
          target: 'submitting',
        },
        {
          guard: { type: 'isToDefer', params: ({ context: { step } }) => ({ step }) },
          target: 'deferred',
        },
        {
          guard: { type: 'isToResend', params: ({ context: { step } }) => ({ step }) },
          target: 'resending',
        },
        {
          guard: {
            type: 'isToCancel',
            params: ({ context: { step, cancels } }) => ({ step, cancels }),
          },
          target: 'cancelling',
        },
        {
          guard: { type: 'isState', params: ({ context: { step } }) => ({ step, state: 'live' }) },
          target: 'live',
        },
        {
          guard: {
            type: 'isState',
            params: ({ context: { step } }) => ({ step, state: 'delayed' }),
          },
          target: 'delayed',
        },
        {
          guard: {
            type: 'isState',
            params: ({ context: { step } }) => ({ step, state: 'matched' }),
          },
          target: 'matched',
        },
        { target: 'unknown' },
      ],
    },
    unknown: { on: { 'order.ask': 'asking' }, after: { backoff: 'asking' } },
    delayed: { on: { 'order.ask': 'asking' }, after: { backoff: 'asking' } },
    matched: { on: { 'order.ask': 'asking' }, after: { backoff: 'asking' } },
    live: {
      on: {
        'order.ask': 'asking',
        'cancel.wanted': { target: 'cancelling', actions: 'wantCancel' },
      },
      after: { watch: { target: 'asking', actions: 'allowCancel' } },
    },
    asking: {
      entry: ['countQuestion', 'forgetWait'],
      invoke: {
        src: 'ask',
        input: ({ context }) => ({ intentId: context.intentId }),
        onDone: {
          target: 'deciding',
          actions: { type: 'take', params: ({ event }) => ({ step: event.output }) },
        },
        onError: 'deciding',
      },
      on: {
        'order.moved': { actions: { type: 'take', params: ({ event }) => ({ step: event.step }) } },
      },
      after: { question: 'deciding' },
    },
    cancelling: {
      entry: 'countCancel',
      invoke: {
        src: 'cancel',
        input: ({ context }) => ({ intentId: context.intentId }),
        // Whatever the answer, the venue is asked by id before anything else is concluded.
        onDone: {
          target: 'asking',
          actions: { type: 'take', params: ({ event }) => ({ step: event.output }) },
        },
        onError: 'asking',
      },
      on: {
        'order.moved': { actions: { type: 'take', params: ({ event }) => ({ step: event.step }) } },
      },
      after: { question: 'asking' },
    },
    resting: { type: 'final' },
    filled: { type: 'final' },
    cancelled: { type: 'final' },
    expired: { type: 'final' },
    rejected: { type: 'final' },
  },
});

/** The machine with its effects in place. */
export function withOrderEffects(effects: OrderEffects): typeof orderMachine {
  const actor = (effect: OrderEffect) =>
    fromPromise<OrderStep, OrderEffectInput>(({ input, signal }) => effect(input, signal));
  return orderMachine.provide({
    actors: {
      submit: actor(effects.submit),
      resend: actor(effects.resend),
      markUnknown: actor(effects.markUnknown),
      ask: actor(effects.ask),
      cancel: actor(effects.cancel),
    },
  });
}
