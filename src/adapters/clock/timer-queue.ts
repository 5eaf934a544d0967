import type { Timer } from '../../ports/clock.ts';

/** A timer that waits in a queue. */
interface Waiting {
  readonly dueMs: number;
  readonly order: number;
  run: (() => void) | null;
}

/** Below this many entries cancelled ones are not worth a sweep. */
const SWEEP_FROM = 64;

/**
 * Timers in the order they fall due; equal moments keep the order in which they were set. A binary heap, so ten thousand
 * waiting agents cost one native timer. Cancelled entries are swept when they are the majority: the queue stays bounded
 * by the timers that are alive.
 */
export class TimerQueue {
  #heap: Waiting[] = [];
  #nextOrder = 0;
  #cancelled = 0;

  /** Timers that are set and not cancelled. */
  get size(): number {
    return this.#heap.length - this.#cancelled;
  }

  /** Adds a timer that falls due at `dueMs`. */
  add(dueMs: number, run: () => void): Timer {
    const waiting: Waiting = { dueMs, order: this.#nextOrder, run };
    this.#nextOrder += 1;
    this.#heap.push(waiting);
    this.#rise(this.#heap.length - 1);
    return { cancel: () => this.#cancel(waiting) };
  }

  /** When the next timer falls due; null when none waits. */
  nextDueMs(): number | null {
    this.#dropCancelledHead();
    return this.#heap[0]?.dueMs ?? null;
  }

  /** Marks this moment: `takeDue` with the mark leaves out timers added later. */
  mark(): number {
    return this.#nextOrder;
  }

  /** Takes out the next timer that is due at `nowMs` and was set before `mark`; null when none is. */
  takeDue(nowMs: number, mark = Number.POSITIVE_INFINITY): { readonly dueMs: number; readonly run: () => void } | null {
    this.#dropCancelledHead();
    const head = this.#heap[0];
    if (head === undefined || head.dueMs > nowMs || head.order >= mark || head.run === null) return null;
    const { run } = head;
    head.run = null;
    this.#removeHead();
    return { dueMs: head.dueMs, run };
  }

  #cancel(waiting: Waiting): void {
    if (waiting.run === null) return;
    waiting.run = null;
    this.#cancelled += 1;
    if (this.#heap.length > SWEEP_FROM && this.#cancelled > this.#heap.length / 2) this.#sweep();
  }

  #sweep(): void {
    this.#heap = this.#heap.filter(({ run }) => run !== null).sort((a, b) => (comesBefore(a, b) ? -1 : 1));
    this.#cancelled = 0;
  }

  #dropCancelledHead(): void {
    while (this.#heap[0]?.run === null) {
      this.#removeHead();
      this.#cancelled -= 1;
    }
  }

  #removeHead(): void {
    const last = this.#heap.pop();
    if (last === undefined || this.#heap.length === 0) return;
    this.#heap[0] = last;
    this.#sink(0);
  }

  #rise(from: number): void {
    let index = from;
    while (index > 0) {
      const parent = (index - 1) >> 1;
      if (!this.#swapWhenBefore(index, parent)) return;
      index = parent;
    }
  }

  #sink(from: number): void {
    let index = from;
    for (;;) {
      const left = index * 2 + 1;
      const right = left + 1;
      const smaller = right < this.#heap.length && this.#isBefore(right, left) ? right : left;
      if (smaller >= this.#heap.length || !this.#swapWhenBefore(smaller, index)) return;
      index = smaller;
    }
  }

  #isBefore(index: number, other: number): boolean {
    const a = this.#heap[index];
    const b = this.#heap[other];
    return a !== undefined && b !== undefined && comesBefore(a, b);
  }

  #swapWhenBefore(child: number, parent: number): boolean {
    const below = this.#heap[child];
    const above = this.#heap[parent];
    if (below === undefined || above === undefined || !comesBefore(below, above)) return false;
    this.#heap[child] = above;
    this.#heap[parent] = below;
    return true;
  }
}

function comesBefore(a: Waiting, b: Waiting): boolean {
  return a.dueMs === b.dueMs ? a.order < b.order : a.dueMs < b.dueMs;
}
