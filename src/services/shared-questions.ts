import type { Clock } from '../ports/clock.ts';

/** Asks, or gives the answer somebody else has just got or is about to get under the same name. */
export type SharedQuestions = <T>(name: string, ask: () => Promise<T>) => Promise<T>;

interface Shared {
  readonly untilMs: number;
  readonly answer: Promise<unknown>;
}

/** Shares running and recent questions by name: `keptMs` from the asking. Failures are not kept. At most `keptMaximum` are remembered. */
export function createSharedQuestions({ clock, keptMs, keptMaximum }: { readonly clock: Clock; readonly keptMs: number; readonly keptMaximum: number }): SharedQuestions {
  const answers = new Map<string, Shared>();
  return <T>(name: string, ask: () => Promise<T>): Promise<T> => {
    const nowMs = clock.nowMs();
    const known = answers.get(name);
    // the name says which question was asked, so the answer kept under it is of that question's type
    if (known !== undefined && known.untilMs > nowMs) return known.answer as Promise<T>;
    const answer = ask();
    answers.delete(name);
    answers.set(name, { untilMs: nowMs + keptMs, answer });
    answer.catch(() => {
      if (answers.get(name)?.answer === answer) answers.delete(name);
    });
    const [oldest] = answers.keys();
    if (answers.size > keptMaximum && oldest !== undefined) answers.delete(oldest);
    return answer;
  };
}
