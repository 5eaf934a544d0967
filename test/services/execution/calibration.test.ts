import { describe, expect, it } from 'vitest';
import { createMemoryStore } from '../../../src/adapters/memory/memory-store.ts';
import type { DecisionRecord } from '../../../src/domain/agent.ts';
import { asId, type DecisionId, type MarketId, type UserId } from '../../../src/domain/ids.ts';
import { DECISIONS, paperTable, RESOLUTIONS } from '../../../src/services/books/tables.ts';
import { calibrationOf } from '../../../src/services/execution/calibration.ts';

const OWNER = { userId: asId<UserId>('usr_a'), agentId: 'btc_5min' } as const;

interface Entry {
  readonly market: string;
  readonly outcome: 0 | 1;
  readonly strength: string;
  readonly verdict?: 'enter' | 'exit';
}

/** A store with entries, oldest first, and markets that have ended by what each outcome paid. */
async function storeOf(
  entries: readonly Entry[],
  ended: Readonly<Record<string, readonly [number, number]>>,
  isPaper = false,
) {
  const store = createMemoryStore();
  await store.write((tx) => {
    entries.forEach(({ market, outcome, strength, verdict = 'enter' }, index) => {
      const record: DecisionRecord = {
        decisionId: asId<DecisionId>(`dec_${index}`),
        ...OWNER,
        marketId: asId<MarketId>(market),
        strategy: 'up_down_5min',
        atMs: index,
        inputs: [],
        decision: {
          verdict,
          outcome,
          criteria: [
            { name: 'entry window', value: '60 s', threshold: '', passed: true },
            { name: 'signal strength Up', value: strength, threshold: '', passed: true },
          ],
          reason: '',
        },
        amountUsdc: null,
        outcome: { kind: 'none' },
      };
      tx.put(DECISIONS, [OWNER.userId, OWNER.agentId, index, record.decisionId], {
        ...record,
        journalSeq: index,
      });
    });
    for (const [market, payoutTicks] of Object.entries(ended)) {
      const marketId = asId<MarketId>(market);
      const table = isPaper ? paperTable(RESOLUTIONS) : RESOLUTIONS;
      tx.put(table, [marketId], { marketId, payoutTicks, resolvedAtMs: 1 });
    }
  });
  return store;
}

describe('what a signal stated, against what came', () => {
  it('counts the markets it entered apart from those it stated a strength for', async () => {
    const store = await storeOf(
      [
        { market: 'm1', outcome: 0, strength: 'none' },
        { market: 'm1', outcome: 0, strength: 'none' },
        { market: 'm2', outcome: 0, strength: '80.0 %' },
        { market: 'm3', outcome: 0, strength: 'none', verdict: 'exit' },
      ],
      {},
    );
    expect(calibrationOf(store, OWNER)).toEqual({ entered: 2, entries: 1, forecasts: [] });
  });

  it('is the strength of each market’s first entry, and whether the outcome it bought won', async () => {
    const store = await storeOf(
      [
        { market: 'm1', outcome: 0, strength: '82.5 %' },
        { market: 'm1', outcome: 0, strength: '99.0 %' },
        { market: 'm2', outcome: 1, strength: '71.0 %' },
        { market: 'm3', outcome: 1, strength: '75.0 %' },
      ],
      { m1: [10_000, 0], m2: [10_000, 0] },
    );
    const { entries, forecasts } = calibrationOf(store, OWNER);
    expect(entries).toBe(3);
    expect(forecasts).toHaveLength(2);
    expect(forecasts).toEqual(
      expect.arrayContaining([
        { probability: 0.825, happened: true },
        { probability: 0.71, happened: false },
      ]),
    );
  });

  it('leaves out what states no strength, sales, and markets without a winner', async () => {
    const store = await storeOf(
      [
        { market: 'm1', outcome: 0, strength: 'strong' },
        { market: 'm2', outcome: 0, strength: '80.0 %', verdict: 'exit' },
        { market: 'm3', outcome: 0, strength: '80.0 %' },
      ],
      { m1: [10_000, 0], m2: [10_000, 0], m3: [5_000, 5_000] },
    );
    expect(calibrationOf(store, OWNER)).toEqual({ entered: 2, entries: 1, forecasts: [] });
  });

  it('counts markets that ended on paper alone', async () => {
    const store = await storeOf(
      [{ market: 'm1', outcome: 1, strength: '90.0 %' }],
      { m1: [0, 10_000] },
      true,
    );
    expect(calibrationOf(store, OWNER).forecasts).toEqual([{ probability: 0.9, happened: true }]);
  });

  it('is nothing of another user’s', async () => {
    const store = await storeOf([{ market: 'm1', outcome: 0, strength: '90.0 %' }], {});
    expect(calibrationOf(store, { ...OWNER, userId: asId<UserId>('usr_b') })).toEqual({
      entered: 0,
      entries: 0,
      forecasts: [],
    });
  });
});
