import { describe, expect, it } from 'vitest';
import { VENUE_DOOR } from '../../../config/limits/risk.ts';
import { createVirtualClock } from '../../../src/adapters/clock/virtual-clock.ts';
import { createMemoryStore } from '../../../src/adapters/memory/memory-store.ts';
import { asId } from '../../../src/domain/ids.ts';
import { afterDoorAnswer, OPEN_DOOR } from '../../../src/domain/venue-door.ts';
import { createCommit } from '../../../src/services/commit.ts';
import { createDoorQuestions } from '../../../src/services/orders/door-questions.ts';
import { VENUE_DOORS } from '../../../src/services/books/tables.ts';
import { T0 } from '../../support/builders.ts';
import { createKeptBus, createKeptLog, createKeptMetrics } from '../../support/quiet.ts';
import { VENUE_A } from '../../support/venue-ids.ts';

/** A shut door, and a venue that answers each question when a test says so. */
async function atAShutDoor() {
  const [store, bus, clock, log, metrics] = [
    createMemoryStore(),
    createKeptBus(),
    createVirtualClock(T0),
    createKeptLog(),
    createKeptMetrics(),
  ];
  const door = afterDoorAnswer(
    OPEN_DOOR,
    { intentId: asId('int_1'), isTurnedAway: true, atMs: T0 },
    VENUE_DOOR,
  );
  await store.write((tx) => tx.put(VENUE_DOORS, ['venue_a'], door));
  const asked: {
    readonly signal: AbortSignal | undefined;
    readonly answer: (isBlocked: boolean) => void;
  }[] = [];
  const questions = createDoorQuestions({
    store,
    bus,
    clock,
    log,
    metrics,
    commit: createCommit({ store, bus, metrics }),
    venues: {
      open: [
        {
          id: VENUE_A,
          access: {
            isBlocked: (signal) => new Promise((answer) => asked.push({ signal, answer })),
          },
        },
      ],
    },
  });
  questions.recover();
  return {
    store,
    clock,
    asked,
    questions,
    door,
    kept: () => store.get(VENUE_DOORS, ['venue_a'])?.value,
  };
}

describe('questions to a venue that turns us away', () => {
  it('are asked one at a time, however long an answer takes, and each has a signal of its own', async () => {
    const { clock, asked, questions, kept } = await atAShutDoor();
    await clock.advance(10 * VENUE_DOOR.askEveryMs);
    expect(asked).toHaveLength(1);
    asked[0]?.answer(true);
    await clock.advance(VENUE_DOOR.askEveryMs);
    expect([asked.length, asked[0]?.signal === asked[1]?.signal]).toEqual([2, false]);
    asked[1]?.answer(false);
    await clock.advance(VENUE_DOOR.askEveryMs);
    expect([asked.length, kept()]).toEqual([2, { kind: 'promised', doubtMs: 0 }]);
    questions.stop();
  });

  it('are given up with the service: the one under way is aborted, and an answer that comes all the same changes nothing', async () => {
    const { clock, asked, questions, door, kept } = await atAShutDoor();
    await clock.advance(VENUE_DOOR.askEveryMs);
    questions.stop();
    expect(asked.map(({ signal }) => signal?.aborted)).toEqual([true]);
    asked[0]?.answer(false);
    await clock.advance(10 * VENUE_DOOR.askEveryMs);
    expect([asked.length, kept()]).toEqual([1, door]);
  });
});
