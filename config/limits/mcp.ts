/**
 * Every bound of the MCP server, each with its reason (mcp.md sections 4 to 7; the spec where it
 * says so).
 */
export const MCP = {
  /** Authenticated POSTs of one key a minute, whatever they ask: the spec's figure. */
  requestsPerMinute: 60,
  /**
   * Calls of one key a minute that may move money: a model in a loop is stopped before it has done
   * much.
   */
  moneyCallsPerMinute: 10,
  /**
   * Stops and cancels of one key a minute, beside its messages: who is out of messages stops still.
   */
  stopsPerMinute: 60,
  /**
   * POSTs of one address a minute without a key that holds: typing errors are few, guessing is not.
   */
  unauthenticatedPerMinute: 30,
  /** A key counts as active so long after its last call. */
  keyActiveMs: 300_000,
  /** Keys that are counted as active, some 100 bytes each. */
  activeKeysMaximum: 10_000,
  /** Calls of one key that run at a time. */
  callsRunningMaximum: 8,
  /** The longest a caller waits for one call; venues answer within ten seconds. */
  callTimeoutMs: 30_000,
  /**
   * Bytes of one message: the largest legal one is a launch with its description, a few kilobytes.
   */
  bodyMaximumBytes: 65_536,
  /** Of a larger one so much is read and dropped, so that its sender hears why it is refused. */
  droppedMaximumBytes: 1_048_576,
  /**
   * How long a client may keep the list of tools of its key; nothing but a new version of the
   * service changes it.
   */
  listTtlMs: 300_000,
  /** Entries on a page unless the caller says otherwise, and at most: a model reads all of it. */
  pageDefault: 10,
  pageMaximum: 100,
  /**
   * A page whose length the call did not state is asked for again with fewer entries beyond
   * this: about 1,200 tokens, which leaves a model room for a day of them.
   */
  pageChars: 4_700,
  /** No answer is longer, whatever was asked for: about 5,000 tokens. */
  answerChars: 19_800,
  /** Times it is asked for again: each time with as many entries as fitted on average. */
  pageTriesMaximum: 3,
  /** Text from outside is cut after this many characters: a title fits, an essay does not. */
  outsideTextChars: 200,
  /**
   * Rules of a market where they are asked for: twice the longest that were recorded, and what is
   * at stake is written in the last line as often as in the first.
   */
  longTextChars: 4_000,
  /** Markets of an event in a list: the rest is listed by the event. */
  eventMarkets: 3,
  /** Positions, and things under way, in a summary: the lists show the rest. */
  summaryRows: 8,
  /** View-only venues, and positions there: nothing is done about them here. */
  viewedRows: 2,
  /** Periods of a price's history, the newest: a day of hours, and some. */
  periods: 30,
  /** Levels of a book on each side: deeper ones decide of no order that an assistant places. */
  bookLevels: 10,
} as const;

/** Orders of assistants that wait for their person. */
export const CONFIRMATION = {
  /** How long one waits: a push comes within seconds, and prices move on. */
  waitsMs: 5 * 60_000,
  /** Of one user at a time: more is no question any more. */
  waitingMaximum: 10,
  /** Of one user, ended ones included: the list stays readable and the table bounded. */
  keptMaximum: 100,
} as const;
