import { RESEARCH } from '../../../config/limits/research.ts';
import { createSeededRandom } from '../../adapters/random/seeded-random.ts';
import type { Prediction, RoundView } from '../../domain/signal.ts';
import { directionOf } from '../../domain/strategy/terms.ts';
import { assetPriceE8, type AssetPriceE8 } from '../../domain/units.ts';
import type { SeriesRound } from './series.ts';

/** What takes the place of the inference network, whose predictions were not recorded. */
type StandInId = 'absent' | 'no_skill' | 'always_agrees' | 'perfect_foresight';

/** One stand-in: how it predicts, and what its figures may be read as. */
export interface StandIn {
  readonly id: StandInId;
  readonly title: string;
  /** For the cell of a table. */
  readonly short: string;
  readonly meaning: string;
  /** True when it looks at how the round ends: an unreachable bound, never a record. */
  readonly knowsTheEnd: boolean;
  /** Millionths by which the predicted price lies above the oracle's; null for no prediction. */
  readonly aboveMicros: (round: SeriesRound, view: RoundView) => number | null;
}

const AGREEMENT = RESEARCH.standInAgreementMicros;

/** Every stand-in, from none to the bound. */
export const STAND_INS: readonly StandIn[] = [
  {
    id: 'absent',
    title: 'no prediction',
    short: 'none',
    knowsTheEnd: false,
    meaning: 'What the strategy does when the network is silent.',
    aboveMicros: () => null,
  },
  {
    id: 'no_skill',
    title: 'prediction without skill',
    short: 'no skill',
    knowsTheEnd: false,
    meaning: `The oracle price plus noise of ${RESEARCH.standInNoiseMicros / 10_000} %, drawn once a round from the seed: it knows nothing.`,
    aboveMicros: (round) => Math.round(noiseOf(round.slug) * RESEARCH.standInNoiseMicros),
  },
  {
    id: 'always_agrees',
    title: 'prediction that always agrees',
    short: 'always agrees',
    knowsTheEnd: false,
    meaning:
      'The oracle price moved the way the exchange moved: the strategy without the network’s veto.',
    aboveMicros: (_round, { exchange, exchangeAtStart }) => {
      const move =
        exchange === null || exchangeAtStart === null
          ? null
          : directionOf(exchangeAtStart, exchange.value);
      return move === null ? null : move === 0 ? AGREEMENT : -AGREEMENT;
    },
  },
  {
    id: 'perfect_foresight',
    title: 'perfect foresight',
    short: 'foresight',
    knowsTheEnd: true,
    meaning: 'The oracle price moved towards the side that wins: a bound that cannot be reached.',
    aboveMicros: ({ winner }) => (winner === 0 ? AGREEMENT : -AGREEMENT),
  },
];

/**
 * The stand-ins that mean something: where a round is entered at its start there is no move to
 * agree with.
 */
export function standInsFor(minutes: 5 | 15): readonly StandIn[] {
  return STAND_INS.filter(({ id }) => minutes === 5 || id !== 'always_agrees');
}

/** The view with the stand-in's prediction of that moment. */
export function withPrediction(standIn: StandIn, round: SeriesRound, view: RoundView): RoundView {
  const above = standIn.aboveMicros(round, view);
  if (above === null || view.oracle === null) return view;
  const price = moved(view.oracle.value, above);
  const value: Prediction = { topicId: 0, price, interval: [price, price, price, price, price] };
  return { ...view, prediction: { value, sourceAtMs: view.atMs, receivedAtMs: view.atMs } };
}

function moved(price: AssetPriceE8, micros: number): AssetPriceE8 {
  return assetPriceE8(Math.round(price * (1 + micros / 1_000_000)));
}

const WORD = 2 ** 32;

/**
 * One draw of the standard normal distribution that belongs to a round (G. Box and M. Muller,
 * 1958).
 */
function noiseOf(slug: string): number {
  const random = createSeededRandom(`${RESEARCH.seed}:prediction:${slug}`);
  const [radius, angle] = [(random.integer(WORD) + 1) / WORD, random.integer(WORD) / WORD];
  return Math.sqrt(-2 * Math.log(radius)) * Math.cos(2 * Math.PI * angle);
}
