import { describe, expect, it } from 'vitest';
import { AGENT } from '../../config/limits.ts';
import { toActorClock } from '../../machines/actor-clock.ts';
import type {
  AgentEffects,
  AgentInput,
  DecideResult,
  EnterResult,
  LeaveResult,
  WithdrawResult,
} from '../../machines/agent-types.ts';
import { agentMachine, createAgentActor, withAgentEffects } from '../../machines/agent.ts';
import { btc5MinMachine } from '../../machines/btc-5min.ts';
import { fifteenMinMachine } from '../../machines/fifteen-min.ts';
import { createVirtualClock } from '../../src/adapters/clock/virtual-clock.ts';
import { priceTicks, usdcMicros } from '../../src/domain/units.ts';
import { aMarketId, aUserId, T0 } from '../support/builders.ts';

const LIFE_MS = 300_000;
const ENTER: Extract<DecideResult, { kind: 'enter' }> = {
  kind: 'enter',
  plan: {
    strategy: 'up_down',
    inputs: [],
    atMs: T0,
    decision: { verdict: 'enter', outcome: 1, criteria: [], reason: 'test' },
    outcome: 1,
    type: { kind: 'market' },
    amountUsdc: usdcMicros(5_000_000),
    mostUsdc: usdcMicros(5_350_960),
  },
};
const BID: Extract<DecideResult, { kind: 'enter' }> = {
  ...ENTER,
  plan: {
    ...ENTER.plan,
    type: { kind: 'limit', price: priceTicks(6_000), expiresAtMs: T0 + 270_000 },
  },
};
const RESTING: EnterResult = { kind: 'resting', bidLeftMs: 200_000 };
const REFUSED: EnterResult = { kind: 'refused', retryable: true };
const never = new Promise<never>(() => {});

interface Script {
  readonly decide?: readonly (DecideResult | Error | Promise<DecideResult>)[];
  readonly enter?: readonly (EnterResult | Error | Promise<never>)[];
  readonly leave?: readonly (LeaveResult | Error | Promise<never>)[];
  readonly withdraw?: readonly (WithdrawResult | Error | Promise<never>)[];
}

/** Starts an agent whose effects answer by script; the last answer repeats. */
function startAgent(
  script: Script = {},
  input: Partial<AgentInput> = {},
  machine = btc5MinMachine,
) {
  const clock = createVirtualClock(T0);
  const calls: string[] = [];
  const reported: unknown[] = [];
  const answer =
    <T>(name: string, answers: readonly (T | Error | Promise<T>)[] | undefined, fallback: T) =>
    async (input: unknown): Promise<T> => {
      reported.push(input);
      const index = calls.filter((call) => call === name).length;
      calls.push(name);
      const next = answers?.[Math.min(index, answers.length - 1)] ?? fallback;
      if (next instanceof Error) throw next;
      return next;
    };
  const effects: AgentEffects = {
    decide: answer<DecideResult>('decide', script.decide, ENTER),
    enter: answer<EnterResult>('enter', script.enter, { kind: 'traded' }),
    leave: answer<LeaveResult>('leave', script.leave, { kind: 'left' }),
    withdraw: answer<WithdrawResult>('withdraw', script.withdraw, { kind: 'ended', isHeld: false }),
  };
  const agent = createAgentActor(
    withAgentEffects(machine, effects),
    {
      userId: aUserId(1),
      agentId: 'btc_5min',
      marketId: aMarketId(1),
      lifeMs: LIFE_MS,
      held: null,
      bidLeftMs: null,
      ...input,
    },
    toActorClock(clock),
  );
  agent.start();
  return { agent, clock, calls, reported, state: () => agent.getSnapshot().value };
}

