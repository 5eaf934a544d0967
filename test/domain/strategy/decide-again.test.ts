import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { basisOf } from '../../../src/domain/decision-basis.ts';
import {
  judgeFarmEntry,
  farmJudgedView,
  type FarmView,
} from '../../../src/domain/farming/entry.ts';
import { judgeStopLoss, stopTicks } from '../../../src/domain/farming/stop-loss.ts';
import { FARM_VENUES } from '../../../src/domain/farming/venues.ts';
import type { OutcomeIndex } from '../../../src/domain/market.ts';
import { judgedView, type RoundView } from '../../../src/domain/signal.ts';
import { decideAgain, type DecidedBy } from '../../../src/domain/strategy/decide-again.ts';
import { STRATEGIES } from '../../../src/domain/strategy/table.ts';
import { assetPriceE8 } from '../../../src/domain/units.ts';
import { aMarket, T0 } from '../../support/builders.ts';
import { runs } from '../../support/sampled.ts';
import {
  aPrediction,
  aPrice,
  aRoundView,
  aTop,
  observed,
} from '../../support/worlds/round-views.ts';

const RUNS = { numRuns: runs(300, 10_000) };
const outcome = fc.constantFrom<OutcomeIndex>(0, 1);
const ticks = fc.integer({ min: 1, max: 9_999 });
const maybe = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: null, freq: 6 });

/** A round at some second, near its price to beat: every criterion passes and fails. */
const view: fc.Arbitrary<RoundView> = fc
  .record({
    atMs: fc.integer({ min: T0, max: T0 + 300_000 }),
    oracle: maybe(fc.integer({ min: 69_800, max: 70_200 })),
    exchange: maybe(fc.integer({ min: 69_700, max: 70_300 })),
    start: maybe(fc.integer({ min: 69_900, max: 70_100 })),
    prediction: maybe(fc.integer({ min: 69_700, max: 70_300 })),
    ageMs: fc.integer({ min: 0, max: 200_000 }),
    strike: maybe(fc.constantFrom<'captured' | 'venue'>('captured', 'venue')),
    volatility: maybe(fc.double({ min: 0.00001, max: 0.001, noNaN: true })),
    tops: fc.tuple(maybe(ticks), maybe(ticks), maybe(ticks), maybe(ticks)),
    areThere: fc.tuple(fc.boolean(), fc.boolean()),
  })
  .map((drawn) => {
    const [upBid, upAsk, downBid, downAsk] = drawn.tops;
    return aRoundView({
      atMs: drawn.atMs,
      oracle: drawn.oracle === null ? null : observed(aPrice(drawn.oracle), drawn.atMs),
      exchange: drawn.exchange === null ? null : observed(aPrice(drawn.exchange), drawn.atMs),
      exchangeAtStart: drawn.start === null ? null : aPrice(drawn.start),
      prediction:
        drawn.prediction === null
          ? null
          : observed(aPrediction(drawn.prediction), drawn.atMs - drawn.ageMs),
      strike:
        drawn.strike === null
          ? null
          : { price: assetPriceE8(7_000_000_000_000), source: drawn.strike },
      volatility: drawn.volatility,
      books: [
        drawn.areThere[0] ? aTop(upBid, upAsk, drawn.atMs) : null,
        drawn.areThere[1] ? aTop(downBid, downAsk, drawn.atMs) : null,
      ],
    });
  });

/** What a browser has of a receipt is its text. */
const overText = (decided: DecidedBy): DecidedBy =>
  JSON.parse(JSON.stringify(decided)) as DecidedBy;

