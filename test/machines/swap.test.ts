import { createActor } from 'xstate';
import { describe, expect, it } from 'vitest';
import { SWAP } from '../../config/limits/tokens.ts';
import { toActorClock } from '../../machines/actor-clock.ts';
import { swapMachine, withSwapPoll, type SwapPoll } from '../../machines/swap.ts';
import { createVirtualClock } from '../../src/adapters/clock/virtual-clock.ts';
import { asId, type SwapId } from '../../src/domain/ids.ts';
import { aUserId } from '../support/builders.ts';

const PLACE = { userId: aUserId(1), swapId: asId<SwapId>('swp_1') };
const { pauseFirstMs, pauseMaximumMs, stepTimeoutMs } = SWAP;
type Answer = 'quiet' | 'new' | 'over' | 'throws' | 'hangs';

/** An actor whose looks come to the answers in turn, the last one ever after. */
function start(answers: readonly Answer[]) {
  const clock = createVirtualClock(0);
  const looks: number[] = [];
  const actor = createActor(
    withSwapPoll((place) => {
      expect(place).toEqual(PLACE);
      const answer = answers[Math.min(looks.length, answers.length - 1)] ?? 'quiet';
      looks.push(clock.nowMs());
      if (answer === 'hangs') return new Promise<SwapPoll>(() => undefined);
      return answer === 'throws'
        ? Promise.reject(new Error('no'))
        : Promise.resolve({ isOver: answer === 'over', isNew: answer === 'new' });
    }),
    { input: PLACE, clock: toActorClock(clock) },
  );
  actor.start();
  const waits = () => looks.slice(1).map((atMs, index) => atMs - (looks[index] ?? 0));
  return { clock, looks, waits, state: () => String(actor.getSnapshot().value) };
}

const times = <T>(count: number, value: T): readonly T[] =>
  Array.from({ length: count }, () => value);

describe('the swap machine', () => {
  it('polls until the swap is over, and leaves no timer', async () => {
    const { clock, looks, state } = start(['quiet', 'new', 'over']);
    await clock.advance(10 * pauseFirstMs);
    expect([looks, state(), clock.pending]).toEqual([
      [0, pauseFirstMs, 2 * pauseFirstMs],
      'over',
      0,
    ]);
  });

  it('polls ever more rarely once ten polls brought nothing new, and quickly again after news', async () => {
    const { clock, waits } = start([...times(16, 'quiet' as const), 'new', 'quiet']);
    await clock.advance(200_000);
    expect(waits().slice(0, 18)).toEqual([
      ...times(10, pauseFirstMs),
      ...[2, 4, 8, 16].map((factor) => factor * pauseFirstMs),
      pauseMaximumMs,
      pauseMaximumMs,
      pauseFirstMs,
      pauseFirstMs,
    ]);
  });

  it.each([
    ['throws', 0],
    ['hangs', stepTimeoutMs],
  ] as const)(
    'L2: concludes nothing from a poll that %s, and polls ever more rarely',
    async (answer, takesMs) => {
      const { clock, waits, state } = start([...times(12, answer), 'over']);
      await clock.advance(13 * (takesMs + 4 * pauseFirstMs));
      expect(waits()).toEqual(
        [...times(10, 1), 2, 4].map((factor) => takesMs + factor * pauseFirstMs),
      );
      expect(state()).toBe('over');
    },
  );

  it('needs its poll', async () => {
    const clock = createVirtualClock(0);
    const actor = createActor(swapMachine, { input: PLACE, clock: toActorClock(clock) });
    actor.start();
    await clock.settle();
    expect(actor.getSnapshot().value).toBe('pausing');
    actor.stop();
  });
});
