/** Bids of agents: limit entries that rest at the venue. */
export const BID = {
  /**
   * A bid whose worth was unknown for this long is taken back: three evaluation windows, in
   * which the market has moved on.
   */
  unjudgedMaximumMs: 30_000,
  /**
   * Our own cancel follows the expiry at the venue by this: its clock and its safety minute are its
   * own (venue_a.md section 6.2).
   */
  endGraceMs: 5_000,
} as const;
