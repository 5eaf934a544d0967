import { describe, expect, it } from 'vitest';
import type { Moment } from '../../../src/tools/research/play-series.ts';
import type { SeriesRound } from '../../../src/tools/research/series.ts';
import { STAND_INS } from '../../../src/tools/research/stand-ins.ts';
import { openTradeBook } from '../../../src/tools/research/trade-book.ts';
import type { Decision } from '../../../src/domain/agent.ts';
import type { OutcomeIndex } from '../../../src/domain/market.ts';
import { byEachView } from '../../../src/domain/strategy/round-judge.ts';
import type { EntryOrder, StrategyRow } from '../../../src/domain/strategy/strategy-row.ts';
import { STRATEGIES } from '../../../src/domain/strategy/table.ts';
import { priceTicks } from '../../../src/domain/units.ts';
import { T0 } from '../../support/builders.ts';
import { aRoundMarket, aRoundView, aTop } from '../../support/worlds/round-views.ts';

const FEE = { rateMicros: 70_000, exponent: 1, takerOnly: true };
const ROUND: SeriesRound = {
  slug: 'round',
  asset: 'BTC',
  minutes: 5,
  startsAtMs: T0,
  endsAtMs: T0 + 300_000,
  winner: 0,
};
const [ABSENT] = STAND_INS;

const say = (verdict: Decision['verdict'], outcome: OutcomeIndex | null): Decision => ({
  verdict,
  outcome,
  criteria: [],
  reason: 'by the test',
});

/**
 * A moment so many seconds into the round; what fills at once pays a cent more and brings a cent
 * less than it shows (`RESEARCH.latencyTicks`). With the Up book at these prices; the price a stake
 * pays is the ask's unless stated otherwise.
 */
function at(
  second: number,
  [bid, ask]: readonly [number | null, number | null],
  buy: number | null = ask,
  round: SeriesRound = ROUND,
): Moment {
  const atMs = T0 + second * 1_000;
  const mirrored = (price: number | null): number | null =>
    price === null ? null : 10_000 - price;
  const [up, down] = [aTop(bid, ask, atMs), aTop(mirrored(ask), mirrored(bid), atMs)];
  return {
    round,
    view: aRoundView({ market: aRoundMarket(1, { fee: FEE }), atMs, books: [up, down] }),
    quotes: {
      tops: [up.value, down.value],
      buyPrices: [buy === null ? null : priceTicks(buy), null],
    },
  };
}

function bookOf(changes: Partial<StrategyRow>) {
  const base = STRATEGIES.row('btc_5min', 'confirmed_lead');
  if (base === null || ABSENT === undefined) throw new Error('the table has the strategy');
  return openTradeBook(
    {
      ...base,
      judgeFor: () => byEachView(() => say('enter', 0)),
      judgeExit: () => say('hold', 0),
      ...changes,
    },
    ABSENT,
  );
}

function tradesOf(changes: Partial<StrategyRow>, moments: readonly Moment[]) {
  const book = bookOf(changes);
  for (const moment of moments) book.see(moment);
  return book.trades().map(({ round: _round, strength: _strength, ...trade }) => trade);
}

const LIMIT: EntryOrder = {
  kind: 'limit',
  price: priceTicks(6_000),
  endsAfterMs: 270_000,
  judge: () => say('hold', 0),
};

describe('trades of a market strategy', () => {
  it('pay a cent of latency, the stake, the fee, and are paid by the winner: 5 USD shown at 0.49 and filled at 0.50 are 10 shares, 0.175 USD fee, 4.825 USD profit', () => {
    expect(tradesOf({}, [at(60, [4_800, 4_900])])).toEqual([
      {
        outcome: 0,
        atMs: T0 + 60_000,
        price: 5_000,
        shares: 10_000_000,
        stakeMicros: 5_000_000,
        feesMicros: 175_000,
        won: true,
        soldMicros: null,
        profitMicros: 4_825_000,
      },
    ]);
  });

  it('lose stake and fee when the other side wins', () => {
    expect(
      tradesOf({}, [at(60, [4_800, 4_900], 4_900, { ...ROUND, winner: 1 })]).map(
        ({ won, profitMicros }) => [won, profitMicros],
      ),
    ).toEqual([[false, -5_175_000]]);
  });

  it('wait for the next verdict while a whole stake is not on offer, and enter a round once', () => {
    expect(
      tradesOf({}, [
        at(60, [4_900, 5_000], null),
        at(70, [5_800, 5_900]),
        at(80, [4_900, 5_000]),
      ]).map(({ atMs, price }) => [(atMs - T0) / 1_000, price]),
    ).toEqual([[70, 6_000]]);
  });

  it('are sold at the bid, with its fee, when the exit is judged: the outcome then pays nothing', () => {
    const turned = { judgeExit: () => say('exit', 0) };
    const [trade] = tradesOf(turned, [at(60, [4_800, 4_900]), at(90, [4_100, 4_300])]);
    // 10 shares at 0.40 bring 4 USD; fees 0.175 and 0.168.
    expect([trade?.soldMicros, trade?.feesMicros, trade?.profitMicros]).toEqual([
      4_000_000, 343_000, -1_343_000,
    ]);
  });

  it('stay without bids', () => {
    expect(
      tradesOf({ judgeExit: () => say('exit', 0) }, [
        at(60, [4_900, 5_000]),
        at(90, [null, 4_200]),
      ]).map(({ soldMicros }) => soldMicros),
    ).toEqual([null]);
  });
});

describe('trades of a limit strategy', () => {
  it('take what is still offered at or below the limit when the order arrives, as a taker', () => {
    expect(
      tradesOf({ order: LIMIT }, [at(60, [4_800, 4_900])]).map(({ price, feesMicros }) => [
        price,
        feesMicros,
      ]),
    ).toEqual([[5_000, 175_000]]);
    expect(tradesOf({ order: LIMIT }, [at(60, [5_800, 5_900])]).map(({ price }) => price)).toEqual([
      6_000,
    ]);
    expect(tradesOf({ order: LIMIT }, [at(60, [5_800, 5_901])])).toEqual([]);
  });

  it('rest at the limit and are filled there, without a fee, when the ask comes down to it', () => {
    expect(
      tradesOf({ order: LIMIT }, [
        at(60, [7_900, 8_000]),
        at(70, [6_900, 7_000]),
        at(80, [5_800, 5_900]),
      ]).map(({ atMs, price, feesMicros }) => [(atMs - T0) / 1_000, price, feesMicros]),
    ).toEqual([[80, 6_000, 0]]);
  });

  it('come to nothing when the bid is taken back first', () => {
    const doubting: EntryOrder = { ...LIMIT, judge: () => say('exit', 0) };
    expect(
      tradesOf({ order: doubting }, [
        at(60, [7_900, 8_000]),
        at(70, [6_900, 7_000]),
        at(80, [5_800, 5_900]),
      ]),
    ).toEqual([]);
  });

  it('come to nothing when its time ran out', () => {
    expect(
      tradesOf({ order: LIMIT }, [
        at(60, [7_900, 8_000]),
        at(270, [6_900, 7_000]),
        at(280, [5_800, 5_900]),
      ]),
    ).toEqual([]);
  });
});
