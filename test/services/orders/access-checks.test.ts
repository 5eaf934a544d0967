import { describe, expect, it } from 'vitest';
import { VENUE_ACCESS } from '../../../config/limits/risk.ts';
import { createVirtualClock } from '../../../src/adapters/clock/virtual-clock.ts';
import { createMemoryStore } from '../../../src/adapters/memory/memory-store.ts';
import { asId } from '../../../src/domain/ids.ts';
import { afterAccessAnswer, OPEN_ACCESS } from '../../../src/domain/venue-access.ts';
import { createCommit } from '../../../src/services/commit.ts';
import { createAccessChecks } from '../../../src/services/orders/access-checks.ts';
import { VENUE_ACCESS_STATES } from '../../../src/services/books/tables.ts';
import { T0 } from '../../support/builders.ts';
import { createKeptBus, createKeptLog, createKeptMetrics } from '../../support/quiet.ts';
import { VENUE_A } from '../../support/venue-ids.ts';

/** A closed venue access, and a venue that answers each question when a test says so. */
async function whileAccessIsClosed() {
  const [store, bus, clock, log, metrics] = [
    createMemoryStore(),
    createKeptBus(),
    createVirtualClock(T0),
    createKeptLog(),
    createKeptMetrics(),
  ];
  const access = afterAccessAnswer(
    OPEN_ACCESS,
    { intentId: asId('int_1'), isTurnedAway: true, atMs: T0 },
    VENUE_ACCESS,
  );
  await store.write((tx) => tx.put(VENUE_ACCESS_STATES, ['venue_a'], access));
  const asked: {
    readonly signal: AbortSignal | undefined;
    readonly answer: (isBlocked: boolean) => void;
  }[] = [];
  const questions = createAccessChecks({
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
    metrics,
    access,
    kept: () => store.get(VENUE_ACCESS_STATES, ['venue_a'])?.value,
  };
}

describe('questions to a venue that turns us away', () => {
  it('are asked one at a time, however long an answer takes, and each has a signal of its own', async () => {
    const { clock, asked, questions, kept, metrics } = await whileAccessIsClosed();
    await clock.advance(10 * VENUE_ACCESS.askEveryMs);
    expect(asked).toHaveLength(1);
    asked[0]?.answer(true);
    await clock.advance(VENUE_ACCESS.askEveryMs);
    expect([asked.length, asked[0]?.signal === asked[1]?.signal]).toEqual([2, false]);
    asked[1]?.answer(false);
    await clock.advance(VENUE_ACCESS.askEveryMs);
    expect([asked.length, kept(), [...metrics.counts]]).toEqual([
      2,
      { kind: 'promised', doubtMs: 0 },
      [
        ['venue_region_questions_total venue_a blocked', 1],
        ['venue_region_questions_total venue_a open', 1],
      ],
    ]);
    questions.stop();
  });

  it('are given up with the service: the one under way is aborted, and an answer that comes all the same changes nothing', async () => {
    const { clock, asked, questions, access, kept } = await whileAccessIsClosed();
    await clock.advance(VENUE_ACCESS.askEveryMs);
    questions.stop();
    expect(asked.map(({ signal }) => signal?.aborted)).toEqual([true]);
    asked[0]?.answer(false);
    await clock.advance(10 * VENUE_ACCESS.askEveryMs);
    expect([asked.length, kept()]).toEqual([1, access]);
  });
});
