import type { Decision } from '../../../domain/agent.ts';
import type { DecisionBasis } from '../../../domain/decision-basis.ts';
import type { AgentId } from '../../../domain/ids.ts';
import { type DecidedBy, decideAgain } from '../../../domain/strategy/decide-again.ts';
import type { Output } from '../../api/routes.ts';
import { bytesIn, sha256 } from './hashing.ts';

type Replay = Output<'GET /api/agents/:agent/decisions/:id/replay'>;

/** What a browser finds when it looks at a receipt for itself. */
export interface Verdict {
  /** Whether the text of the journal's entry has the hash that its link states. */
  readonly isChained: boolean;
  /** What the receipt holds to decide by; null where no strategy decided, or an older one. */
  readonly decidedBy: DecidedBy | null;
  /** What the strategy said then; null as `decidedBy`. */
  readonly said: Decision | null;
  /** What the same code says now over the same inputs; null where it is no more. */
  readonly again: Decision | null;
}

/** What of a receipt in the journal's own words is looked at. */
interface Recorded {
  readonly agentId: AgentId;
  readonly strategy: DecidedBy['strategy'];
  readonly decision: Decision;
  readonly basis?: DecisionBasis;
}

/**
 * Hashes the entry anew and decides again by the inputs **in it**, with the code that the daemon
 * runs: what the answer says beside the entry is not believed.
 */
export async function replay({ decision: { chain }, text }: Replay): Promise<Verdict> {
  const isChained =
    chain !== null && (await linkHash(chain.previousHash, chain.seq, text)) === chain.hash;
  const recorded = recordedIn(text);
  if (recorded?.basis === undefined) return { isChained, decidedBy: null, said: null, again: null };
  const { agentId, strategy, basis, decision } = recorded;
  const decidedBy = { agentId, strategy, basis };
  return { isChained, decidedBy, said: basis.said ?? decision, again: decideAgain(decidedBy) };
}

/** Hash of a link of the journal: of the one before, its number, and its text. */
export async function linkHash(previousHash: string, seq: number, text: string): Promise<string> {
  const place = new Uint8Array(8);
  new DataView(place.buffer).setBigUint64(0, BigInt(seq));
  return sha256(bytesIn(previousHash), place, new TextEncoder().encode(text));
}

/** True where two decisions are the same to the last criterion. */
export function isSame(one: Decision | null, other: Decision | null): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

/** A number that was decided by: where it is in the basis, and what it was. */
export interface InputNumber {
  readonly path: readonly string[];
  readonly value: number;
}

/** Numbers that name something: another one would be no other input. */
const NAMING: ReadonlySet<string> = new Set(['topicId']);

/** Every number of a basis that a decision may hang on, in their order. */
export function numbersOf(basis: DecisionBasis): readonly InputNumber[] {
  const { version: _version, said: _said, ...judged } = basis;
  return leaves(judged, []);
}

function leaves(value: unknown, path: readonly string[]): readonly InputNumber[] {
  if (typeof value === 'number') return [{ path, value }];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, each]) =>
    NAMING.has(key) ? [] : leaves(each, [...path, key]),
  );
}

/** A basis with one of its numbers changed. */
export function withNumber(
  basis: DecisionBasis,
  path: readonly string[],
  value: number,
): DecisionBasis {
  // a path that `numbersOf` gave leads to a number, so the shape stays
  return changed(basis, path, value) as DecisionBasis;
}

function changed(node: unknown, [key, ...rest]: readonly string[], value: number): unknown {
  if (key === undefined) return value;
  if (Array.isArray(node))
    return node.map((each: unknown, index) =>
      String(index) === key ? changed(each, rest, value) : each,
    );
  return { ...Object(node), [key]: changed(Object(node)[key], rest, value) };
}

function recordedIn(text: string): Recorded | null {
  const entry: unknown = JSON.parse(text);
  if (typeof entry !== 'object' || entry === null) return null;
  // the daemon's own entry, of the types it was written by: `decision.made` or `signal.judged`
  const { decision, receipt } = entry as {
    readonly decision?: Recorded;
    readonly receipt?: Recorded;
  };
  return decision ?? receipt ?? null;
}