describe('the agent machine', () => {
  it('waits for a signal, decides, trades and holds', async () => {
    const { agent, clock, calls, state } = startAgent();
    expect(state()).toBe('watching');
    agent.send({ type: 'signal.ready' });
    expect(state()).toBe('deciding');
    await clock.settle();
    expect([
      state(),
      agent.getSnapshot().context.held,
      agent.getSnapshot().context.plan,
      calls,
    ]).toEqual(['holding', 1, null, ['decide', 'enter']]);
  });

  it('says to each step whose agent acts in which market, and what it knows so far', async () => {
    const ref = { userId: aUserId(1), agentId: 'btc_5min', marketId: aMarketId(1) };
    const bought = startAgent({ decide: [{ kind: 'pass', reason: 'funds', again: false }, ENTER] });
    bought.agent.send({ type: 'signal.ready' });
    await bought.clock.settle();
    bought.agent.send({ type: 'signal.ready' });
    await bought.clock.settle();
    bought.agent.send({ type: 'exit.advised' });
    await bought.clock.settle();
    expect(bought.reported).toEqual([
      { ...ref, lastPass: null },
      { ...ref, lastPass: 'funds' },
      { ...ref, plan: ENTER.plan },
      { ...ref, held: 1 },
    ]);
    const bid = startAgent({ decide: [BID], enter: [RESTING] });
    bid.agent.send({ type: 'signal.ready' });
    await bid.clock.settle();
    bid.agent.send({ type: 'exit.advised' });
    await bid.clock.settle();
    expect(bid.reported).toEqual([
      { ...ref, lastPass: null },
      { ...ref, plan: BID.plan },
      { ...ref, held: 1 },
    ]);
  });

  it('L7: trades once however often the signal comes', async () => {
    const { agent, clock, calls } = startAgent();
    for (let signal = 0; signal < 5; signal += 1) {
      agent.send({ type: 'signal.ready' });
      await clock.advance(1_000);
    }
    expect(calls).toEqual(['decide', 'enter']);
  });

  it('decides again where the signal speaks while its last pass is being written down', async () => {
    const pass: DecideResult = { kind: 'pass', reason: 'signal', again: true };
    let written = (_result: DecideResult): void => undefined;
    const last = new Promise<DecideResult>((resolve) => (written = resolve));
    const { agent, clock, calls, state } = startAgent({
      decide: [...Array.from({ length: AGENT.entriesPerRoundMaximum }, () => pass), last, ENTER],
    });
    agent.send({ type: 'signal.ready' });
    await clock.advance(AGENT.entriesPerRoundMaximum * AGENT.retryAfter5MinMs);
    expect([state(), calls.length]).toEqual(['deciding', AGENT.entriesPerRoundMaximum + 1]);
    agent.send({ type: 'signal.ready' });
    written(pass);
    await clock.advance(AGENT.retryAfter5MinMs);
    expect([state(), calls.at(-1)]).toEqual(['holding', 'enter']);
  });

  it('goes back to watching after a pass, remembers its reason, and decides anew at the next signal', async () => {
    const { agent, clock, calls, state } = startAgent({
      decide: [{ kind: 'pass', reason: 'funds', again: false }, ENTER],
    });
    agent.send({ type: 'signal.ready' });
    await clock.settle();
    expect([state(), agent.getSnapshot().context.lastPass]).toEqual(['watching', 'funds']);
    agent.send({ type: 'signal.ready' });
    await clock.settle();
    expect([state(), calls]).toEqual(['holding', ['decide', 'decide', 'enter']]);
  });

  it('decides again by itself, a bounded number of times for one signal, when the pass may not last', async () => {
    const { agent, clock, calls, state } = startAgent({
      decide: [{ kind: 'pass', reason: 'signal', again: true }],
    });
    agent.send({ type: 'signal.ready' });
    await clock.settle();
    expect(state()).toBe('pausing');
    await clock.advance(60_000);
    expect([state(), calls.length]).toEqual(['watching', 1 + AGENT.entriesPerRoundMaximum]);
    agent.send({ type: 'signal.ready' });
    await clock.advance(60_000);
    expect(calls.length).toBe(2 * (1 + AGENT.entriesPerRoundMaximum));
  });

  it.each([
    ['fails', new Error('store')],
    ['hangs', never],
  ])('goes back to watching when deciding %s', async (_case, answer) => {
    const { agent, clock, state } = startAgent({ decide: [answer] });
    agent.send({ type: 'signal.ready' });
    await clock.advance(AGENT.decisionTimeoutMs);
    expect(state()).toBe('watching');
  });

  it('judges anew after a passing refusal, with the patience of its round', async () => {
    for (const [machine, retryMs] of [
      [btc5MinMachine, AGENT.retryAfter5MinMs],
      [fifteenMinMachine, AGENT.retryAfter15MinMs],
    ] as const) {
      const { agent, clock, calls, state } = startAgent(
        { enter: [REFUSED, { kind: 'traded' }] },
        {},
        machine,
      );
      agent.send({ type: 'signal.ready' });
      await clock.advance(retryMs - 1);
      expect([state(), calls]).toEqual(['pausing', ['decide', 'enter']]);
      await clock.advance(1);
      expect([state(), calls]).toEqual(['holding', ['decide', 'enter', 'decide', 'enter']]);
    }
  });

  it('gives a round up after the last try', async () => {
    const { agent, clock, calls, state } = startAgent({ enter: [REFUSED] });
    agent.send({ type: 'signal.ready' });
    await clock.advance(60_000);
    expect([state(), calls.filter((call) => call === 'enter').length]).toEqual([
      'over',
      AGENT.entriesPerRoundMaximum,
    ]);
  });

  it('is over after a refusal that will not pass', async () => {
    const { agent, clock, state } = startAgent({ enter: [{ kind: 'refused', retryable: false }] });
    agent.send({ type: 'signal.ready' });
    await clock.settle();
    expect(state()).toBe('over');
  });

  it.each([
    ['fails unforeseen', new Error('store'), 0],
    ['never answers', never, AGENT.orderTimeoutMs],
  ])(
    'L2: takes an entry that %s for one that may have been made: holds, and enters no second time',
    async (_case, answer, afterMs) => {
      const { agent, clock, calls, state } = startAgent({ enter: [answer] });
      agent.send({ type: 'signal.ready' });
      await clock.advance(afterMs);
      expect([state(), agent.getSnapshot().context.held]).toEqual(['holding', 1]);
      agent.send({ type: 'signal.ready' });
      await clock.settle();
      expect(calls).toEqual(['decide', 'enter']);
    },
  );

  it('leaves on advice and is over when nothing is left', async () => {
    const { agent, clock, calls, state } = startAgent({}, { held: 0 });
    expect(state()).toBe('holding');
    agent.send({ type: 'exit.advised' });
    expect(state()).toBe('leaving');
    await clock.settle();
    expect([state(), calls]).toEqual(['over', ['leave']]);
  });

  it('tries to leave on each advice, and counts the tries, waits not among them', async () => {
    const { agent, clock, calls, state } = startAgent(
      { leave: [{ kind: 'waiting' }, { kind: 'waiting' }, { kind: 'tried' }] },
      { held: 0 },
    );
    for (let advice = 0; advice < 20; advice += 1) {
      agent.send({ type: 'exit.advised' });
      await clock.settle();
    }
    expect([state(), calls.length, agent.getSnapshot().context.exits]).toEqual(['holding', 20, 18]);
  });

  it.each([
    ['fails', new Error('store'), 0],
    ['hangs', never, AGENT.orderTimeoutMs],
  ])('holds on when leaving %s', async (_case, answer, afterMs) => {
    const { agent, clock, state } = startAgent({ leave: [answer] }, { held: 0 });
    agent.send({ type: 'exit.advised' });
    await clock.advance(afterMs);
    expect([state(), agent.getSnapshot().context.exits]).toEqual(['holding', 1]);
  });

  it('lets a bid rest until the venue has ended it, then looks after what was filled', async () => {
    const { agent, clock, calls, state } = startAgent({ enter: [RESTING] });
    agent.send({ type: 'signal.ready' });
    await clock.settle();
    expect([state(), agent.getSnapshot().context.held]).toEqual(['resting', 1]);
    agent.send({ type: 'signal.ready' });
    await clock.advance(10_000);
    expect([state(), calls]).toEqual(['resting', ['decide', 'enter']]);
    agent.send({ type: 'entry.ended', isHeld: true });
    expect(state()).toBe('holding');
  });

  it('L7: is over when its bid ends unfilled: the bid was the one trade of the round', async () => {
    const { agent, clock, calls, state } = startAgent({ enter: [RESTING] });
    agent.send({ type: 'signal.ready' });
    await clock.settle();
    agent.send({ type: 'entry.ended', isHeld: false });
    expect([state(), agent.getSnapshot().status, calls]).toEqual([
      'over',
      'done',
      ['decide', 'enter'],
    ]);
  });

  it.each([
    ['ends unfilled', { kind: 'ended', isHeld: false }, 'over'],
    ['ends with something filled', { kind: 'ended', isHeld: true }, 'holding'],
    ['stays open', { kind: 'standing', bidLeftMs: 100_000 }, 'resting'],
  ] as const)('takes a bid back on advice; it %s', async (_case, answer, expected) => {
    const { agent, clock, calls, state } = startAgent(
      { withdraw: [answer] },
      { held: 0, bidLeftMs: 200_000 },
    );
    agent.send({ type: 'exit.advised' });
    expect(state()).toBe('withdrawing');
    await clock.settle();
    expect([state(), calls]).toEqual([expected, ['withdraw']]);
  });

  it.each([
    ['isHeld', true, 'holding'],
    ['not isHeld', false, 'over'],
  ] as const)(
    'hears of the end of its bid while it takes it back: %s',
    async (_case, isHeld, expected) => {
      const { agent, clock, state } = startAgent(
        { withdraw: [never] },
        { held: 0, bidLeftMs: 200_000 },
      );
      agent.send({ type: 'exit.advised' });
      agent.send({ type: 'entry.ended', isHeld });
      await clock.settle();
      expect(state()).toBe(expected);
    },
  );

  it('takes a bid back by itself when its time is over, and asks again at the pace that is set', async () => {
    const { clock, calls, state } = startAgent(
      { withdraw: [{ kind: 'standing', bidLeftMs: 5_000 }] },
      { held: 0, bidLeftMs: 20_000 },
    );
    await clock.advance(19_999);
    expect(calls).toEqual([]);
    await clock.advance(1);
    expect([state(), calls]).toEqual(['resting', ['withdraw']]);
    await clock.advance(10_000);
    expect(calls).toHaveLength(3);
  });

  it.each([
    ['fails', new Error('store'), 0],
    ['hangs', never, AGENT.orderTimeoutMs],
  ])('looks after a bid again soon when taking it back %s', async (_case, answer, afterMs) => {
    const { agent, clock, calls, state } = startAgent(
      { withdraw: [answer, { kind: 'ended', isHeld: false }] },
      { held: 0, bidLeftMs: 200_000 },
    );
    agent.send({ type: 'exit.advised' });
    await clock.advance(afterMs);
    expect(state()).toBe('resting');
    await clock.advance(AGENT.reviewIntervalMs);
    expect([state(), calls]).toEqual(['over', ['withdraw', 'withdraw']]);
  });

  it.each([
    ['fails unforeseen', new Error('store'), 0],
    ['never answers', never, AGENT.orderTimeoutMs],
  ])(
    'L2: looks after a bid whose entry %s as after one that may rest',
    async (_case, answer, afterMs) => {
      const { agent, clock, calls, state } = startAgent({ decide: [BID], enter: [answer] });
      agent.send({ type: 'signal.ready' });
      await clock.advance(afterMs);
      expect([state(), agent.getSnapshot().context.held]).toEqual(['resting', 1]);
      await clock.advance(AGENT.reviewIntervalMs);
      expect([state(), calls]).toEqual(['over', ['decide', 'enter', 'withdraw']]);
    },
  );

  const ways: readonly (readonly [
    string,
    Script,
    Partial<AgentInput>,
    'signal.ready' | 'exit.advised' | null,
  ])[] = [
    ['watching', {}, {}, null],
    ['deciding', { decide: [never] }, {}, 'signal.ready'],
    ['trading', { enter: [never] }, {}, 'signal.ready'],
    ['pausing', { enter: [REFUSED] }, {}, 'signal.ready'],
    ['holding', {}, { held: 0 }, null],
    ['leaving', { leave: [never] }, { held: 0 }, 'exit.advised'],
    ['resting', {}, { held: 0, bidLeftMs: 200_000 }, null],
    ['withdrawing', { withdraw: [never] }, { held: 0, bidLeftMs: 200_000 }, 'exit.advised'],
  ];

  it.each(ways)(
    'L6: ends from %s when it is stopped, and does nothing afterwards',
    async (name, script, input, event) => {
      const { agent, clock, calls, state } = startAgent(script, input);
      if (event !== null) agent.send({ type: event });
      await clock.settle();
      expect(state()).toBe(name);
      const before = [...calls];
      agent.send({ type: 'agent.stop' });
      await clock.advance(LIFE_MS);
      expect([agent.getSnapshot().status, state(), calls, clock.pending]).toEqual([
        'done',
        'over',
        before,
        0,
      ]);
    },
  );

  it.each(ways)('ends from %s when the round ends', async (_name, script, input, event) => {
    const { agent, clock, state } = startAgent(script, { ...input, lifeMs: 500 });
    if (event !== null) agent.send({ type: event });
    await clock.advance(500);
    expect([agent.getSnapshot().status, state(), clock.pending]).toEqual(['done', 'over', 0]);
  });

  it('reaches every one of its states in these tests', () => {
    const covered = [...ways.map(([name]) => name), 'arriving', 'over'];
    expect(Object.keys(agentMachine.states).sort()).toEqual([...covered].sort());
  });

  it('refuses to run without its effects', async () => {
    const clock = createVirtualClock(T0);
    const agent = createAgentActor(
      agentMachine,
      {
        userId: aUserId(1),
        agentId: 'btc_5min',
        marketId: aMarketId(1),
        lifeMs: LIFE_MS,
        held: null,
        bidLeftMs: null,
      },
      toActorClock(clock),
    );
    agent.start();
    agent.send({ type: 'signal.ready' });
    await clock.settle();
    expect(agent.getSnapshot().value).toBe('watching');
  });
});
