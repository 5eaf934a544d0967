import { SANDBOX } from '../../../config/limits/sandbox.ts';

/** Does what is asked under a name once, and gives each later call of that name the same answer. */
export type NamedCalls<T> = (name: string | undefined, act: () => T) => T;

/**
 * Creates the memory of names, the newest `SANDBOX.namedCallsMaximum`; calls without a name are all
 * done. What failed is forgotten: the next call of its name is done.
 */
export function createNamedCalls<T>(): NamedCalls<T> {
  const answers = new Map<string, T>();
  return (name, act) => {
    if (name === undefined) return act();
    const known = answers.get(name);
    if (known !== undefined) return known;
    const answer = act();
    answers.set(name, answer);
    if (answer instanceof Promise) answer.catch(() => answers.delete(name));
    const [oldest] = answers.keys();
    if (answers.size > SANDBOX.namedCallsMaximum && oldest !== undefined) answers.delete(oldest);
    return answer;
  };
}
