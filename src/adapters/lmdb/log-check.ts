import type { LogHead } from '../../ports/commit-log.ts';
import type { ChainLink } from '../../ports/store.ts';
import { FIRST_LINK, linksOf, textOfFact } from '../memory/journal-chain.ts';
import { assertFormatKnown, readAnchor } from './chain-anchor.ts';
import { NO_FRAME, parsed, type StoredFrame } from './frames.ts';
import { logFolder } from './segment-log.ts';
import { framesAfter } from './segments.ts';
import { storeCorrupt } from './store-errors.ts';

/** Where a log ends. */
export interface LogEnd {
  /** Its newest frame. */
  readonly frame: LogHead;
  /** The newest link of the journal. */
  readonly link: ChainLink;
}

/** Where a log without a frame ends. */
export const NO_END: LogEnd = { frame: NO_FRAME, link: { seq: 0, hash: FIRST_LINK } };

const BEGIN = /^\{"firstFact":(\d+),/;
/** All that comes before the first fact: two numbers of fixed length and one of sixteen digits. */
const BEGIN_BYTES = 40;

/**
 * Reads the whole log of a store. Each frame says the hash of the one before it, so that not a byte
 * is otherwise than it was written; the entry that `journal.head` notes has to be there under its
 * link. What was half written at the end is left out. Errors: `store_corrupt`, `store_unavailable`
 * for a newer format, those of the file system.
 */
export function checkLog(store: string): LogEnd {
  assertFormatKnown(store);
  const noted = readAnchor(store);
  if (noted === 'damaged') throw storeCorrupt(store, 'its journal.head is damaged');
  let last: StoredFrame | null = null;
  let holder: StoredFrame | null = null;
  for (const frame of framesAfter(logFolder(store), NO_FRAME)) {
    last = frame;
    if (noted !== null && firstFactOf(frame) <= noted.seq) holder = frame;
  }
  const end = last === null ? NO_END : endOf(last);
  if (noted !== null && noted.seq > end.link.seq)
    throw storeCorrupt(
      store,
      `its journal ends at entry ${end.link.seq}, and journal.head beside it says that it went on to ${noted.seq}`,
    );
  if (noted !== null && holder !== null && linkAt(holder, noted.seq) !== noted.hash)
    throw storeCorrupt(store, `entry ${noted.seq} has another link than journal.head beside it`);
  return end;
}

/** Where a log ends whose newest frame this is. */
export function endOf(frame: StoredFrame): LogEnd {
  const { seq, hash, firstFact, link, facts } = parsed(frame);
  const links = linksOf(link, firstFact, facts.map(textOfFact));
  return {
    frame: { seq, hash },
    link: { seq: firstFact + facts.length - 1, hash: links.at(-1) ?? link },
  };
}

function linkAt(frame: StoredFrame, fact: number): string | undefined {
  const { firstFact, link, facts } = parsed(frame);
  return linksOf(link, firstFact, facts.map(textOfFact))[fact - firstFact];
}

/** Read off its begin: taking a frame apart takes ten times as long as its hash. */
function firstFactOf({ text }: StoredFrame): number {
  return Number(BEGIN.exec(text.toString('latin1', 0, BEGIN_BYTES))?.[1]);
}
