import { useState } from 'react';
import { Problem } from './problem.ts';

/** One press at a time: whether it is under way, and how it was refused. */
export interface Attempt {
  readonly isBusy: boolean;
  readonly problem: Problem | null;
  /** Does the work; a refusal becomes `problem`, any other error is thrown on. */
  make(work: () => Promise<void>): Promise<void>;
  /** Forgets the last refusal. */
  clear(): void;
}

/** State of a button or form that calls the daemon. */
export function useAttempt(): Attempt {
  const [isBusy, setBusy] = useState(false);
  const [problem, setProblem] = useState<Problem | null>(null);
  return {
    isBusy,
    problem,
    async make(work) {
      setBusy(true);
      setProblem(null);
      try {
        await work();
      } catch (error) {
        if (!(error instanceof Problem)) throw error;
        setProblem(error);
      } finally {
        setBusy(false);
      }
    },
    clear: () => setProblem(null),
  };
}
