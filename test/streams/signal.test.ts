import { describe, expect, it } from 'vitest';
import { FEEDS } from '../../config/limits/market-data.ts';
import { createVirtualClock } from '../../src/adapters/clock/virtual-clock.ts';
import { createSeededRandom } from '../../src/adapters/random/seeded-random.ts';
import type { Decision } from '../../src/domain/agent.ts';
import type { AgentId } from '../../src/domain/ids.ts';
import type { JudgedView } from '../../src/domain/signal.ts';
import { byEachView, type RoundJudge } from '../../src/domain/strategy/round-judge.ts';
import { createSignals, type Judge } from '../../streams/signal.ts';
import { T0 } from '../support/builders.ts';
import { usd } from '../support/fakes/fake-feeds.ts';
import { startFakeMarketData } from './fake-market-data.ts';

const MINUTE = 60_000;

const decide = (verdict: Decision['verdict'], outcome: Decision['outcome']): Decision => ({
  verdict,
  outcome,
  criteria: [],
  reason: 'by the test',
});

/** Enters Up above a price, Down below it, skips without one. Counts how often it judges. */
function aJudge(groupKey: string, thresholdUsd: number, agentId: AgentId = 'btc_5min') {
  const state = { judged: 0 };
  const judge: Judge = {
    groupKey,
    agentId,
    strategy: 'up_down',
    judge: byEachView((view: JudgedView) => {
      state.judged += 1;
      if (view.oracle === null) return decide('skip', null);
      return decide('enter', view.oracle.value > usd(thresholdUsd) ? 0 : 1);
    }),
  };
  return { judge, state };
}

function setUp() {
  const clock = createVirtualClock(T0 + 4 * MINUTE);
  const data = startFakeMarketData(clock, createSeededRandom(1));
  const signals = createSignals(data.roundViews);
  const transitions: string[] = [];
  const start = () =>
    signals
      .transitions()
      .subscribe(({ groupKey, view, decision }) =>
        transitions.push(
          `${groupKey} ${(view.startsAtMs - T0) / MINUTE} ${decision.verdict} ${decision.outcome ?? '-'}`,
        ),
      );
  const run = async (seconds: number, price: number) => {
    for (let second = 0; second < seconds; second += 1) {
      for (const asset of ['BTC', 'ETH', 'SOL'] as const) {
        data.oracle.tick(asset, price, clock.nowMs());
        data.exchange.tick(asset, price, clock.nowMs());
      }
      await clock.advance(1_000);
    }
  };
  return { clock, data, signals, transitions, start, run };
}

