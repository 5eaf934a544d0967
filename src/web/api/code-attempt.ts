import { useState } from 'react';
import { type Attempt, useAttempt } from './attempt.ts';
import { Problem } from './problem.ts';

/** Refusals after which the same code of the same challenge is never taken. */
const FINAL: readonly string[] = ['code_invalid', 'code_expired'];

/**
 * Keeps a code from being sent twice: each sending of a wrong one uses up a try of its challenge,
 * and Enter easily follows a field that sends itself at its last digit.
 */
export class CodeGate {
  #sent: string | null = null;

  /** False while `proof` is under way, and after it was taken or refused. */
  isOpenFor(proof: string): boolean {
    return proof !== this.#sent;
  }

  /** Does the work that sends `proof`; opens again where its failure says nothing of the code. */
  async pass(proof: string, work: () => Promise<void>): Promise<void> {
    this.#sent = proof;
    try {
      await work();
    } catch (error) {
      const isFinal = error instanceof Problem && FINAL.includes(error.code);
      if (!isFinal && this.#sent === proof) this.#sent = null;
      throw error;
    }
  }
}

/** An attempt whose `makeWith` sends a code of a challenge once, until either changes. */
export function useCodeAttempt(): Attempt & {
  makeWith(challengeId: string, code: string, work: () => Promise<void>): Promise<void>;
} {
  const attempt = useAttempt();
  const [gate] = useState(() => new CodeGate());
  return {
    ...attempt,
    async makeWith(challengeId, code, work) {
      const proof = `${challengeId} ${code}`;
      if (gate.isOpenFor(proof)) await attempt.make(() => gate.pass(proof, work));
    },
  };
}
