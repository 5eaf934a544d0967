import { describe, expect, it } from 'vitest';
import { CodeGate } from '../../../src/web/api/code-attempt.ts';
import { noAnswer, Problem } from '../../../src/web/api/problem.ts';

const refusedAs = (code: string, status: number) =>
  new Problem({ status, code, title: 'Refused', message: 'Refused.' });

async function failed(gate: CodeGate, proof: string, error: Error): Promise<void> {
  await expect(gate.pass(proof, () => Promise.reject(error))).rejects.toBe(error);
}

describe('a code that is typed', () => {
  it('is not sent again while it is under way, and another one is', async () => {
    const gate = new CodeGate();
    let answer = (): void => undefined;
    const sending = gate.pass('a 111111', () => new Promise((resolve) => (answer = resolve)));
    expect(gate.isOpenFor('a 111111')).toBe(false);
    expect(gate.isOpenFor('a 111112')).toBe(true);
    answer();
    await sending;
    expect(gate.isOpenFor('a 111111')).toBe(false);
  });

  it.each([
    ['code_invalid', 422],
    ['code_expired', 410],
  ])(
    'is not sent again after %s, but the same digits of a new challenge are',
    async (code, status) => {
      const gate = new CodeGate();
      await failed(gate, 'a 111111', refusedAs(code, status));
      expect(gate.isOpenFor('a 111111')).toBe(false);
      expect(gate.isOpenFor('b 111111')).toBe(true);
    },
  );

  it('is sent again where no answer came, or the refusal was of something else', async () => {
    const gate = new CodeGate();
    for (const error of [noAnswer(null), refusedAs('rate_limited', 429)]) {
      await failed(gate, 'a 111111', error);
      expect(gate.isOpenFor('a 111111')).toBe(true);
    }
  });
});
