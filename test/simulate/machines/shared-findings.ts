import { framesIn, parsed } from '../../../src/adapters/lmdb/frames.ts';
import { FIRST_LINK, linksOf, textOfFact } from '../../../src/adapters/memory/journal-chain.ts';
import type { Store } from '../../../src/ports/store.ts';
import type { KeptFrame, LogDatabase, Take } from './log-database.ts';

/** Something that a process sent and cannot take back. */
export interface Sending {
  readonly what: 'order' | 'cancel' | 'push' | 'transaction';
  /** Of the order, the browser's message, or the transaction's bytes. */
  readonly id: string;
  /** Of the process that sent it: a database knows it by that. */
  readonly session: string;
  readonly leftAtMs: number;
  /** Number of the newest frame when it arrived. */
  readonly head: number;
}

/** What a day of several machines leaves to be read. */
export interface SharedDay {
  readonly database: Pick<LogDatabase, 'frames' | 'takes'>;
  readonly sendings: readonly Sending[];
  /** Records of the last owner. */
  readonly store: Store;
}

/** Where a log that machines took turns at, or what they sent, breaks what one log promises. */
export function sharedFindings({ database: { frames, takes }, sendings, store }: SharedDay) {
  return {
    framesOfReplaced: framesOfReplaced(frames, takes),
    brokenChain: brokenChain(frames),
    sentUnowned: sentUnowned(sendings, takes),
    sentUnknown: sentUnknown(sendings, frames),
    recordsDiffer: recordsDiffer(frames, store),
  };
}

/** Frames behind the one at which a later owner took the log. */
function framesOfReplaced(frames: readonly KeptFrame[], takes: readonly Take[]): readonly string[] {
  return frames.flatMap(({ seq, epoch }) => {
    const replaced = takes.find((take) => take.epoch > epoch && seq > take.head);
    return replaced === undefined
      ? []
      : [
          `frame ${seq} is of epoch ${epoch}, and epoch ${replaced.epoch} began at ${replaced.head}`,
        ];
  });
}

/** Frames that are not what their hash says, or do not follow the one before. */
function brokenChain(frames: readonly KeptFrame[]): readonly string[] {
  let previous = FIRST_LINK;
  return frames.flatMap(({ seq, hash, bytes }) => {
    const [found] = framesIn(Buffer.from(bytes));
    const isNext = found?.hash === hash && found.seq === seq && found.previous === previous;
    previous = hash;
    return isNext ? [] : [`frame ${seq} does not follow frame ${seq - 1}`];
  });
}

/** What left a process after another one had taken the log. */
function sentUnowned(sendings: readonly Sending[], takes: readonly Take[]): readonly string[] {
  return sendings.flatMap(({ what, id, session, leftAtMs }) => {
    const own = takes.find((take) => take.session === session);
    const next = takes.find((take) => own === undefined || take.epoch > own.epoch);
    return next === undefined || leftAtMs < next.atMs
      ? []
      : [
          `${what} ${id} left ${session} ${leftAtMs - next.atMs} ms after ${next.session} took over`,
        ];
  });
}

/** Orders that reached the venue before the log had them: no successor could know of them. */
function sentUnknown(
  sendings: readonly Sending[],
  frames: readonly KeptFrame[],
): readonly string[] {
  const signedAt = new Map<string, number>();
  for (const { seq, bytes } of frames)
    for (const fact of factsIn(bytes))
      if (fact.type === 'order.signed' && !signedAt.has(fact.attemptId))
        signedAt.set(fact.attemptId, seq);
  return sendings.flatMap(({ what, id, head }) =>
    what !== 'order' || (signedAt.get(id) ?? Number.POSITIVE_INFINITY) <= head
      ? []
      : [
          `order ${id} reached the venue at frame ${head}, its signature at ${signedAt.get(id) ?? 'none'}`,
        ],
  );
}

/** The last owner's journal is that of the log. */
function recordsDiffer(frames: readonly KeptFrame[], store: Store): readonly string[] {
  const texts = frames.flatMap(({ bytes }) => factsIn(bytes).map(textOfFact));
  const head = linksOf(FIRST_LINK, 1, texts).at(-1);
  const newest = store.newestFact();
  return newest === texts.length && store.readChain(newest - 1, 1)[0]?.hash === head
    ? []
    : [`the last owner has ${newest} facts, the log ${texts.length}, or others`];
}

function factsIn(bytes: Uint8Array) {
  return [...framesIn(Buffer.from(bytes))].flatMap((frame) => parsed(frame).facts);
}
