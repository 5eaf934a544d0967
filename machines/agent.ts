import { assign, createActor, fromPromise, setup, type ActorRefFrom } from 'xstate';
import { AGENT } from '../config/limits.ts';
import type { OutcomeIndex } from '../src/domain/market.ts';
import type { ActorClock } from './actor-clock.ts';
import type {
  AgentEffects,
  AgentEvent,
  AgentInput,
  AgentRef,
  DecideResult,
  EnterResult,
  EntryPlan,
  LeaveResult,
  WithdrawResult,
} from './agent-types.ts';

type DecideInput = Parameters<AgentEffects['decide']>[0];
/** Null parts cannot be: the state is entered only with them set. */
type EnterInput = AgentRef & { readonly plan: EntryPlan | null };
type LeaveInput = AgentRef & { readonly held: OutcomeIndex | null };

interface AgentContext extends AgentInput {
  readonly plan: EntryPlan | null;
  readonly entries: number;
  readonly exits: number;
  /** Passes since the signal last spoke. */
  readonly passes: number;
  readonly lastPass: string | null;
}

const unprovided = () =>
  Promise.reject(new Error('the agent machine needs its effects by provide'));

/**
 * One agent of one user in one round, from the first signal to the round's end. Between rounds an
 * enabled agent is an entry in a roster and costs no actor (design.md section 5). Whether and how
 * much is decided by pure functions; this machine decides when. It enters at most one order that
 * was made (L7), and a stop ends it from every state (L6).
 */
