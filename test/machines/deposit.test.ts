import { createActor } from 'xstate';
import { describe, expect, it } from 'vitest';
import { DEPOSIT_WATCH } from '../../config/limits/bridge.ts';
import { toActorClock } from '../../machines/actor-clock.ts';
import { withDepositEffects, type DepositReading } from '../../machines/deposit.ts';
import { createVirtualClock } from '../../src/adapters/clock/virtual-clock.ts';
import { aUserId } from '../support/builders.ts';

const { quickMs, pollsEachQuiet, slowMs, turnTimeoutMs, pollTimeoutMs } = DEPOSIT_WATCH;
const quietFor = (quietMs: number): DepositReading => ({ quietMs, isAwaited: true });
const NEWS = quietFor(0);
const DONE: DepositReading = { quietMs: 0, isAwaited: false };
/** A reading that takes its time. */
const LATE_MS = 1_000;
const PLACE = { userId: aUserId(1), address: '0xd' };
type Answer = DepositReading | 'late' | 'throws' | 'hangs';

/** An actor whose looks come to the answers in turn, the last one ever after. */
function start(
  answers: readonly Answer[],
  { isSeen = false, turns = 'ok' as 'ok' | 'hang' | 'fail' } = {},
) {
  const clock = createVirtualClock(0);
  const looks: number[] = [];
  const stood: string[] = [];
  const turn = { kind: turns, aborted: 0 };
  const actor = createActor(
    withDepositEffects({
      turn: (place, signal) => {
        expect(place).toEqual(PLACE);
        signal.addEventListener('abort', () => void (turn.aborted += 1));
        return turn.kind === 'ok'
          ? Promise.resolve()
          : turn.kind === 'fail'
            ? Promise.reject(new Error('no turn'))
            : new Promise(() => undefined);
      },
      poll: (place) => {
        expect(place).toEqual(PLACE);
        const answer = answers[Math.min(looks.length, answers.length - 1)] ?? NEWS;
        looks.push(clock.nowMs());
        if (answer === 'late')
          return new Promise((resolve) => void clock.after(LATE_MS, () => resolve(DONE)));
        return answer === 'hangs'
          ? new Promise(() => undefined)
          : answer === 'throws'
            ? Promise.reject(new Error('no'))
            : Promise.resolve(answer);
      },
    }),
    { input: { ...PLACE, isSeen }, clock: toActorClock(clock) },
  );
  actor.subscribe(({ value }) => void (stood.at(-1) === value || stood.push(String(value))));
  actor.start();
  return { clock, actor, looks, stood, turn, state: () => String(actor.getSnapshot().value) };
}

describe('the deposit machine', () => {
  it('polls at once, quickly while there is news, and ever more slowly the longer there is no news', async () => {
    const { clock, looks } = start([
      NEWS,
      quietFor(quickMs),
      quietFor(100_000),
      quietFor(86_400_000),
      NEWS,
    ]);
    await clock.advance(1_000_000);
    const waits = looks.slice(1).map((at, index) => at - (looks[index] ?? 0));
    expect([looks[0], ...waits.slice(0, 6)]).toEqual([
      0,
      quickMs,
      quickMs,
      100_000 / pollsEachQuiet,
      slowMs,
      quickMs,
      quickMs,
    ]);
  });

  it('falls asleep once no user waits for the address, and leaves no timer', async () => {
    const { clock, state, stood } = start([NEWS, DONE]);
    await clock.advance(quickMs);
    expect([state(), clock.pending]).toEqual(['asleep', 0]);
    expect(stood).toEqual(['queued', 'polling', 'waiting', 'queued', 'polling', 'asleep']);
  });

  it('looks at once when it is asked, however slow it has become', async () => {
    const { clock, actor, looks } = start([quietFor(86_400_000)]);
    await clock.advance(quickMs);
    actor.send({ type: 'deposit.asked' });
    await clock.settle();
    expect(looks).toEqual([0, quickMs]);
  });

  it('waits its quick pace when a user polled for themselves', async () => {
    const { clock, actor, looks } = start([quietFor(86_400_000)], { isSeen: true });
    await clock.settle();
    expect(looks).toEqual([]);
    await clock.advance(2 * quickMs);
    actor.send({ type: 'deposit.seen' });
    await clock.settle();
    expect(looks).toEqual([quickMs]);
    await clock.advance(quickMs);
    expect(looks).toEqual([quickMs, 3 * quickMs]);
  });

  it('polls again when it was asked during a poll: what that one saw may be older', async () => {
    const { clock, actor, looks, state } = start(['late', DONE]);
    await clock.settle();
    actor.send({ type: 'deposit.asked' });
    await clock.advance(LATE_MS);
    expect([looks, state()]).toEqual([[0, LATE_MS], 'asleep']);
  });

  it.each([
    ['throws', 0],
    ['hangs', pollTimeoutMs],
  ] as const)('goes on, ever more slowly, when a poll %s', async (answer, takesMs) => {
    const { clock, looks, state } = start([...Array.from({ length: 9 }, () => answer), DONE]);
    await clock.advance(7_200_000);
    const waits = looks.slice(1).map((at, index) => at - (looks[index] ?? 0) - takesMs);
    expect(waits).toEqual([
      ...[2, 4, 8, 16, 32, 64].map((factor) => factor * quickMs),
      slowMs,
      slowMs,
      slowMs,
    ]);
    expect(state()).toBe('asleep');
  });

  it.each(['hang', 'fail'] as const)('waits and queues again when its turns %s', async (turns) => {
    const { clock, looks, state, turn } = start([DONE], { turns });
    await clock.advance(2 * turnTimeoutMs);
    expect([looks, ['queued', 'waiting'].includes(state())]).toEqual([[], true]);
    turn.kind = 'ok';
    await clock.advance(2 * turnTimeoutMs);
    expect([looks.length, state()]).toEqual([1, 'asleep']);
  });

  it('gives its turn back when it is stopped, and leaves no timer', async () => {
    const { clock, actor, turn } = start([NEWS], { turns: 'hang' });
    await clock.settle();
    actor.stop();
    expect([turn.aborted, clock.pending]).toEqual([1, 0]);
  });

  it('is made of effects by provide alone', async () => {
    const { depositMachine } = await import('../../machines/deposit.ts');
    const clock = createVirtualClock(0);
    const actor = createActor(depositMachine, {
      input: { ...PLACE, isSeen: false },
      clock: toActorClock(clock),
    });
    actor.start();
    await clock.settle();
    expect(actor.getSnapshot().value).toBe('waiting');
    actor.stop();
  });
});