describe('a receipt decides again what it says', () => {
  it.each(STRATEGIES.rows.map((row) => [row.agentId, row.strategy, row] as const))(
    'L10, L11: for entries of %s by %s, with what its judge had seen before',
    (agentId, strategy, row) => {
      fc.assert(
        fc.property(
          fc.array(view, { minLength: 1, maxLength: 8 }),
          fc.integer({ min: 0, max: 5_000 }),
          (views, inferenceDifferenceMicros) => {
            let judge = row.judgeFor({ inferenceDifferenceMicros });
            for (const seen of [...views].sort((one, other) => one.atMs - other.atMs)) {
              const basis = basisOf({
                kind: 'entry',
                inferenceDifferenceMicros,
                memory: judge.memory ?? null,
                view: judgedView(seen),
              });
              expect(decideAgain(overText({ agentId, strategy, basis }))).toEqual(
                judge.judge(seen),
              );
              judge = judge.after(seen);
            }
          },
        ),
        RUNS,
      );
    },
  );

  it.each(STRATEGIES.rows.map((row) => [row.agentId, row.strategy, row] as const))(
    'L10, L11: for positions and bids of %s by %s',
    (agentId, strategy, row) => {
      fc.assert(
        fc.property(view, outcome, (seen, held) => {
          const again = (kind: 'position' | 'bid') => {
            const basis = basisOf({ kind, held, view: judgedView(seen) });
            return decideAgain(overText({ agentId, strategy, basis }));
          };
          expect(again('position')).toEqual(row.judgeExit(seen, held));
          expect(again('bid')).toEqual(
            row.order.kind === 'limit' ? row.order.judge(seen, held) : null,
          );
        }),
        RUNS,
      );
    },
  );

  it.each(FARM_VENUES.map((venue) => [venue.agentId, venue] as const))(
    'L10, L11: for entries and stops of %s',
    (agentId, venue) => {
      const farmed: fc.Arbitrary<FarmView> = fc
        .record({
          outcome,
          tops: fc.tuple(maybe(fc.integer({ min: 9_300, max: 9_900 })), maybe(ticks)),
          isThere: fc.boolean(),
          volumeUsd: fc.double({ min: 0, max: 10_000, noNaN: true }),
          liquidityUsd: fc.double({ min: 0, max: 5_000, noNaN: true }),
          leftMs: fc.integer({ min: 0, max: 40 * 86_400_000 }),
          assessment: fc.constantFrom<FarmView['assessment']>(
            null,
            { kind: 'allowed', reason: 'sound' },
            { kind: 'blocked', reason: 'odd' },
            { kind: 'none', gap: 'late' },
          ),
        })
        .map((drawn) => ({
          market: aMarket(1, {
            volumeUsd: drawn.volumeUsd,
            liquidityUsd: drawn.liquidityUsd,
            endsAtMs: T0 + drawn.leftMs,
          }),
          outcome: drawn.outcome,
          listedAtMs: T0,
          atMs: T0,
          book: drawn.isThere ? aTop(...drawn.tops, T0) : null,
          assessment: drawn.assessment,
        }));
      const { filters, strictFilters } = venue;
      const strategy = 'high_probability';
      fc.assert(
        fc.property(farmed, (seen) => {
          const farm = { filters, strictFilters, view: farmJudgedView(seen) };
          const basis = basisOf({ kind: 'farm_entry', ...farm });
          expect(decideAgain(overText({ agentId, strategy, basis }))).toEqual(
            judgeFarmEntry(venue, seen),
          );
        }),
        RUNS,
      );
      const seenBid = fc.record({
        bidTicks: fc.integer({ min: 0, max: 9_999 }),
        atMs: fc.integer({ min: T0 - 90_000, max: T0 }),
      });
      fc.assert(
        fc.property(
          outcome,
          fc.array(seenBid, { maxLength: 3 }),
          fc.integer({ min: 1, max: 900 }),
          fc.integer({ min: 1, max: 10_000_000 }),
          (held, looks, lossPerMille, usdc) => {
            const entry = { usdc, shares: 10_000_000 };
            const stop = { held, entry, lossPerMille, looks, atMs: T0 };
            const basis = basisOf({ kind: 'stop_loss', ...stop });
            expect(decideAgain(overText({ agentId, strategy, basis }))).toEqual(
              judgeStopLoss(held, stopTicks(entry, lossPerMille), looks, T0),
            );
          },
        ),
        RUNS,
      );
    },
  );

  it('and another input may decide otherwise', () => {
    const seen = aRoundView();
    const entered = (changed: Partial<RoundView>) =>
      decideAgain({
        agentId: 'btc_5min',
        strategy: 'up_down',
        basis: basisOf({
          kind: 'entry',
          inferenceDifferenceMicros: 500,
          memory: null,
          view: { ...judgedView(seen), ...changed, market: { fee: seen.market.fee } },
        }),
      })?.verdict;
    expect([entered({}), entered({ oracle: observed(aPrice(70_001)) })]).toEqual(['enter', 'skip']);
  });

  it('unless its strategy is gone', () => {
    const basis = basisOf({ kind: 'position', held: 0, view: judgedView(aRoundView()) });
    expect(decideAgain({ agentId: 'btc_5min', strategy: 'forgotten', basis })).toBeNull();
  });
});
