import { assign, createActor, fromPromise, setup, type ActorRefFrom } from 'xstate';
import { FARMING } from '../config/limits/farming.ts';
import type { AgentId, MarketId, UserId } from '../src/domain/ids.ts';
import type { OutcomeIndex } from '../src/domain/market.ts';
import type { PriceTicks, UsdcMicros } from '../src/domain/units.ts';
import type { ActorClock } from './actor-clock.ts';
import type { Advice } from './agent-types.ts';

/**
 * Something a farming agent is to see to: buy into a candidate, or leave a position whose stop was
 * reached.
 */
export interface FarmTask {
  readonly kind: 'enter' | 'leave';
  readonly marketId: MarketId;
  readonly outcome: OutcomeIndex;
}

/** Whose agent. */
export interface FarmAgentRef {
  readonly userId: UserId;
  readonly agentId: AgentId;
}

/** An entry decided: for how much, and the highest price it may pay. */
export interface FarmPlan extends Advice {
  readonly amountUsdc: UsdcMicros;
  /** Most the order may set aside: the amount and the largest fee it can meet. */
  readonly mostUsdc: UsdcMicros;
  readonly worstPrice: PriceTicks;
}

/** Outcome of deciding on a candidate; `again` when it may differ a moment later. */
export type FarmDecideResult =
  | { readonly kind: 'enter'; readonly plan: FarmPlan }
  | { readonly kind: 'pass'; readonly again: boolean };
/** Outcome of an entry: an order was made, whatever becomes of it, or none was. */
export type FarmEnterResult =
  | { readonly kind: 'traded' }
  | { readonly kind: 'refused'; readonly retryable: boolean };

/** What the machine does to the world. */
export interface FarmEffects {
  decide(input: FarmAgentRef & { readonly task: FarmTask }): Promise<FarmDecideResult>;
  enter(
    input: FarmAgentRef & { readonly task: FarmTask; readonly plan: FarmPlan },
  ): Promise<FarmEnterResult>;
  leave(input: FarmAgentRef & { readonly task: FarmTask }): Promise<void>;
}

/** Events of a farming agent. */
export type FarmEvent =
  | { readonly type: 'task.offered'; readonly task: FarmTask }
  | { readonly type: 'agent.stop' };

/** Null parts cannot be: their states are entered only with them set. */
type DecideInput = FarmAgentRef & { readonly task: FarmTask | null };
type EnterInput = DecideInput & { readonly plan: FarmPlan | null };

interface FarmContext extends FarmAgentRef {
  /** What waits, positions to leave first. */
  readonly waiting: readonly FarmTask[];
  readonly task: FarmTask | null;
  readonly plan: FarmPlan | null;
  /** Entries of the task tried so far. */
  readonly entries: number;
}

const unprovided = () =>
  Promise.reject(new Error('the farming machine needs its effects by provide'));

/**
 * One farming agent of one user while it has something to see to: one task after the other, never
 * two at once (L7), and positions that must be left before anything is bought. An agent without a
 * task costs no actor, however long it holds what it holds. Whether and how much is decided by pure
 * functions; this machine decides when. A stop ends it from every state (L6).
 */
