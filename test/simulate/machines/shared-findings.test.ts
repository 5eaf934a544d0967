import { describe, expect, it } from 'vitest';
import { frameOf } from '../../../src/adapters/lmdb/frames.ts';
import { FIRST_LINK, textOfFact } from '../../../src/adapters/memory/journal-chain.ts';
import { createMemoryStore } from '../../../src/adapters/memory/memory-store.ts';
import type { DomainEvent } from '../../../src/domain/events.ts';
import { asId, type AttemptId, type IntentId, type UserId } from '../../../src/domain/ids.ts';
import type { KeptFrame } from './log-database.ts';
import { sharedFindings, type SharedDay } from './shared-findings.ts';

const signed = (id: string): DomainEvent => ({
  type: 'order.signed',
  userId: asId<UserId>('usr_1'),
  atMs: 1,
  intentId: asId<IntentId>(`int_${id}`),
  attemptId: asId<AttemptId>(id),
});
const FACTS = ['one', 'two', 'three'].map(signed);

/** A log of three frames, the last one of a later owner. */
function framesOf(facts: readonly DomainEvent[]): readonly KeptFrame[] {
  let previous = FIRST_LINK;
  return facts.map((fact, index) => {
    const seq = index + 1;
    const { frame, hash } = frameOf(
      {
        seq,
        previous,
        firstFact: seq,
        link: FIRST_LINK,
        facts: [textOfFact(fact)],
        records: [],
      },
      Buffer.alloc(0),
    );
    previous = hash;
    return { seq, hash, bytes: Uint8Array.from(frame), epoch: seq === 3 ? 2 : 1 };
  });
}

const FRAMES = framesOf(FACTS);
const TAKES = [
  { epoch: 1, session: 'first', head: 0, atMs: 0 },
  { epoch: 2, session: 'second', head: 2, atMs: 100 },
];
const SENT = { what: 'order', id: 'two', session: 'first', leftAtMs: 50, head: 2 } as const;

async function findings(part: Partial<SharedDay>): Promise<Readonly<Record<string, unknown>>> {
  const store = createMemoryStore();
  for (const fact of FACTS) await store.write((tx) => tx.append(fact));
  const day = { database: { frames: FRAMES, takes: TAKES }, sendings: [SENT], store, ...part };
  return Object.fromEntries(
    Object.entries(sharedFindings(day)).filter(([, found]) => found.length),
  );
}

describe('what is found of machines that took turns', () => {
  it('is nothing where each sent and added while the log was its own', async () => {
    expect(await findings({})).toEqual({});
  });

  it('is a frame of a replaced owner behind the take of the next one', async () => {
    const frames = FRAMES.map((frame) => ({ ...frame, epoch: 1 }));
    expect(await findings({ database: { frames, takes: TAKES } })).toEqual({
      framesOfReplaced: ['frame 3 is of epoch 1, and epoch 2 began at 2'],
    });
  });

  it('is a frame that does not follow the one before', async () => {
    const [one, two, three] = [...FRAMES, ...framesOf([signed('other'), ...FACTS.slice(1)])].filter(
      (_, index) => index === 0 || index > 3,
    );
    const frames = [one, two, three].flatMap((frame) => frame ?? []);
    expect(await findings({ database: { frames, takes: TAKES } })).toEqual({
      brokenChain: ['frame 2 does not follow frame 1'],
    });
  });

  it('is what left a process once another one had the log', async () => {
    expect(await findings({ sendings: [{ ...SENT, leftAtMs: 100 }] })).toEqual({
      sentUnowned: ['order two left first 0 ms after second took over'],
    });
  });

  it('is an order that reached the venue before its signature was in the log', async () => {
    expect(await findings({ sendings: [{ ...SENT, head: 1 }] })).toEqual({
      sentUnknown: ['order two reached the venue at frame 1, its signature at 2'],
    });
  });

  it('is a journal of the last owner that is not that of the log', async () => {
    expect(await findings({ store: createMemoryStore() })).toEqual({
      recordsDiffer: ['the last owner has 0 facts, the log 3, or others'],
    });
  });
});
