import type { Clock } from '../ports/clock.ts';

/** Asks, or gives the answer another caller has just got or is about to get under the same name. */
export interface SharedQuestions {
  /** `keptMs` absent: that of all questions. */
  <T>(name: string, ask: () => Promise<T>, keptMs?: number): Promise<T>;
  /**
   * The answer under the name that is being got or still good; null where the question would have
   * to be asked.
   */
  recent<T>(name: string): Promise<T> | null;
}

interface Shared {
  /** Infinity while it is being asked. */
  untilMs: number;
  readonly answer: Promise<unknown>;
}

/** Shares running and recent questions by name. */
export function createSharedQuestions({
  clock,
  keptMs: keptUsuallyMs,
  absentKeptMs = keptUsuallyMs,
  failedKeptMs = 0,
  keptMaximum,
}: {
  readonly clock: Clock;
  /** How long an answer is good, from the asking, as those below. */
  readonly keptMs: number;
  /** Of an answer that says "absent" (null); absent: `keptMs`. */
  readonly absentKeptMs?: number;
  /** Of a failure; absent: none is kept. */
  readonly failedKeptMs?: number;
  /** Questions remembered; beyond it the one asked longest ago is forgotten. */
  readonly keptMaximum: number;
}): SharedQuestions {
  const answers = new Map<string, Shared>();

  function recent<T>(name: string): Promise<T> | null {
    const known = answers.get(name);
    // the name says which question was asked, so the answer kept under it is of that question's
    // type
    return known !== undefined && known.untilMs > clock.nowMs()
      ? (known.answer as Promise<T>)
      : null;
  }

  function shared<T>(
    name: string,
    ask: () => Promise<T>,
    keptMs: number = keptUsuallyMs,
  ): Promise<T> {
    const known = recent<T>(name);
    if (known !== null) return known;
    const askedAtMs = clock.nowMs();
    const answer = ask();
    const entry: Shared = { untilMs: Number.POSITIVE_INFINITY, answer };
    answers.delete(name);
    answers.set(name, entry);
    answer.then(
      (value) => void (entry.untilMs = askedAtMs + (value === null ? absentKeptMs : keptMs)),
      () => {
        entry.untilMs = askedAtMs + failedKeptMs;
        if (failedKeptMs === 0 && answers.get(name) === entry) answers.delete(name);
      },
    );
    const [oldest] = answers.keys();
    if (answers.size > keptMaximum && oldest !== undefined) answers.delete(oldest);
    return answer;
  }
  return Object.assign(shared, { recent });
}
