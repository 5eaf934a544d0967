/**
 * What the research report reads and how it computes. When each choice was fixed, and on which
 * data, is in `src/tools/research/register.ts`.
 */
export const RESEARCH = {
  /**
   * Every set is split by time: the first rounds up to this share are in sample, the later ones out
   * of sample. Percent.
   */
  inSamplePercent: 60,
  /** Seed of all that is drawn: bootstrap and stand-in predictions. */
  seed: 1,
  /**
   * Resamplings behind an interval: the 2.5 % bounds move by a few percent of the interval's width
   * from seed to seed.
   */
  bootstrapDraws: 2_000,
  /**
   * Hours from which on intervals draw whole hours. What is drawn from few of them is too narrow: a
   * 95 % interval of ten draws covers 9 of 10 truths, of five 8, of three 7.
   */
  hoursMinimum: 10,
  /**
   * Ranges of the reliability diagrams: tenths, so that each holds tens of forecasts in the smaller
   * sets.
   */
  reliabilityRanges: 10,
  /** USDC micros put into each trade: the default position size of the spec. */
  stakeMicros: 5_000_000,
  /**
   * Standard deviation of the stand-in without skill, millionths of the price: about a 5-minute
   * move of BTC.
   */
  standInNoiseMicros: 1_000,
  /**
   * Distance of the stand-in that always agrees, millionths of the price: above every threshold an
   * agent can set would hide it, so twice the default.
   */
  standInAgreementMicros: 1_000,
  /**
   * Taker fee of crypto rounds, millionths, as the recorded markets state it (feeSchedule 0.07,
   * exponent 1).
   */
  feeRateMicros: 70_000,
  feeExponent: 1,
  /**
   * Fee of a contract venue, millionths of contracts times price times the rest to a dollar: the
   * tier of small volumes, the highest one that is documented (venue_b.md section 14).
   */
  contractFeeMicros: 90_000,
  /**
   * Stop-loss of the farming agent, thousandths below the entry (spec.md, safety rules: 10
   * percent).
   */
  farmingStopPerMille: 100,
  /**
   * Times before the end at which the signal is scored on ticks, and how long after each a moment
   * still counts, ms.
   */
  tickHorizonSeconds: [270, 240, 180, 120, 60, 30, 10],
  tickPatienceMs: 5_000,
  /**
   * The same for the sampled books: they were taken up to two seconds after 120, 90, 60, 45, 30, 20
   * and 10 s before the end.
   */
  sampleHorizonSeconds: [121, 91, 61, 46, 31, 21, 11],
  samplePatienceMs: 6_000,
  /**
   * From this strength on the signal counts as strong, percent: the least that any strategy enters
   * at (spec.md).
   */
  strongPercent: 70,
  /**
   * Factors on the log odds of the signal that are tried on all days but one, percent: 100 changes
   * nothing.
   */
  shrinkFromPercent: 20,
  shrinkToPercent: 150,
  /** Steps of that, and of the weight of the signal beside the market's price. */
  fitStepPercent: 5,
  /**
   * From decision to fill, ms: 250 of the venue's taker delay (venue_a.md section 6.3), the rest
   * two ways of the network and the matching. No set holds quotes that dense beside prices, so its
   * cost is charged as ticks: over half a second the best ask of the 33 fully recorded rounds of
   * 2026-04-16 moved by 0.0095 on average, and all of that is taken as against us.
   */
  latencyMs: 500,
  latencyTicks: 100,
  /** Times before the end at which the fully recorded books are read. */
  bookHorizonSeconds: [270, 240, 180, 120, 60, 30, 10],
} as const;

/** What a record must show to count as evidence of an edge. */
export const EVIDENCE = {
  /** Below this the interval of a bet's mean at even odds is wider than 20 cents on the dollar. */
  tradesMinimum: 100,
  /**
   * A bootstrap knows only what it has seen: with ten of each, the rarer side's share is known to
   * within two thirds of itself.
   */
  winsMinimum: 10,
  lossesMinimum: 10,
  /** One day is one weather: prices of a day share their volatility. */
  daysMinimum: 5,
  /** One-sided chance, in percent, that any of the strategies looked at passes by luck. */
  levelPercent: 5,
  /** The bound lies deep in the tail once the level is shared: more draws than a plot needs. */
  bootstrapDraws: 2_000,
} as const;
