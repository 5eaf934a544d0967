import { assign, fromPromise, setup } from 'xstate';
import { RESOLUTION } from '../config/limits.ts';
import type { MarketId } from '../src/domain/ids.ts';

/** What a watch over the positions of one market begins with. */
export interface PositionWatchInput {
  readonly marketId: MarketId;
  /** How long until the market ends; zero or less once it has. */
  readonly untilEndMs: number;
  /**
   * `found`: read from the store at a start. The market may have ended meanwhile, so it
   * is looked at first (L9).
   */
  readonly start: 'fresh' | 'found';
}

/**
 * Where the positions of a market stand. `paying` has a resolution and waits for fills that are not
 * final.
 */
export type PositionStanding = 'unresolved' | 'paying' | 'paid';

interface PositionWatchContext extends PositionWatchInput {
  readonly questions: number;
  readonly standing: PositionStanding;
}

/** Events of a watch. */
export type PositionWatchEvent =
  /** The market channel or another source says it may have ended. */
  | { readonly type: 'market.hint' }
  /** A fill of this market has become final. */
  | { readonly type: 'fill.final' };

const placeholder = fromPromise<PositionStanding, { readonly marketId: MarketId }>(() =>
  Promise.reject(new Error('the position machine needs its effects by provide')),
);

/**
 * Watches all positions of one market from purchase to payout: one actor for a market, however many
 * users hold it. Asks how the market ended again and again after its end, for the message about it
 * may never come, and pays out when every fill is final (L3).
 */
export const positionMachine = setup({
  types: {
    input: {} as PositionWatchInput,
    context: {} as PositionWatchContext,
    events: {} as PositionWatchEvent,
  },
  actors: {
    /** Asks the venue how the market ended and books it. */
    ask: placeholder,
    /** Pays what can be paid under a known resolution. */
    pay: placeholder,
  },
  guards: {
    isFound: (_, params: { readonly start: 'fresh' | 'found' }) => params.start === 'found',
    isStanding: (
      _,
      params: { readonly standing: PositionStanding; readonly wanted: PositionStanding },
    ) => params.standing === params.wanted,
  },
  actions: {
    take: assign((_, params: { readonly standing: PositionStanding }) => ({
      standing: params.standing,
    })),
    forgetQuestions: assign({ questions: 0 }),
    countQuestion: assign({ questions: ({ context }) => context.questions + 1 }),
  },
  delays: {
    marketEnd: ({ context }) => Math.max(0, context.untilEndMs) + RESOLUTION.firstMs,
    backoff: ({ context }) =>
      Math.min(RESOLUTION.firstMs * 2 ** Math.min(context.questions, 16), RESOLUTION.maximumMs),
    check: RESOLUTION.checkIntervalMs,
    answer: RESOLUTION.askTimeoutMs,
  },
}).createMachine({
  id: 'position',
  context: ({ input }) => ({ ...input, questions: 0, standing: 'unresolved' }),
  initial: 'open',
  states: {
    /**
     * Before the market's stated end. It may end early, and the message be lost: so it is checked
     * now and then.
     */
    open: {
      on: { 'market.hint': 'asking' },
      after: { marketEnd: 'asking' },
      exit: 'forgetQuestions',
      initial: 'choosing',
      states: {
        choosing: {
          always: [
            {
              guard: { type: 'isFound', params: ({ context }) => ({ start: context.start }) },
              target: 'checking',
            },
            { target: 'quiet' },
          ],
        },
        quiet: { entry: 'forgetQuestions', after: { check: 'checking' } },
        checking: {
          entry: 'countQuestion',
          invoke: {
            src: 'ask',
            input: ({ context }) => ({ marketId: context.marketId }),
            onDone: [
              {
                guard: {
                  type: 'isStanding',
                  params: ({ event }) => ({ standing: event.output, wanted: 'unresolved' }),
                },
                target: 'quiet',
              },
              {
                target: '#position.deciding',
                actions: { type: 'take', params: ({ event }) => ({ standing: event.output }) },
              },
            ],
            onError: 'unseeing',
          },
          after: { answer: 'unseeing' },
        },
        unseeing: { after: { backoff: 'checking' } },
      },
    },
    asking: {
      entry: 'countQuestion',
      invoke: {
        src: 'ask',
        input: ({ context }) => ({ marketId: context.marketId }),
        onDone: {
          target: 'deciding',
          actions: { type: 'take', params: ({ event }) => ({ standing: event.output }) },
        },
        onError: 'pausing',
      },
      // The answer on its way may be older than the word: the next question comes soon.
      on: {
        'market.hint': { actions: 'forgetQuestions' },
        'fill.final': { actions: 'forgetQuestions' },
      },
      after: { answer: 'pausing' },
    },
    pausing: { on: { 'market.hint': 'asking' }, after: { backoff: 'asking' } },
    deciding: {
      always: [
        {
          guard: {
            type: 'isStanding',
            params: ({ context: { standing } }) => ({ standing, wanted: 'paid' }),
          },
          target: 'paid',
        },
        {
          guard: {
            type: 'isStanding',
            params: ({ context: { standing } }) => ({ standing, wanted: 'paying' }),
          },
          target: 'resolved',
        },
        { target: 'pausing' },
      ],
    },
    resolved: {
      entry: 'countQuestion',
      on: { 'fill.final': 'paying' },
      after: { backoff: 'paying' },
    },
    paying: {
      invoke: {
        src: 'pay',
        input: ({ context }) => ({ marketId: context.marketId }),
        onDone: {
          target: 'deciding',
          actions: { type: 'take', params: ({ event }) => ({ standing: event.output }) },
        },
        onError: 'resolved',
      },
      on: { 'fill.final': { actions: 'forgetQuestions' } },
      after: { answer: 'resolved' },
    },
    paid: { type: 'final' },
  },
});

/** What the position machine does to the world. */
export interface PositionEffects {
  readonly ask: (marketId: MarketId) => Promise<PositionStanding>;
  readonly pay: (marketId: MarketId) => Promise<PositionStanding>;
}

/** The machine with its effects in place. */
export function withPositionEffects(effects: PositionEffects): typeof positionMachine {
  const actor = (effect: (marketId: MarketId) => Promise<PositionStanding>) =>
    fromPromise<PositionStanding, { readonly marketId: MarketId }>(({ input }) =>
      effect(input.marketId),
    );
  return positionMachine.provide({ actors: { ask: actor(effects.ask), pay: actor(effects.pay) } });
}
