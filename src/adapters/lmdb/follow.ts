import type { Frame } from '../../ports/commit-log.ts';
import { readerOf } from '../../domain/user-topic.ts';
import { linksOf, textOfFact } from '../memory/journal-chain.ts';
import { recordName } from '../memory/record-name.ts';
import { endOfTurn } from './environment.ts';
import type { Applied, AppliedPart, LmdbTables } from './lmdb-tables.ts';
import { RecentChanges } from './recent-changes.ts';
import { storeCorrupt } from './store-errors.ts';

/** How the log is taken in. */
export interface Following {
  /** Number of the last frame to take in; infinite for all there are. */
  readonly upTo: number;
  /** Bytes of the log in one commit of LMDB, or one frame. */
  readonly atOnce: number;
  /**
   * Names of the records that came and went within these frames: whoever reads LMDB in between must
   * never meet them, as they are not hidden.
   */
  readonly passed?: ReadonlySet<string>;
}

/**
 * Brings LMDB up to date with frames of the log behind those it has, other work going on between
 * its commits. Errors: `store_corrupt` when they do not continue the journal; what LMDB throws.
 */
export async function follow(
  tables: LmdbTables,
  frames: Iterable<Frame>,
  { upTo, atOnce, passed = new Set() }: Following,
): Promise<void> {
  let part = emptyPart(tables.applied());
  if (part.applied.seq >= upTo) return;
  for (const frame of frames) {
    takeIn(part, frame, { passed, path: tables.path });
    const isLast = frame.seq >= upTo;
    if (part.bytes >= atOnce || isLast) {
      tables.write({ ...part, records: part.recent.records() });
      await endOfTurn();
      part = emptyPart(part.applied);
    }
    if (isLast) return;
  }
  if (part.bytes > 0) tables.write({ ...part, records: part.recent.records() });
  // What LMDB has not is not to be forgotten by whoever has it in memory.
  if (upTo < Number.POSITIVE_INFINITY)
    throw storeCorrupt(tables.path, `its log ends with frame ${part.applied.seq}, not ${upTo}`);
}

/** Frames that are to be one commit of LMDB. */
interface Part {
  readonly recent: RecentChanges;
  readonly links: AppliedPart['links'][number][];
  readonly facts: AppliedPart['facts'][number][];
  applied: Applied;
  bytes: number;
}

function emptyPart(applied: Applied): Part {
  return { recent: new RecentChanges(), links: [], facts: [], applied, bytes: 0 };
}

/** Errors: `store_corrupt` where a frame is not the next one of a log that goes so far. */
export function assertContinues(
  path: string,
  { seq, hash, fact, link }: Applied,
  next: Pick<Frame, 'seq' | 'previous' | 'link' | 'firstFact'>,
): void {
  const follows = next.seq === seq + 1 && next.previous === hash;
  if (!follows || next.link !== link || next.firstFact !== fact + 1)
    throw storeCorrupt(path, `its log does not continue the journal at entry ${next.firstFact}`);
}

function takeIn(
  part: Part,
  { seq, previous, hash, firstFact, link, facts, records, bytes }: Frame,
  { passed, path }: { readonly passed: ReadonlySet<string>; readonly path: string },
): void {
  const { applied } = part;
  assertContinues(path, applied, { seq, previous, link, firstFact });
  for (const [table, key, version, value] of records) {
    const name = recordName(table, key);
    if (!passed.has(name)) part.recent.set(table, name, { key, version, value });
  }
  const texts = facts.map(textOfFact);
  for (const [index, event] of facts.entries()) {
    const reader = readerOf(event);
    if (reader !== null)
      part.facts.push({
        reader,
        seq: firstFact + index,
        atMs: event.atMs,
        text: texts[index] ?? '',
      });
  }
  const links = linksOf(link, firstFact, texts);
  for (const [index, each] of links.entries())
    part.links.push({ seq: firstFact + index, hash: each, frame: seq });
  part.applied = { seq, hash, fact: applied.fact + facts.length, link: links.at(-1) ?? link };
  part.bytes += bytes;
}