export const agentMachine = setup({
  types: { input: {} as AgentInput, context: {} as AgentContext, events: {} as AgentEvent },
  actors: {
    decide: fromPromise<DecideResult, DecideInput>(unprovided),
    enter: fromPromise<EnterResult, EnterInput>(unprovided),
    leave: fromPromise<LeaveResult, LeaveInput>(unprovided),
    withdraw: fromPromise<WithdrawResult, LeaveInput>(unprovided),
  },
  guards: {
    isHolding: (_, params: { readonly held: OutcomeIndex | null }) => params.held !== null,
    isEnter: (_, params: { readonly result: DecideResult }) => params.result.kind === 'enter',
    mayPassAgain: (_, params: { readonly result: DecideResult; readonly passes: number }) =>
      params.result.kind === 'pass' &&
      params.result.again &&
      params.passes < AGENT.entriesPerRoundMaximum,
    isBidding: (_, params: { readonly bidLeftMs: number | null }) => params.bidLeftMs !== null,
    isBid: (_, params: { readonly plan: EntryPlan | null }) => params.plan?.type.kind === 'limit',
    isResting: (_, params: { readonly result: EnterResult }) => params.result.kind === 'resting',
    isHeld: (_, params: { readonly isHeld: boolean }) => params.isHeld,
    hasEnded: (_, params: { readonly result: WithdrawResult }) => params.result.kind === 'ended',
    hasEndedHeld: (_, params: { readonly result: WithdrawResult }) =>
      params.result.kind === 'ended' && params.result.isHeld,
    isTraded: (_, params: { readonly result: EnterResult }) => params.result.kind === 'traded',
    mayRetry: (_, params: { readonly result: EnterResult; readonly entries: number }) =>
      params.result.kind === 'refused' &&
      params.result.retryable &&
      params.entries < AGENT.entriesPerRoundMaximum,
    isLeft: (_, params: { readonly result: LeaveResult }) => params.result.kind === 'left',
    isWaiting: (_, params: { readonly result: LeaveResult }) => params.result.kind === 'waiting',
  },
  actions: {
    takeResult: assign((_, params: { readonly result: DecideResult }) =>
      params.result.kind === 'enter'
        ? { plan: params.result.plan }
        : { lastPass: params.result.reason },
    ),
    countPass: assign({ passes: ({ context }) => context.passes + 1 }),
    forgetPasses: assign({ passes: 0 }),
    countEntry: assign({ entries: ({ context }) => context.entries + 1 }),
    countExit: assign({ exits: ({ context }) => context.exits + 1 }),
    holdPlanned: assign(({ context }) => ({
      held: context.plan?.outcome ?? context.held,
      plan: null,
    })),
    forgetPlan: assign({ plan: null }),
    keepTime: assign((_, params: { readonly result: EnterResult | WithdrawResult }) =>
      'bidLeftMs' in params.result ? { bidLeftMs: params.result.bidLeftMs } : {},
    ),
    reviewSoon: assign({ bidLeftMs: AGENT.reviewIntervalMs }),
  },
  delays: {
    life: ({ context }) => Math.max(0, context.lifeMs),
    decision: AGENT.decisionTimeoutMs,
    order: AGENT.orderTimeoutMs,
    bid: ({ context }) => Math.max(0, context.bidLeftMs ?? context.lifeMs),
    retry: AGENT.retryAfter5MinMs,
  },
}).createMachine({
  id: 'agent',
  context: ({ input }) => ({
    userId: input.userId,
    agentId: input.agentId,
    marketId: input.marketId,
    lifeMs: input.lifeMs,
    held: input.held,
    bidLeftMs: input.bidLeftMs,
    plan: null,
    entries: 0,
    exits: input.exits ?? 0,
    passes: 0,
    lastPass: null,
  }),
  initial: 'arriving',
  on: { 'agent.stop': '.over' },
  after: { life: '.over' },
  states: {
    arriving: {
      always: [
        {
          guard: { type: 'isBidding', params: ({ context }) => ({ bidLeftMs: context.bidLeftMs }) },
          target: 'resting',
        },
        {
          guard: { type: 'isHolding', params: ({ context }) => ({ held: context.held }) },
          target: 'holding',
        },
        { target: 'watching' },
      ],
    },
    watching: { on: { 'signal.ready': { target: 'deciding', actions: 'forgetPasses' } } },
    deciding: {
      invoke: {
        src: 'decide',
        input: ({ context: { userId, agentId, marketId, lastPass } }) => ({
          userId,
          agentId,
          marketId,
          lastPass,
        }),
        onDone: [
          {
            guard: { type: 'isEnter', params: ({ event }) => ({ result: event.output }) },
            target: 'trading',
            actions: { type: 'takeResult', params: ({ event }) => ({ result: event.output }) },
          },
          {
            guard: {
              type: 'mayPassAgain',
              params: ({ context, event }) => ({ result: event.output, passes: context.passes }),
            },
            target: 'pausing',
            actions: [
              { type: 'takeResult', params: ({ event }) => ({ result: event.output }) },
              'countPass',
            ],
          },
          {
            target: 'watching',
            actions: { type: 'takeResult', params: ({ event }) => ({ result: event.output }) },
          },
        ],
        onError: 'watching',
      },
      // It may have looked before the signal spoke: what it passes over now is looked at again.
      on: { 'signal.ready': { actions: 'forgetPasses' } },
      after: { decision: 'watching' },
    },
    trading: {
      entry: 'countEntry',
      invoke: {
        src: 'enter',
        input: ({ context: { userId, agentId, marketId, plan } }) => ({
          userId,
          agentId,
          marketId,
          plan,
        }),
        onDone: [
          {
            guard: { type: 'isResting', params: ({ event }) => ({ result: event.output }) },
            target: 'resting',
            actions: [
              { type: 'keepTime', params: ({ event }) => ({ result: event.output }) },
              'holdPlanned',
            ],
          },
          {
            guard: { type: 'isTraded', params: ({ event }) => ({ result: event.output }) },
            target: 'holding',
            actions: 'holdPlanned',
          },
          {
            guard: {
              type: 'mayRetry',
              params: ({ context, event }) => ({ result: event.output, entries: context.entries }),
            },
            target: 'pausing',
            actions: 'forgetPlan',
          },
          { target: 'over' },
        ],
        // An unforeseen failure leaves open whether an order was made: the position tells, a second
        // entry must not.
        onError: [
          {
            guard: { type: 'isBid', params: ({ context }) => ({ plan: context.plan }) },
            target: 'resting',
            actions: ['holdPlanned', 'reviewSoon'],
          },
          { target: 'holding', actions: 'holdPlanned' },
        ],
      },
      after: {
        order: [
          {
            guard: { type: 'isBid', params: ({ context }) => ({ plan: context.plan }) },
            target: 'resting',
            actions: ['holdPlanned', 'reviewSoon'],
          },
          { target: 'holding', actions: 'holdPlanned' },
        ],
      },
    },
    /**
     * A bid rests at the venue. Part of it may be filled: that is handled once the rest has ended.
     */
    resting: {
      on: {
        'exit.advised': 'withdrawing',
        'entry.ended': [
          {
            guard: { type: 'isHeld', params: ({ event }) => ({ isHeld: event.isHeld }) },
            target: 'holding',
          },
          { target: 'over' },
        ],
      },
      after: { bid: 'withdrawing' },
    },
    withdrawing: {
      invoke: {
        src: 'withdraw',
        input: ({ context: { userId, agentId, marketId, held } }) => ({
          userId,
          agentId,
          marketId,
          held,
        }),
        onDone: [
          {
            guard: { type: 'hasEndedHeld', params: ({ event }) => ({ result: event.output }) },
            target: 'holding',
          },
          {
            guard: { type: 'hasEnded', params: ({ event }) => ({ result: event.output }) },
            target: 'over',
          },
          {
            target: 'resting',
            actions: { type: 'keepTime', params: ({ event }) => ({ result: event.output }) },
          },
        ],
        onError: { target: 'resting', actions: 'reviewSoon' },
      },
      on: {
        'entry.ended': [
          {
            guard: { type: 'isHeld', params: ({ event }) => ({ isHeld: event.isHeld }) },
            target: 'holding',
          },
          { target: 'over' },
        ],
      },
      after: { order: { target: 'resting', actions: 'reviewSoon' } },
    },
    pausing: { after: { retry: 'deciding' } },
    holding: {
      on: {
        'exit.advised': 'leaving',
      },
    },
    leaving: {
      invoke: {
        src: 'leave',
        input: ({ context: { userId, agentId, marketId, held } }) => ({
          userId,
          agentId,
          marketId,
          held,
        }),
        onDone: [
          {
            guard: { type: 'isLeft', params: ({ event }) => ({ result: event.output }) },
            target: 'over',
          },
          {
            guard: { type: 'isWaiting', params: ({ event }) => ({ result: event.output }) },
            target: 'holding',
          },
          { target: 'holding', actions: 'countExit' },
        ],
        onError: { target: 'holding', actions: 'countExit' },
      },
      after: { order: { target: 'holding', actions: 'countExit' } },
    },
    over: { type: 'final' },
  },
});

