/** Bounds of what is shown of markets to choose from. */
export const LISTING = {
  /**
   * A listing's own prices are shown, with their age, until then: the venue's caches may be 300 s
   * behind (venue_a.md section 10), three times that is no price of now. Of 1,210 recorded listings
   * 95 of 100 were at most 213 s old, the rest days.
   */
  pricesShownMs: 900_000,
  /**
   * The middle of a book says how likely an outcome is while its sides are this near: 0.10, from
   * where on the venue too shows no middle.
   */
  spreadForMiddleMaximumTicks: 1_000,
  /**
   * Rules of a market: the longest recorded have 2,600 characters; a page holds up to a hundred of
   * them.
   */
  rulesMaximumChars: 4_000,
  /**
   * Events asked for in one page: a market takes 5.8 kB, and the 20 recorded events of most volume
   * hold 346 of them, 2 MB of the VENUE_A.answerMaximumBytes; a hundred would be 6.6 MB.
   */
  eventsPageMaximum: 20,
  /**
   * Pages of the venue's that one page of a list may read: enough for the 200 events a page may be
   * of, and two seconds at what the venue takes for one.
   */
  readsMaximum: 11,
  /** A page that is too large is asked for again with this part of its entries. */
  pageShrinkDivisor: 4,
  /** Tags shown of one market: most have five to ten. */
  tagsMaximum: 30,
  /** Addresses of pictures: the longest seen have 150 characters. */
  urlMaximumChars: 500,
  /**
   * Ids of tags and series found by their short names, kept because they do not change; a venue has
   * some thousands.
   */
  namesKeptMaximum: 1_000,
} as const;
