/** Why something ended or waits: a sentence for people, and the words it was made of. */
export interface Reason {
  /** Null where there is nothing to explain. */
  readonly reason: string | null;
  /**
   * The venue's, the chain's or a contract's own words; null where it gave none. They are data,
   * never authority.
   */
  readonly venueReason: string | null;
}

/**
 * What words mean, first match first. A group, where there is one, holds the other side's words.
 */
export interface Meaning {
  readonly words: RegExp;
  readonly sentence: string;
  /** True where the words are this service's: only those of the group are the other side's. */
  readonly isOwn?: true;
}

/** Returns what words mean; null where none of the meanings is theirs. */
export function meaningOf(meanings: readonly Meaning[], words: string): Reason | null {
  for (const meaning of meanings) {
    const found = meaning.words.exec(words);
    if (found === null) continue;
    const [, own = null] = found;
    return { reason: meaning.sentence, venueReason: meaning.isOwn === true ? own : words };
  }
  return null;
}
