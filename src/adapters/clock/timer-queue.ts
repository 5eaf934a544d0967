import type { Timer } from '../../ports/clock.ts';

/** A timer that waits in a queue. */
interface Waiting {
  readonly dueMs: number;
  readonly order: number;
  /** Null once it was taken out: whoever keeps the timer must not keep what it would have run. */
  run: (() => void) | null;
  /** Its index in the heap, GONE once it was taken out. */
  place: number;
}

const GONE = -1;

/**
 * Timers in the order they fall due; equal moments keep the order in which they were set. A binary
 * heap, so ten thousand waiting agents cost one native timer. Each knows its place, so a cancelled
 * one is taken out at once: the queue holds the timers that are alive, and never has to be gone
 * through as a whole, which with a hundred thousand would hold the event loop.
 */
export class TimerQueue {
  readonly #heap: Waiting[] = [];
  #nextOrder = 0;

  /** Timers that are set and not cancelled. */
  get size(): number {
    return this.#heap.length;
  }

  /** Adds a timer that falls due at `dueMs`. */
  add(dueMs: number, run: () => void): Timer {
    const waiting: Waiting = { dueMs, order: this.#nextOrder, run, place: this.#heap.length };
    this.#nextOrder += 1;
    this.#heap.push(waiting);
    this.#rise(waiting);
    return { cancel: () => this.#remove(waiting) };
  }

  /** When the next timer falls due; null when none waits. */
  nextDueMs(): number | null {
    return this.#heap[0]?.dueMs ?? null;
  }

  /** Marks this moment: `takeDue` with the mark leaves out timers added later. */
  mark(): number {
    return this.#nextOrder;
  }

  /**
   * Takes out the next timer that is due at `nowMs` and was set before `mark`; null when none is.
   */
  takeDue(
    nowMs: number,
    mark = Number.POSITIVE_INFINITY,
  ): { readonly dueMs: number; readonly run: () => void } | null {
    const head = this.#heap[0];
    if (head === undefined || head.dueMs > nowMs || head.order >= mark || head.run === null)
      return null;
    const { dueMs, run } = head;
    this.#remove(head);
    return { dueMs, run };
  }

  /**
   * Takes a timer out, if it is still there: the last one takes its place and moves to where it
   * belongs.
   */
  #remove(waiting: Waiting): void {
    const { place } = waiting;
    if (place === GONE) return;
    waiting.place = GONE;
    waiting.run = null;
    const last = this.#heap.pop();
    if (last === undefined || last === waiting) return;
    this.#put(last, place);
    this.#rise(last);
    this.#sink(last);
  }

  #rise(waiting: Waiting): void {
    for (;;) {
      const { place } = waiting;
      const above = place === 0 ? undefined : this.#heap[(place - 1) >> 1];
      if (above === undefined || !comesBefore(waiting, above)) return;
      this.#put(waiting, above.place);
      this.#put(above, place);
    }
  }

  #sink(waiting: Waiting): void {
    for (;;) {
      const { place } = waiting;
      const below = this.#firstBelow(place);
      if (below === undefined || !comesBefore(below, waiting)) return;
      this.#put(waiting, below.place);
      this.#put(below, place);
    }
  }

  /** Whichever comes first of the two below a place; undefined without one. */
  #firstBelow(place: number): Waiting | undefined {
    const left = this.#heap[place * 2 + 1];
    const right = this.#heap[place * 2 + 2];
    return left !== undefined && right !== undefined && comesBefore(right, left) ? right : left;
  }

  #put(waiting: Waiting, place: number): void {
    this.#heap[place] = waiting;
    waiting.place = place;
  }
}

function comesBefore(a: Waiting, b: Waiting): boolean {
  return a.dueMs === b.dueMs ? a.order < b.order : a.dueMs < b.dueMs;
}
