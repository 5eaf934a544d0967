import type { BookView } from '../../domain/book.ts';
import type { TokenId } from '../../domain/ids.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Random } from '../../ports/random.ts';

/** Returns the id of a new stream of messages: a safe integer above every one before it. */
export type NewEpoch = () => number;

/** A state and its number: `seq` goes up by one from state to state of an epoch. */
export interface Numbered<T> {
  readonly epoch: number;
  readonly seq: number;
  /** Null where nothing is known. */
  readonly state: T | null;
}

/** Epochs that may begin within one second without overtaking the clock. */
const EPOCHS_PER_SECOND = 2 ** 20;

/**
 * Creates the source of epochs. They start at the wall's second, so that a restart goes on above
 * those before it, and at a random place within it, so that a clock that was set back does not
 * repeat them; safe integers until the year 2242.
 */
export function createEpochs(wallClock: Pick<Clock, 'nowMs'>, random: Random): NewEpoch {
  const second = Math.floor(wallClock.nowMs() / 1_000);
  let newest = second * EPOCHS_PER_SECOND + random.integer(EPOCHS_PER_SECOND);
  return () => (newest += 1);
}

/** The numbers of books, the same in messages of topics and in single answers. */
export interface StreamNumbers {
  readonly newEpoch: NewEpoch;
  /** A topic has come to show this state of a book. */
  show(book: Numbered<BookView>, topic: string): void;
  /** The topic shows no book any more. */
  hide(topic: string): void;
  /**
   * Returns a live book as a single answer states it. Where a topic shows the book and trusts it,
   * that is the state its readers heard last, under its number; else the book as it is, in an epoch
   * of its own.
   */
  answer(live: BookView): BookView;
  /** Returns a book that was fetched for answers alone, in an epoch of its own. */
  fetched(book: BookView): BookView;
}

/** Creates the numbers; a book that is shown under two names is answered as the first shows it. */
export function createStreamNumbers(newEpoch: NewEpoch): StreamNumbers {
  const shown = new Map<TokenId, { readonly topic: string; readonly book: BookView }>();
  const tokens = new Map<string, TokenId>();
  /** The same object is the same state: it is asked for many times between two changes. */
  const answered = new WeakMap<BookView, BookView>();

  function fetched(book: BookView): BookView {
    return { ...book, epoch: newEpoch(), seq: 0 };
  }

  return {
    newEpoch,
    show({ epoch, seq, state }, topic) {
      if (state === null) return this.hide(topic);
      const { tokenId } = state;
      if ((shown.get(tokenId)?.topic ?? topic) !== topic) return;
      shown.set(tokenId, { topic, book: { ...state, epoch, seq } });
      tokens.set(topic, tokenId);
    },
    hide(topic) {
      const tokenId = tokens.get(topic);
      if (tokenId === undefined) return;
      tokens.delete(topic);
      shown.delete(tokenId);
    },
    answer(live) {
      const book = shown.get(live.tokenId)?.book;
      if (book?.distrust === null) return book;
      const known = answered.get(live) ?? fetched(live);
      answered.set(live, known);
      return known;
    },
    fetched,
  };
}
