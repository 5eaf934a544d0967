import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  endsEntry,
  fillRateMicros,
  NO_RESULTS,
  winRateMicros,
  withEntryEnded,
  withPartlySold,
  withPositionResult,
  type PositionResult,
} from '../../src/domain/agent-results.ts';
import { asId } from '../../src/domain/ids.ts';
import type { OrderOrigin, OrderState } from '../../src/domain/order.ts';
import { shareMicros, usdcMicros } from '../../src/domain/units.ts';
import { anOrder } from '../support/worlds/money-records.ts';

const aResult = (realised: number, fees: number, closedAtMs: number | null): PositionResult => ({
  realizedPnl: usdcMicros(realised),
  feesUsdc: usdcMicros(fees),
  closedAtMs,
});

describe('what an agent’s trades came to', () => {
  it('counts a position when it closes, its money as it is realised', () => {
    const sold = withPositionResult(NO_RESULTS, null, aResult(0, 10, null));
    const part = withPositionResult(sold, aResult(0, 10, null), aResult(300, 20, null));
    expect(part).toEqual({ ...NO_RESULTS, realisedUsdc: 300, feesUsdc: 20, peakUsdc: 300 });
    expect(withPositionResult(part, aResult(300, 20, null), aResult(-100, 20, 5))).toEqual({
      ...NO_RESULTS,
      losses: 1,
      realisedUsdc: -100,
      feesUsdc: 20,
      peakUsdc: 300,
      drawdownUsdc: 400,
    });
  });

  it.each<[string, PositionResult, { readonly wins: number; readonly losses: number }]>([
    ['a profit is won', aResult(1, 0, 5), { wins: 1, losses: 0 }],
    ['nothing gained is lost', aResult(0, 7, 5), { wins: 0, losses: 1 }],
    ['a loss is lost', aResult(-1, 0, 5), { wins: 0, losses: 1 }],
    ['no trade left is neither', aResult(0, 0, 5), { wins: 0, losses: 0 }],
    ['what is open is neither', aResult(9, 9, null), { wins: 0, losses: 0 }],
  ])('%s', (_, result, counted) => {
    expect(withPositionResult(NO_RESULTS, null, result)).toMatchObject(counted);
  });

  it('is the same for any history as a reading of all of it: sums, counts, and the deepest fall below a peak', () => {
    const step = fc.record({
      position: fc.nat(4),
      realised: fc.integer({ min: -1_000, max: 1_000 }),
      fees: fc.nat(50),
      isClosed: fc.boolean(),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
        const now = new Map<number, PositionResult>();
        const curve = [0];
        let results = NO_RESULTS;
        for (const { position, realised, fees, isClosed } of steps) {
          const after = aResult(realised, fees, isClosed ? 1 : null);
          results = withPositionResult(results, now.get(position) ?? null, after);
          now.set(position, after);
          curve.push([...now.values()].reduce((sum, { realizedPnl }) => sum + realizedPnl, 0));
        }
        const closed = [...now.values()].filter(
          ({ closedAtMs, realizedPnl, feesUsdc }) =>
            closedAtMs !== null && (realizedPnl !== 0 || feesUsdc !== 0),
        );
        expect(results).toEqual({
          entries: 0,
          filledEntries: 0,
          wins: closed.filter(({ realizedPnl }) => realizedPnl > 0).length,
          losses: closed.filter(({ realizedPnl }) => realizedPnl <= 0).length,
          realisedUsdc: curve.at(-1),
          feesUsdc: [...now.values()].reduce((sum, { feesUsdc }) => sum + feesUsdc, 0),
          peakUsdc: Math.max(...curve),
          drawdownUsdc: Math.max(
            ...curve.map((value, index) => Math.max(...curve.slice(0, index + 1)) - value),
          ),
        });
      }),
    );
  });

  it('counts what an open position was sold for, in part: won, lost, or neither', () => {
    const one = { ...NO_RESULTS, wins: 1, realisedUsdc: 12 };
    const open = [aResult(300, 20, null), aResult(-5, 3, null), aResult(0, 10, null)];
    expect(withPartlySold(one, open)).toEqual({ ...one, wins: 2, losses: 1 });
    expect(withPartlySold(one, [aResult(300, 20, 5)])).toEqual(one);
  });

  it('counts an entry when it ends, once', () => {
    const entry: OrderOrigin = {
      kind: 'agent',
      agentId: 'btc_5min',
      decisionId: asId('dec_1'),
      purpose: 'entry',
    };
    const ends = (before: OrderState | null, after: OrderState, origin: OrderOrigin = entry) =>
      endsEntry(
        before === null ? null : { state: before },
        anOrder({ state: after, intent: { origin } }),
      );
    expect([
      ends('live', 'filled'),
      ends(null, 'rejected'),
      ends('filled', 'filled'),
      ends('signed', 'live'),
      ends(null, 'signed'),
      ends('live', 'filled', { ...entry, purpose: 'exit' }),
      ends('live', 'filled', { kind: 'manual' }),
    ]).toEqual([true, true, false, false, false, false, false]);
  });

  it('has no rate before the first of a kind has ended', () => {
    expect([winRateMicros(NO_RESULTS), fillRateMicros(NO_RESULTS)]).toEqual([null, null]);
    const one = withEntryEnded(NO_RESULTS, { filledShares: shareMicros(5) });
    const two = withEntryEnded(one, { filledShares: shareMicros(0) });
    expect([
      fillRateMicros(one),
      fillRateMicros(two),
      winRateMicros({ wins: 1, losses: 2 }),
    ]).toEqual([1_000_000, 500_000, 333_333]);
  });
});