describe('createSignals', () => {
  it('tells a group its first verdict on a round and then only changes', async () => {
    const { signals, transitions, start, run, clock } = setUp();
    signals.register(aJudge('a', 60_000).judge);
    start();
    await run(80, 60_010);
    await run(30, 59_990);
    await run(30, 59_980);
    await clock.advance(10_000);
    expect(transitions).toEqual([
      'a 0 skip -',
      'a 0 enter 0',
      'a 5 enter 0',
      'a 5 enter 1',
      'a 5 skip -',
    ]);
  });

  it('judges every group of a kind by its own thresholds, and none of another kind', async () => {
    const { signals, transitions, start, run } = setUp();
    signals.register(aJudge('low', 50_000).judge);
    signals.register(aJudge('high', 70_000).judge);
    signals.register(aJudge('quarter', 50_000, 'eth_15min').judge);
    start();
    await run(30, 60_000);
    expect(transitions.filter((line) => !line.includes('skip')).toSorted()).toEqual([
      'high 0 enter 1',
      'low 0 enter 0',
      'quarter 0 enter 0',
    ]);
    expect(
      signals.current('quarter').map(({ groupKey, decision }) => [groupKey, decision.outcome]),
    ).toEqual([['quarter', 0]]);
  });

  it('costs the same however many agents share a group', async () => {
    const judged = async (agents: number) => {
      const { signals, start, run } = setUp();
      const { judge, state } = aJudge('shared', 60_000);
      for (let count = 0; count < agents; count += 1) signals.register(judge);
      start();
      await run(90, 60_010);
      return state.judged;
    };
    expect(await judged(10_000)).toBe(await judged(1));
  });

  it('judges a new group on the open rounds at once, and shows an old group to a new member', async () => {
    const { signals, transitions, start, run } = setUp();
    signals.register(aJudge('a', 60_000).judge);
    start();
    await run(30, 60_010);
    transitions.length = 0;
    signals.register(aJudge('b', 60_000).judge);
    expect(transitions).toEqual(['b 0 enter 0']);
    signals.register(aJudge('b', 60_000).judge);
    expect(transitions).toEqual(['b 0 enter 0']);
    expect(signals.current('b').map(({ decision }) => decision.verdict)).toEqual(['enter']);
    expect(signals.current('unknown')).toEqual([]);
  });

  it('forgets a group with its last member, and stops the sources of a kind without groups', async () => {
    const { clock, data, signals, start, run } = setUp();
    const { judge, state } = aJudge('a', 60_000);
    const leave = [signals.register(judge), signals.register(judge)];
    start();
    await run(10, 60_010);
    expect(data.oracle.running).toBe(1);
    leave[0]?.();
    leave[0]?.();
    await run(2, 60_010);
    const judged = state.judged;
    expect(data.oracle.running).toBe(1);
    leave[1]?.();
    await clock.advance(3_000);
    expect([data.oracle.running, state.judged, clock.pending, signals.current('a')]).toEqual([
      0,
      judged,
      0,
      [],
    ]);
  });

  it('keeps what a judge has seen of a round while the round lasts, and begins each round with a fresh one', async () => {
    const counting = (seen: number): RoundJudge => ({
      judge: () => (seen < 20 ? decide('skip', null) : decide('enter', 0)),
      after: () => counting(seen + 1),
    });
    const { signals, transitions, start, run } = setUp();
    signals.register({
      groupKey: 'counting',
      agentId: 'btc_5min',
      strategy: 'counting',
      judge: counting(0),
    });
    start();
    await run(40, 60_010);
    const [first] = signals.current('counting');
    if (first === undefined) throw new Error('a round is open');
    expect(signals.judgeOf('counting', first.marketId)?.judge(first.view).verdict).toBe('enter');
    expect(signals.judgeOf('unknown', first.marketId)).toBeNull();
    await run(80, 60_010);
    expect(transitions).toEqual([
      'counting 0 skip -',
      'counting 0 enter 0',
      'counting 5 skip -',
      'counting 5 enter 0',
    ]);
    expect(signals.judgeOf('counting', first.marketId)).toBeNull();
  });

  it('tells a change of verdict though the outcome stays', async () => {
    const { signals, transitions, start, run } = setUp();
    signals.register({
      groupKey: 'a',
      agentId: 'btc_5min',
      strategy: 'up_down',
      judge: byEachView(({ atMs, startsAtMs }) =>
        decide(atMs - startsAtMs < 4 * MINUTE + 10_000 ? 'enter' : 'exit', 0),
      ),
    });
    start();
    await run(20, 60_000);
    expect(transitions).toEqual(['a 0 enter 0', 'a 0 exit 0']);
  });

  it('shows the open rounds of a kind while one of its groups is read, and what was said of them', async () => {
    const { clock, signals, start, run } = setUp();
    signals.register(aJudge('a', 60_000).judge);
    const reader = start();
    await run(30, 60_000);
    const open = () => signals.openViews('btc_5min').map(({ startsAtMs }) => startsAtMs - T0);
    expect([open(), signals.openViews('eth_15min'), signals.current('a').length]).toEqual([
      [0],
      [],
      1,
    ]);
    await clock.advanceTo(T0 + 5 * MINUTE);
    expect(open()).toEqual([5 * MINUTE]);
    expect(signals.current('a').map(({ view }) => view.startsAtMs - T0)).toEqual([5 * MINUTE]);
    reader.unsubscribe();
    expect([open(), signals.current('a')]).toEqual([[], []]);
  });

  it('shows no round that is over, though no view of a later one has come', async () => {
    const { clock, data, signals, start, run } = setUp();
    data.directory.hideUntil(T0 + 5 * MINUTE, Infinity);
    signals.register(aJudge('a', 60_000).judge);
    start();
    await run(30, 60_000);
    await clock.advanceTo(T0 + 5 * MINUTE);
    expect(signals.openViews('btc_5min')).toEqual([]);
  });

  it('judges a bounded number of groups, and takes another once one has left', () => {
    const { signals } = setUp();
    const leave = Array.from({ length: FEEDS.groupsMaximum }, (_, index) =>
      signals.register(aJudge(`group ${index}`, index).judge),
    );
    const another = () => signals.register(aJudge('another', 1).judge);
    expect(another).toThrow(`${FEEDS.groupsMaximum} groups`);
    expect(() => signals.register(aJudge('group 0', 0).judge)).not.toThrow();
    leave[1]?.();
    expect(another).not.toThrow();
  });

  it('starts the sources when the first group comes, while it is read', async () => {
    const { data, signals, transitions, start, run } = setUp();
    start();
    await run(5, 60_010);
    expect(data.oracle.opened).toBe(0);
    signals.register(aJudge('a', 60_000).judge);
    await run(5, 60_010);
    expect([data.oracle.running, transitions.at(-1)]).toEqual([1, 'a 0 enter 0']);
  });

  it('forgets verdicts on rounds that are over', async () => {
    const { signals, start, run } = setUp();
    signals.register(aJudge('a', 60_000).judge);
    start();
    await run(50, 60_010);
    await run(15 * 60, 60_010);
    expect(signals.current('a').map(({ view }) => (view.startsAtMs - T0) / MINUTE)).toEqual([15]);
  });

  it('L10: the same inputs give the same transitions to the byte', async () => {
    const story = async () => {
      const { data, clock, signals, start, run } = setUp();
      const heard: unknown[] = [];
      data.inference.predict(60_100, clock.nowMs());
      signals.register(aJudge('a', 60_000).judge);
      signals.transitions().subscribe((transition) => heard.push(transition));
      start();
      for (let minute = 0; minute < 12; minute += 1) await run(60, 59_990 + ((minute * 7) % 20));
      return JSON.stringify(heard);
    };
    expect(await story()).toBe(await story());
  });
});