export const farmingMachine = setup({
  types: {
    input: {} as FarmAgentRef & { readonly task: FarmTask },
    context: {} as FarmContext,
    events: {} as FarmEvent,
  },
  actors: {
    decide: fromPromise<FarmDecideResult, DecideInput>(unprovided),
    enter: fromPromise<FarmEnterResult, EnterInput>(unprovided),
    leave: fromPromise<void, DecideInput>(unprovided),
  },
  guards: {
    isTask: (_, params: { readonly task: FarmTask | null; readonly kind: FarmTask['kind'] }) =>
      params.task?.kind === params.kind,
    isEnter: (_, params: { readonly result: FarmDecideResult }) => params.result.kind === 'enter',
    mayDecideAgain: (_, params: { readonly result: FarmDecideResult; readonly entries: number }) =>
      params.result.kind === 'pass' &&
      params.result.again &&
      params.entries < FARMING.entriesMaximum,
    mayEnterAgain: (_, params: { readonly result: FarmEnterResult; readonly entries: number }) =>
      params.result.kind === 'refused' &&
      params.result.retryable &&
      params.entries < FARMING.entriesMaximum,
  },
  actions: {
    admit: assign(({ context }, params: { readonly task: FarmTask }) => ({
      waiting: withTask(context, params.task),
    })),
    takeNext: assign(({ context }) => ({
      task: context.waiting[0] ?? null,
      waiting: context.waiting.slice(1),
      plan: null,
      entries: 0,
    })),
    takePlan: assign((_, params: { readonly result: FarmDecideResult }) => ({
      plan: params.result.kind === 'enter' ? params.result.plan : null,
    })),
    countEntry: assign({ entries: ({ context }) => context.entries + 1 }),
  },
  delays: {
    decision: FARMING.decisionTimeoutMs,
    order: FARMING.orderTimeoutMs,
    retry: FARMING.retryAfterMs,
  },
}).createMachine({
  id: 'farming',
  context: ({ input: { userId, agentId, task } }) => ({
    userId,
    agentId,
    waiting: [task],
    task: null,
    plan: null,
    entries: 0,
  }),
  initial: 'choosing',
  on: {
    'agent.stop': '.over',
    'task.offered': { actions: { type: 'admit', params: ({ event }) => ({ task: event.task }) } },
  },
  states: {
    choosing: {
      entry: 'takeNext',
      always: [
        {
          guard: {
            type: 'isTask',
            params: ({ context }) => ({ task: context.task, kind: 'leave' }),
          },
          target: 'leaving',
        },
        {
          guard: {
            type: 'isTask',
            params: ({ context }) => ({ task: context.task, kind: 'enter' }),
          },
          target: 'deciding',
        },
        { target: 'over' },
      ],
    },
    deciding: {
      entry: 'countEntry',
      invoke: {
        src: 'decide',
        input: ({ context: { userId, agentId, task } }) => ({ userId, agentId, task }),
        onDone: [
          {
            guard: { type: 'isEnter', params: ({ event }) => ({ result: event.output }) },
            target: 'trading',
            actions: { type: 'takePlan', params: ({ event }) => ({ result: event.output }) },
          },
          {
            guard: {
              type: 'mayDecideAgain',
              params: ({ context, event }) => ({ result: event.output, entries: context.entries }),
            },
            target: 'pausing',
          },
          { target: 'choosing' },
        ],
        onError: 'choosing',
      },
      after: { decision: 'choosing' },
    },
    trading: {
      invoke: {
        src: 'enter',
        input: ({ context: { userId, agentId, task, plan } }) => ({ userId, agentId, task, plan }),
        onDone: [
          {
            guard: {
              type: 'mayEnterAgain',
              params: ({ context, event }) => ({ result: event.output, entries: context.entries }),
            },
            target: 'pausing',
          },
          { target: 'choosing' },
        ],
        // An unforeseen failure leaves open whether an order was made: the market is claimed with
        // the order, so none can follow.
        onError: 'choosing',
      },
      after: { order: 'choosing' },
    },
    pausing: { after: { retry: 'deciding' } },
    leaving: {
      invoke: {
        src: 'leave',
        input: ({ context: { userId, agentId, task } }) => ({ userId, agentId, task }),
        onDone: 'choosing',
        onError: 'choosing',
      },
      after: { order: 'choosing' },
    },
    over: { type: 'final' },
  },
});

/** The machine, however configured. */
export type FarmingMachine = typeof farmingMachine;
/** A running farming agent. */
export type FarmingActor = ActorRefFrom<FarmingMachine>;

/** The machine with its effects in place: made once for all agents of a venue. */
export function withFarmEffects(machine: FarmingMachine, effects: FarmEffects): FarmingMachine {
  const given = <T>(task: FarmTask | null, run: (task: FarmTask) => Promise<T>): Promise<T> =>
    task === null ? Promise.reject(new Error('a farming agent acts without a task')) : run(task);
  return machine.provide({
    actors: {
      decide: fromPromise<FarmDecideResult, DecideInput>(({ input: { task, ...ref } }) =>
        given(task, (known) => effects.decide({ ...ref, task: known })),
      ),
      enter: fromPromise<FarmEnterResult, EnterInput>(({ input: { task, plan, ...ref } }) =>
        plan === null
          ? Promise.reject(new Error('a farming agent trades without a plan'))
          : given(task, (known) => effects.enter({ ...ref, task: known, plan })),
      ),
      leave: fromPromise<void, DecideInput>(({ input: { task, ...ref } }) =>
        given(task, (known) => effects.leave({ ...ref, task: known })),
      ),
    },
  });
}

/** Makes an actor on our clock; it runs once `start` is called. */
export function createFarmingActor(
  machine: FarmingMachine,
  input: FarmAgentRef & { readonly task: FarmTask },
  clock: ActorClock,
): FarmingActor {
  return createActor(machine, { input, clock });
}

/**
 * A task that waits already or is under way is not taken twice; leaving comes before entering; what
 * does not fit comes again.
 */
function withTask({ waiting, task }: FarmContext, offered: FarmTask): readonly FarmTask[] {
  const isKnown = [task, ...waiting].some(
    (known) => known?.kind === offered.kind && known.marketId === offered.marketId,
  );
  if (isKnown || waiting.length >= FARMING.tasksMaximum) return waiting;
  if (offered.kind === 'enter') return [...waiting, offered];
  const leaving = waiting.filter(({ kind }) => kind === 'leave');
  return [...leaving, offered, ...waiting.slice(leaving.length)];
}
