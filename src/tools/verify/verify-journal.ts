import { AGENT } from '../../../config/limits.ts';
import {
  openJournalReader,
  type JournalReader,
  type RawEntry,
} from '../../adapters/lmdb/journal-reader.ts';
import { dataFileCorrupt } from '../../adapters/lmdb/store-errors.ts';
import { FIRST_LINK, linkOf } from '../../adapters/memory/journal-chain.ts';
import { AppError } from '../../domain/errors.ts';
import type { DomainEvent } from '../../domain/events.ts';
import type { ChainLink } from '../../ports/store.ts';
import { createReceiptCheck } from './verify-receipts.ts';
import { createRecordCheck } from './verify-records.ts';
import { createTreeCheck, type NotedRoot } from './verify-tree.ts';

/**
 * Something that is not as it was written; `seq` is the number of the journal entry it concerns.
 */
export interface JournalFinding {
  readonly seq: number;
  readonly what: string;
}

/** What a verification found. */
export interface JournalReport {
  readonly entries: number;
  /** Receipts of decisions, own and shared, compared with the journal. */
  readonly receipts: number;
  /** The newest link that could be reached. */
  readonly head: ChainLink;
  /** The number in the folder's own note of the head; null when it has none. */
  readonly anchoredSeq: number | null;
  /** One for each entry concerned, in order, the first FINDINGS_SHOWN. */
  readonly findings: readonly JournalFinding[];
  /** Entries with a finding, those not listed included. */
  readonly found: number;
}

/** Findings listed: a journal rewritten from the middle has one for each entry behind. */
const FINDINGS_SHOWN = 50;

/**
 * Checks a store's journal against its chain, its heads, the tree over it, its receipts and the
 * records that LMDB has of it, changing nothing. `noted` and `roots` are heads and roots kept
 * elsewhere, such as those in the log of the daemon. Errors: `store_corrupt` when the folder cannot
 * be read at all.
 */
export async function verifyJournal(
  path: string,
  noted: readonly ChainLink[] = [],
  roots: readonly NotedRoot[] = [],
): Promise<JournalReport> {
  const reader = await openJournalReader(path);
  try {
    return checkAll(reader, noted, roots);
  } catch (cause) {
    if (cause instanceof AppError) throw cause;
    throw dataFileCorrupt(path, cause instanceof Error ? cause.message : String(cause), cause);
  } finally {
    await reader.close();
  }
}

/** In one turn, so that LMDB shows one moment. */
function checkAll(
  reader: JournalReader,
  noted: readonly ChainLink[],
  roots: readonly NotedRoot[],
): JournalReport {
  const findings = new Map<number, string>();
  const find = (seq: number, what: string): void =>
    void (findings.has(seq) || findings.set(seq, what));
  const receipts = createReceiptCheck(reader, find, AGENT.signalReceiptsKeptMs);
  const records = createRecordCheck(reader, find);
  const tree = createTreeCheck(reader, find, roots);
  const heads = [
    ...noted,
    ...(reader.anchor === null || reader.anchor === 'damaged' ? [] : [reader.anchor]),
    ...(reader.head.seq === 0 ? [] : [reader.head]),
  ];
  const walk = createWalk({
    heads,
    find,
    take(entry) {
      const event = eventOf(entry);
      if (event === null) find(entry.seq, 'is not the text of a fact');
      else receipts.take(entry.seq, event);
    },
  });
  for (const commit of reader.commits()) {
    if (commit.firstSeq === walk.last().seq + 1 && !walk.follows(commit.head))
      find(commit.firstSeq, 'follows another history in the log than the one before it');
    for (const entry of commit.entries) {
      walk.reach(entry);
      tree.take(walk.last());
    }
    records.take(commit);
  }
  const last = walk.last();
  for (const { file, byte, kind, seq } of reader.faults()) {
    find(
      Math.max(seq, kind === 'cut' ? last.seq + 1 : 1),
      kind === 'cut'
        ? `and what follows: the log ${file} ends at byte ${byte} in half a commit; a power failure leaves that of one that was never acknowledged, anything else is damage`
        : `and what follows in ${file} cannot be read: it is damaged at byte ${byte}`,
    );
  }
  for (const head of heads) {
    if (head.seq > last.seq)
      find(
        last.seq + 1,
        `is missing, and so is all up to ${head.seq}: the journal was cut, its head has been noted with entry ${head.seq}`,
      );
  }
  if (reader.anchor === 'damaged')
    find(last.seq, 'is the newest, and the file journal.head that should say so is damaged');
  receipts.finish(last.seq);
  tree.finish(last.seq);
  // What a log that cannot be read whole made of its records is unknown.
  if (reader.faults().length === 0) records.finish(last.seq);
  const found = [...findings]
    .sort(([one], [other]) => one - other)
    .map(([seq, what]) => ({ seq, what }));
  return {
    entries: last.seq,
    receipts: receipts.count(),
    head: last,
    found: found.length,
    findings: found.slice(0, FINDINGS_SHOWN),
    anchoredSeq: reader.anchor === null || reader.anchor === 'damaged' ? null : reader.anchor.seq,
  };
}

/** Follows the chain from its first entry. */
interface Walk {
  reach(entry: RawEntry): void;
  /** True when a commit of the log that says this link comes before it goes on from here. */
  follows(head: string): boolean;
  last(): ChainLink;
}

function createWalk({
  heads,
  find,
  take,
}: {
  /** Links noted somewhere, to be met on the way. */
  readonly heads: readonly ChainLink[];
  find(seq: number, what: string): void;
  take(entry: RawEntry): void;
}): Walk {
  let last: ChainLink = { seq: 0, hash: FIRST_LINK };
  /**
   * What the last entry's link should be by its text, where the stored one differs: the link itself
   * may be what was damaged.
   */
  let other: string | null = null;

  function reach(entry: RawEntry): void {
    const links = linksAt(entry);
    for (let seq = last.seq + 1; seq < entry.seq; seq += 1) find(seq, 'is missing');
    const hash = entry.hash ?? links[0] ?? FIRST_LINK;
    const isGap = entry.seq !== last.seq + 1;
    if (!isGap && !links.includes(hash))
      find(entry.seq, 'is not what was written: its text, its place or its link was changed');
    other = links.includes(hash) ? null : (links[0] ?? null);
    last = { seq: entry.seq, hash };
    if (heads.some((head) => head.seq === entry.seq && head.hash !== hash))
      find(entry.seq, 'has another link than the head that was noted of it');
    take(entry);
  }

  const linksAt = ({ seq, text }: RawEntry): readonly string[] => [
    linkOf(last.hash, seq, text),
    ...(other === null ? [] : [linkOf(other, seq, text)]),
  ];

  return {
    reach,
    follows(head) {
      if (head !== last.hash && head !== other) return false;
      last = { seq: last.seq, hash: head };
      return true;
    },
    last: () => last,
  };
}

function eventOf({ text }: RawEntry): DomainEvent | null {
  try {
    const event: unknown = JSON.parse(text);
    // Whether it is one is what the chain says; a reader of a damaged one looks at no more than
    // what it checks for itself.
    return typeof event === 'object' && event !== null && 'type' in event
      ? (event as DomainEvent)
      : null;
  } catch {
    return null;
  }
}
