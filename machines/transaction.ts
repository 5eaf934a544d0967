import { assign, fromPromise, setup } from 'xstate';
import { TRANSACTION } from '../config/limits/funds.ts';
import type { TransactionId } from '../src/domain/ids.ts';
import type { RailPace } from '../src/ports/transactions.ts';

/** What a transaction's record asks for after a step: to wait, another step, or nothing more. */
export interface TransactionStep {
  readonly next: 'wait' | 'sign' | 'send' | 'done' | 'failed';
}

/** How an actor comes to a transaction. */
export interface TransactionInput {
  readonly transactionId: TransactionId;
  /** True when its bytes may have left: the chain is asked before anything is sent (L9). */
  readonly isSigned: boolean;
  /** How often its rail is to be asked. */
  readonly pace: RailPace;
}

interface TransactionContext extends TransactionInput {
  readonly step: TransactionStep;
  /** Questions since the bytes were signed: the waits grow with it, between sendings too. */
  readonly questions: number;
}

/** Input of every effect. */
export interface TransactionEffectInput {
  readonly transactionId: TransactionId;
}

type TransactionEffect = (transactionId: TransactionId) => Promise<TransactionStep>;

/** What the machine does to the world; each effect stores what it learned before it resolves. */
export interface TransactionEffects {
  /**
   * Signs the bytes, or by the rail's rule what takes the place of those that are out, durably
   * (L1).
   */
  readonly sign: TransactionEffect;
  /** Sends the stored bytes and stores the answer. */
  readonly send: TransactionEffect;
  /** Asks the chain what became of the bytes, and whoever took them where nothing did (L2). */
  readonly ask: TransactionEffect;
}

const placeholder = fromPromise<TransactionStep, TransactionEffectInput>(() =>
  Promise.reject(new Error('the transaction machine needs its effects by provide')),
);

/**
 * Life of one transaction, from the head of its account's queue to its proven end. The record in
 * the store is the truth; this machine only decides when to sign, send and ask. Nothing is
 * concluded from a time-out or from who carries it: whatever happened to a step, the chain is asked
 * next (L2).
 */
export const transactionMachine = setup({
  types: { input: {} as TransactionInput, context: {} as TransactionContext },
  actors: { sign: placeholder, send: placeholder, ask: placeholder },
  guards: {
    isSigned: (_, params: { readonly isSigned: boolean }) => params.isSigned,
    isNext: (
      _,
      params: { readonly step: TransactionStep; readonly next: TransactionStep['next'] },
    ) => params.step.next === params.next,
  },
  actions: {
    take: assign((_, params: { readonly step: TransactionStep }) => ({ step: params.step })),
    countQuestion: assign({ questions: ({ context }) => context.questions + 1 }),
    forgetQuestions: assign({ questions: 0 }),
  },
  delays: {
    step: TRANSACTION.stepTimeoutMs,
    backoff: ({ context: { pace, questions } }) =>
      Math.min(
        pace.askFirstMs * 2 ** Math.min(Math.max(0, questions - pace.asksQuick), 16),
        pace.askMaximumMs,
      ),
  },
}).createMachine({
  id: 'transaction',
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
        input: ({ context }) => ({ transactionId: context.transactionId }),
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
        input: ({ context }) => ({ transactionId: context.transactionId }),
        onDone: 'waiting',
        onError: 'waiting',
      },
      after: { step: 'waiting' },
    },
    waiting: { after: { backoff: 'asking' } },
    asking: {
      entry: 'countQuestion',
      invoke: {
        src: 'ask',
        input: ({ context }) => ({ transactionId: context.transactionId }),
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
        { target: 'waiting' },
      ],
    },
    done: { type: 'final' },
    failed: { type: 'final' },
  },
});

/** The machine with its effects in place. */
export function withTransactionEffects(effects: TransactionEffects): typeof transactionMachine {
  const actor = (effect: TransactionEffect) =>
    fromPromise<TransactionStep, TransactionEffectInput>(({ input }) =>
      effect(input.transactionId),
    );
  return transactionMachine.provide({
    actors: {
      sign: actor(effects.sign),
      send: actor(effects.send),
      ask: actor(effects.ask),
    },
  });
}