/** The machine, however configured. */
export type AgentMachine = typeof agentMachine;
/** A running agent. */
export type AgentActor = ActorRefFrom<AgentMachine>;

/** The machine with its effects in place: made once for all agents of its kind. */
export function withAgentEffects(machine: AgentMachine, effects: AgentEffects): AgentMachine {
  return machine.provide({
    actors: {
      decide: fromPromise<DecideResult, DecideInput>(({ input }) => effects.decide(input)),
      enter: fromPromise<EnterResult, EnterInput>(({ input: { plan, ...ref } }) =>
        plan === null
          ? Promise.reject(new Error('an agent trades without a plan'))
          : effects.enter({ ...ref, plan }),
      ),
      leave: fromPromise<LeaveResult, LeaveInput>(({ input: { held, ...ref } }) =>
        held === null
          ? Promise.reject(new Error('an agent leaves without a position'))
          : effects.leave({ ...ref, held }),
      ),
      withdraw: fromPromise<WithdrawResult, LeaveInput>(({ input: { held, ...ref } }) =>
        held === null
          ? Promise.reject(new Error('an agent withdraws without a bid'))
          : effects.withdraw({ ...ref, held }),
      ),
    },
  });
}

/** Makes an actor on our clock; it runs once `start` is called. */
export function createAgentActor(
  machine: AgentMachine,
  input: AgentInput,
  clock: ActorClock,
): AgentActor {
  return createActor(machine, { input, clock });
}
