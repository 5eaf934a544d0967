/** Bounds of what is shown of markets to choose from. */
export const LISTING = {
  /**
   * A listing's own prices are shown, with their age, until then: the venue's caches may be 300 s behind (venue_a.md
   * section 10), three times that is no price of now.
   */
  pricesShownMs: 900_000,
  /** The middle of a book says how likely an outcome is while its sides are this near: 0.10, from where on the venue too shows no middle. */
  spreadForMiddleMaximumTicks: 1_000,
  /** Rules of a market: the longest recorded have 2,600 characters; a page holds up to a hundred of them. */
  rulesMaximumChars: 4_000,
  /** Tags shown of one market: most have five to ten. */
  tagsMaximum: 30,
  /** Addresses of pictures: the longest seen have 150 characters. */
  urlMaximumChars: 500,
  /** Ids of tags and series found by their short names, kept because they do not change; a venue has some thousands. */
  namesKeptMaximum: 1_000,
} as const;
