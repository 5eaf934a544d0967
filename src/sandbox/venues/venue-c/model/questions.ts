/** A question that runs once. */
export interface Question {
  readonly tradeType: 'clob' | 'amm';
  readonly name: string;
  readonly title: string;
  readonly rule: string;
  readonly category: string;
  /** Chance of YES the quotes wander around. */
  readonly chance: number;
  /** How long it runs from the founding of the world. */
  readonly days: number;
}

/** A question of several answers, of which one comes true. */
export interface GroupQuestion extends Omit<Question, 'tradeType' | 'chance'> {
  /** Their chances add up to one. */
  readonly answers: readonly {
    readonly name: string;
    readonly title: string;
    readonly chance: number;
  }[];
}

/** Groups of the venue's catalogue: made up. */
export const GROUPS: readonly GroupQuestion[] = [
  {
    name: 'who-will-win-the-regatta',
    title: 'Who will win the regatta?',
    rule: 'The boat that the race committee names as the winner resolves to YES, all others to NO.',
    category: 'Sports',
    days: 40,
    answers: [
      { name: 'the-heron-wins-the-regatta', title: 'The Heron', chance: 0.45 },
      { name: 'the-otter-wins-the-regatta', title: 'The Otter', chance: 0.35 },
      { name: 'another-boat-wins-the-regatta', title: 'Another boat', chance: 0.2 },
    ],
  },
];

/** Questions of the venue's catalogue: made up. */
export const QUESTIONS: readonly Question[] = [
  {
    tradeType: 'clob',
    name: 'will-the-harbour-bridge-open-this-quarter',
    title: 'Will the harbour bridge open this quarter?',
    rule: 'Resolves to YES if the bridge is open to traffic before the end of the market.',
    category: 'Infrastructure',
    chance: 0.64,
    days: 75,
  },
  {
    tradeType: 'clob',
    name: 'will-the-comet-be-seen-with-the-naked-eye',
    title: 'Will the comet be seen with the naked eye?',
    rule: 'Resolves to YES if the brightness stated by the observatory reaches magnitude 5.',
    category: 'Science',
    chance: 0.31,
    days: 45,
  },
  {
    tradeType: 'clob',
    name: 'will-the-record-rainfall-be-broken',
    title: 'Will the record rainfall of the month be broken?',
    rule: 'Resolves to YES if the sum published by the weather service is above the record.',
    category: 'Weather',
    chance: 0.12,
    days: 30,
  },
  {
    tradeType: 'clob',
    name: 'will-the-film-win-the-grand-prize',
    title: 'Will the film win the grand prize?',
    rule: 'Resolves to YES if the jury names the film at the closing ceremony.',
    category: 'Culture',
    chance: 0.47,
    days: 60,
  },
  {
    tradeType: 'clob',
    name: 'will-the-visitors-win-the-final',
    title: 'Will the visitors win the final?',
    rule: 'Resolves to YES if the visitors win, extra time and penalties included.',
    category: 'Sports',
    chance: 0.55,
    days: 21,
  },
  {
    tradeType: 'amm',
    name: 'will-the-tunnel-be-finished-this-season',
    title: 'Will the tunnel be finished this season?',
    rule: 'Resolves to YES if the last metre is cut before the end of the market.',
    category: 'Infrastructure',
    chance: 0.4,
    days: 50,
  },
  {
    tradeType: 'amm',
    name: 'will-the-orchestra-play-the-lost-symphony',
    title: 'Will the orchestra play the lost symphony?',
    rule: 'Resolves to YES if it is on the programme of the season that the hall announces.',
    category: 'Culture',
    chance: 0.72,
    days: 35,
  },
];
