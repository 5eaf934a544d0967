import { describe, expect, it } from 'vitest';
import { VENUE_ACCESS } from '../../../config/limits/risk.ts';
import { createVirtualClock } from '../../../src/adapters/clock/virtual-clock.ts';
import { createMemoryStore } from '../../../src/adapters/memory/memory-store.ts';
import { asId } from '../../../src/domain/ids.ts';
import { afterAccessAnswer, OPEN_ACCESS } from '../../../src/domain/venue-access.ts';
import type { Commit } from '../../../src/ports/commit.ts';
import { createCommit } from '../../../src/services/commit.ts';
import { createAccessChecks } from '../../../src/services/orders/access-checks.ts';
import { VENUE_ACCESS_STATES } from '../../../src/services/books/tables.ts';
import { T0 } from '../../support/builders.ts';
import { createKeptBus, createKeptLog, createKeptMetrics } from '../../support/quiet.ts';
import { VENUE_A } from '../../support/venue-ids.ts';

/** A closed venue access, and a venue that answers each question when a test says so. */
async function whileAccessIsClosed({ canBeAsked = true } = {}) {
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
    readonly fail: (cause: Error) => void;
  }[] = [];
  const disk = { isFull: false };
  const commit = createCommit({ store, bus, metrics });
  const questions = createAccessChecks({
    store,
    bus,
    clock,
    log,
    metrics,
    commit: (async (...change: Parameters<Commit>) => {
      if (disk.isFull) throw new Error('the disk is full');
      return commit(...change);
    }) as Commit,
    venues: {
      open: [
        {
          id: VENUE_A,
          access: canBeAsked
            ? {
                isBlocked: (signal) =>
                  new Promise((answer, fail) => asked.push({ signal, answer, fail })),
              }
            : null,
        },
      ],
    },
  });
  questions.recover();
  const open = () => store.write((tx) => tx.remove(VENUE_ACCESS_STATES, ['venue_a']));
  const shut = () => store.write((tx) => tx.put(VENUE_ACCESS_STATES, ['venue_a'], access));
  const events = () =>
    log.lines.map(({ level, event, fields }) => `${level} ${event} ${fields['venue']}`);
  return {
    store,
    bus,
    clock,
    disk,
    asked,
    open,
    shut,
    events,
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

  it('end with the answer that opens it: nothing is left waiting', async () => {
    const { clock, asked } = await whileAccessIsClosed();
    await clock.advance(VENUE_ACCESS.askEveryMs);
    asked[0]?.answer(false);
    await clock.advance(0);
    expect([asked.length, clock.pending]).toEqual([1, 0]);
  });

  it('are not asked where it cannot be asked, or takes orders', async () => {
    const { clock } = await whileAccessIsClosed({ canBeAsked: false });
    expect(clock.pending).toBe(0);
    const { bus, questions, open, clock: other } = await whileAccessIsClosed();
    await open();
    await other.advance(VENUE_ACCESS.askEveryMs);
    questions.recover();
    bus.publish([{ seq: 1, event: { type: 'venue.admitted', atMs: T0, venue: VENUE_A } }]);
    expect(other.pending).toBe(0);
  });

  it('are not asked where an order has opened it meanwhile', async () => {
    const { clock, asked, open } = await whileAccessIsClosed();
    await open();
    await clock.advance(VENUE_ACCESS.askEveryMs);
    expect([asked, clock.pending]).toEqual([[], 0]);
  });

  it('begin anew each time it turns us away, and not while they are under way', async () => {
    const { bus, clock, asked, open, shut } = await whileAccessIsClosed();
    const turnAway = () => {
      const event = { type: 'venue.restricted', atMs: T0, venue: VENUE_A, reason: 'no' } as const;
      bus.publish([{ seq: 1, event }]);
    };
    turnAway();
    expect(clock.pending).toBe(1);
    await open();
    await clock.advance(VENUE_ACCESS.askEveryMs);
    await shut();
    turnAway();
    await clock.advance(VENUE_ACCESS.askEveryMs);
    expect(asked.length).toBe(1);
  });

  it('that get no answer are reported to operators once, until there was one or it has opened', async () => {
    const { bus, clock, asked, open, shut, events } = await whileAccessIsClosed();
    const next = async (what: 'fail' | 'answer') => {
      await clock.advance(VENUE_ACCESS.askEveryMs);
      if (what === 'fail') asked.at(-1)?.fail(new Error('no answer'));
      else asked.at(-1)?.answer(true);
      await clock.advance(0);
      return events().length;
    };
    expect([
      await next('fail'),
      await next('fail'),
      await next('answer'),
      await next('fail'),
    ]).toEqual([1, 1, 1, 2]);
    await open();
    await clock.advance(VENUE_ACCESS.askEveryMs);
    await shut();
    const event = { type: 'venue.restricted', atMs: T0, venue: VENUE_A, reason: 'no' } as const;
    bus.publish([{ seq: 1, event }]);
    expect(await next('fail')).toBe(3);
    expect(new Set(events())).toEqual(new Set(['warn venue.region_unknown venue_a']));
  });

  it('whose answer cannot be stored are reported to operators, and asked again', async () => {
    const { clock, asked, disk, events } = await whileAccessIsClosed();
    disk.isFull = true;
    await clock.advance(VENUE_ACCESS.askEveryMs);
    asked[0]?.answer(false);
    await clock.advance(VENUE_ACCESS.askEveryMs);
    expect([events(), asked.length]).toEqual([['error venue.update_not_stored venue_a'], 2]);
  });

  it('that fail for the end of the service are not reported', async () => {
    const { clock, asked, questions, events, metrics } = await whileAccessIsClosed();
    await clock.advance(VENUE_ACCESS.askEveryMs);
    questions.stop();
    asked[0]?.fail(new Error('aborted'));
    await clock.advance(VENUE_ACCESS.askEveryMs);
    questions.recover();
    expect([events(), [...metrics.counts], clock.pending]).toEqual([[], [], 0]);
  });
});
