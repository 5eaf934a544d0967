import { isDeepStrictEqual } from 'node:util';

/** Collects what a scenario saw to be otherwise than right. */
export interface Findings {
  /** Compares whole values. `what` names the fact: "orders at the venue". */
  is(what: string, seen: unknown, right: unknown): void;
  /** Sentences of what is wrong so far; empty where all is right. */
  readonly wrong: readonly string[];
}

/** Begins a collection. */
export function createFindings(): Findings {
  const wrong: string[] = [];
  return {
    wrong,
    is(what, seen, right) {
      if (!isDeepStrictEqual(seen, right))
        wrong.push(`${what}: ${textOf(seen)} instead of ${textOf(right)}`);
    },
  };
}

/** Lives through one row and gives what was wrong; empty where all was right. */
export type Scenario = () => Promise<readonly string[]>;

function textOf(value: unknown): string {
  return (
    JSON.stringify(value, (_name, part: unknown) =>
      typeof part === 'bigint' ? String(part) : part,
    ) ?? 'nothing'
  );
}
