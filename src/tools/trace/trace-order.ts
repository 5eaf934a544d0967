import { createReadStream, existsSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { TRACE } from '../../../config/limits/journal.ts';
import type { JournalReader, RawCommit } from '../../adapters/lmdb/journal-reader.ts';
import { AppError } from '../../domain/errors.ts';

/** A fact of the journal that is of an order. */
interface TracedFact {
  readonly seq: number;
  /** The commit it is in: what has one number was stored together or not at all. */
  readonly frame: number;
  readonly type: string;
  /** As the daemon stamped it: of orders and fills, market time. */
  readonly atMs: number;
  /** Its other fields as JSON. */
  readonly detail: string;
}

/** What a data folder has of one order, each part oldest first. */
export interface OrderTrace {
  /** The id under which we know it, those of its attempts at the venue, of decision and trades. */
  readonly names: readonly string[];
  /** Its trace at the receiver of traces, 32 hex digits; null where nothing was traced. */
  readonly traceId: string | null;
  readonly facts: readonly TracedFact[];
  /** Lines of the daemon's log, as written. */
  readonly lines: readonly string[];
  /** How many of both there are beyond the newest that are given. */
  readonly left: number;
}

/** Fields of facts about orders that hold names under which other facts and lines speak of one. */
const NAME_FIELD = /"(?:intentId|attemptId|orderId|decisionId|tradeId|transactionHash)":"([^"]+)"/g;
const INTENT = /"intentId":"([^"]+)"/;
/** Facts that are of one order alone: their names are its names. */
const OF_ONE_ORDER = new Set([
  'order.intended',
  'order.signed',
  'order.changed',
  'fill.recorded',
  'fill.settled',
]);

/**
 * Collects what a data folder has of the order that has `id` as one of its names: our own (`int_…`)
 * or one of the venue's. Reads the log three times. Errors: `not_found`.
 */
export async function traceOrder(
  reader: Pick<JournalReader, 'commits'>,
  folder: string,
  id: string,
): Promise<OrderTrace> {
  const names = namesOf(reader, intentOf(reader, id));
  const facts = new Newest<TracedFact>();
  let traceId: string | null = null;
  for (const commit of reader.commits())
    for (const fact of factsIn(commit)) {
      if (!hasOne(fact.text, names)) continue;
      facts.add(tracedOf(fact));
      if (OF_ONE_ORDER.has(fact.type)) traceId ??= TRACEPARENT.exec(fact.text)?.[1] ?? null;
    }
  const lines = new Newest<string>();
  const file = join(folder, 'predictd.log');
  if (existsSync(file))
    for await (const line of createInterface({ input: createReadStream(file) }))
      if (hasOne(line, names)) lines.add(line);
  return {
    names: [...names],
    traceId,
    facts: facts.kept(),
    lines: lines.kept(),
    left: facts.left() + lines.left(),
  };
}

/** What was given, for a sentence: cut where it is longer than an id is. */
export function inShort(given: string): string {
  return given.length > TRACE.givenChars ? `${given.slice(0, TRACE.givenChars)}…` : given;
}

/** Errors: `not_found`. */
function intentOf(reader: Pick<JournalReader, 'commits'>, id: string): string {
  const wanted = new Set([id]);
  for (const { text } of orderFactsIn(reader)) {
    const [, intentId] = INTENT.exec(text) ?? [];
    if (intentId !== undefined && hasOne(text, wanted)) return intentId;
  }
  throw new AppError('not_found', `no order of this data folder has the id ${inShort(id)}`);
}

function namesOf(reader: Pick<JournalReader, 'commits'>, intentId: string): ReadonlySet<string> {
  const names = new Set([intentId]);
  for (const { text } of orderFactsIn(reader))
    if (INTENT.exec(text)?.[1] === intentId)
      for (const [, name] of text.matchAll(NAME_FIELD)) if (name !== undefined) names.add(name);
  return names;
}

function* orderFactsIn(reader: Pick<JournalReader, 'commits'>): Generator<Fact, void> {
  for (const commit of reader.commits())
    for (const fact of factsIn(commit)) if (OF_ONE_ORDER.has(fact.type)) yield fact;
}

interface Fact {
  readonly seq: number;
  readonly frame: number;
  readonly type: string;
  readonly text: string;
}

function factsIn({ frame, entries }: RawCommit): readonly Fact[] {
  return entries.map(({ seq, text }) => ({
    seq,
    frame,
    text,
    type: /"type":"([^"]+)"/.exec(text)?.[1] ?? 'unknown',
  }));
}

function tracedOf({ seq, frame, type, text }: Fact): TracedFact {
  // The journal's own text: a JSON object with a type and a time.
  const {
    type: _type,
    atMs,
    userId: _user,
    ...rest
  } = JSON.parse(text) as { atMs: number } & {
    readonly [field: string]: unknown;
  };
  return { seq, frame, type, atMs, detail: JSON.stringify(rest) };
}

/** Each name in quotes, as JSON has it: no id is found as a part of another. */
function hasOne(text: string, names: ReadonlySet<string>): boolean {
  for (const name of names) if (text.includes(`"${name}"`)) return true;
  return false;
}

/** As the record of the order has it. */
const TRACEPARENT = /"traceparent":"00-([0-9a-f]{32})-/;

/** The newest of many, and how many are left out. */
class Newest<T> {
  readonly #kept: T[] = [];
  #left = 0;

  add(one: T): void {
    this.#kept.push(one);
    if (this.#kept.length <= TRACE.linesMaximum) return;
    this.#kept.shift();
    this.#left += 1;
  }

  kept(): readonly T[] {
    return this.#kept;
  }

  left(): number {
    return this.#left;
  }
}
