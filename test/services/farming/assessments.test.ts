import { describe, expect, it } from 'vitest';
import { ASSESSOR } from '../../../config/limits/farming.ts';
import { createVirtualClock } from '../../../src/adapters/clock/virtual-clock.ts';
import { createMemoryStore } from '../../../src/adapters/memory/memory-store.ts';
import type { Assessment } from '../../../src/domain/farming/assessment.ts';
import type { Store } from '../../../src/ports/store.ts';
import { createAssessments, questionOf } from '../../../src/services/farming/assessments.ts';
import type { FarmCandidate } from '../../../src/services/farming/candidates.ts';
import { ASSESSMENT_AGES, ASSESSMENTS } from '../../../src/services/farming/tables.ts';
import { T0 } from '../../support/builders.ts';
import { aFarmMarket, aListing } from '../../support/worlds/farm-listings.ts';
import { createKeptLog, createKeptMetrics } from '../../support/quiet.ts';

const aCandidate = (number = 1): FarmCandidate => ({
  listing: aListing(aFarmMarket(number)),
  outcome: 1,
  listedAtMs: T0,
});

/** Assessments over an assessor that answers after a second what `say` gives. */
function made(
  say: () => Assessment | Error = () => ({ kind: 'allowed', reason: 'plain' }),
  store: Store = createMemoryStore(),
  clock = createVirtualClock(T0),
) {
  let asked = 0;
  let most = 0;
  let running = 0;
  const assessments = createAssessments({
    store,
    clock,
    log: createKeptLog(),
    metrics: createKeptMetrics(),
    assessor: {
      async assess() {
        asked += 1;
        running += 1;
        most = Math.max(most, running);
        await new Promise<void>((resolve) => void clock.after(1_000, resolve));
        running -= 1;
        const answer = say();
        if (answer instanceof Error) throw answer;
        return answer;
      },
    },
  });
  const of = async (...numbers: readonly number[]) => {
    const answers = Promise.all(numbers.map((number) => assessments.of(aCandidate(number))));
    await clock.advance(numbers.length * 1_000 + 1_000);
    return answers;
  };
  return { store, clock, of, asked: () => asked, most: () => most };
}

describe('risk assessments', () => {
  it('are made once for all who ask, at the same time and later', async () => {
    const { of, asked, clock } = made();
    expect(await of(1, 1, 1)).toEqual(
      Array.from({ length: 3 }, () => ({ kind: 'allowed', reason: 'plain' })),
    );
    await clock.advance(ASSESSOR.keptMs - 10_000);
    await of(1);
    expect(asked()).toBe(1);
  });

  it('are kept over a restart, and asked for anew when their time is over', async () => {
    const first = made(() => ({ kind: 'blocked', reason: 'disputed' }));
    await first.of(1);
    const next = made(() => ({ kind: 'allowed', reason: 'settled' }), first.store, first.clock);
    expect(await next.of(1)).toEqual([{ kind: 'blocked', reason: 'disputed' }]);
    await first.clock.advance(ASSESSOR.keptMs);
    expect(await next.of(1)).toEqual([{ kind: 'allowed', reason: 'settled' }]);
    expect([first.asked(), next.asked()]).toEqual([1, 1]);
  });

  it('do not pile up: expired ones go as new ones come', async () => {
    const { of, store, clock } = made();
    await of(1, 2, 3);
    await clock.advance(ASSESSOR.keptMs);
    await of(4);
    expect([store.range(ASSESSMENTS).length, store.range(ASSESSMENT_AGES).length]).toEqual([1, 1]);
  });

  it('ask a few questions at a time', async () => {
    const { of, most, asked } = made();
    await of(1, 2, 3, 4, 5, 6);
    expect([most(), asked()]).toEqual([ASSESSOR.atOnce, 6]);
  });

  it.each(['late', 'refused', 'nonsense', 'unreachable'] as const)(
    'pass the gap on and keep nothing of it: %s',
    async (gap) => {
      const { of, store } = made(() => ({ kind: 'none', gap }));
      expect(await of(1)).toEqual([{ kind: 'none', gap }]);
      expect(store.range(ASSESSMENTS)).toEqual([]);
    },
  );

  it('leave a gap where the assessor fails in an unexpected way, and where no assessor is set', async () => {
    expect(await made(() => new Error('bug')).of(1)).toEqual([
      { kind: 'none', gap: 'unreachable' },
    ]);
    const none = createAssessments({
      assessor: null,
      store: createMemoryStore(),
      clock: createVirtualClock(T0),
      log: createKeptLog(),
      metrics: createKeptMetrics(),
    });
    expect(await none.of(aCandidate())).toEqual({ kind: 'none', gap: 'missing' });
  });

  it('are asked for again and again where a feed has no assessor, which is no failure', async () => {
    const { of, asked } = made(() => ({ kind: 'none', gap: 'missing' }));
    for (let number = 1; number <= ASSESSOR.failuresMaximum + 1; number += 1)
      expect(await of(number)).toEqual([{ kind: 'none', gap: 'missing' }]);
    expect(asked()).toBe(ASSESSOR.failuresMaximum + 1);
  });

  it('let the assessor rest after failures in a row, then try one question, and go on when it is answered', async () => {
    let isDown = true;
    const { of, asked, clock } = made(() =>
      isDown ? { kind: 'none', gap: 'unreachable' } : { kind: 'allowed', reason: 'back' },
    );
    for (let number = 1; number <= ASSESSOR.failuresMaximum; number += 1) await of(number);
    expect(await of(90)).toEqual([{ kind: 'none', gap: 'resting' }]);
    expect(asked()).toBe(ASSESSOR.failuresMaximum);
    await clock.advance(ASSESSOR.restMs);
    expect(await of(91)).toEqual([{ kind: 'none', gap: 'unreachable' }]);
    expect(await of(92)).toEqual([{ kind: 'none', gap: 'resting' }]);
    await clock.advance(ASSESSOR.restMs);
    isDown = false;
    expect(await of(93)).toEqual([{ kind: 'allowed', reason: 'back' }]);
    expect(await of(94)).toEqual([{ kind: 'allowed', reason: 'back' }]);
  });
});

describe('the question about a market', () => {
  it('poisoned-title: holds texts without what cannot be seen, cut to size', () => {
    const listing = aListing(
      aFarmMarket(1, { question: `Will\u0000 it\nsnow\u202e? ${'x'.repeat(2_000)}` }),
      { description: 'y'.repeat(5_000) },
    );
    const { question, description, outcome, probabilityPercent } = questionOf({
      listing,
      outcome: 1,
      listedAtMs: T0,
    });
    expect(question.startsWith('Will it snow? xxx')).toBe(true);
    expect([question.length, description.length, outcome, probabilityPercent]).toEqual([
      ASSESSOR.questionChars,
      ASSESSOR.descriptionChars,
      'No',
      '97',
    ]);
  });
});
