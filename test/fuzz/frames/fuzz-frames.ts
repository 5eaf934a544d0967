import { createSeededRandom } from '../../../src/adapters/random/seeded-random.ts';
import { createReaders, type Verdict } from './compare-readings.ts';
import { makeFrame, oneOf, recordedFrames } from './frame-source.ts';
import { mutateFrame } from './mutate-frame.ts';

/** Frames that share a seed: a slice is lived again alone. */
export const FRAMES_PER_SLICE = 10_000;
const MADE_PER_SLICE = 200;
/** Differing frames that are kept to be shown. */
const KEPT_MAXIMUM = 5;

/** What the frames of one slice came to. */
export interface SliceOutcome {
  readonly counts: Readonly<Record<Verdict, number>>;
  /** The first frames that the two readers read differently. */
  readonly differing: readonly Buffer[];
}

/**
 * Fuzzes one slice: frames recorded and made, mutated, each read both ways. The same seed and
 * number give the same frames.
 */
export function fuzzSlice(seed: string, slice: number, frames = FRAMES_PER_SLICE): SliceOutcome {
  const random = createSeededRandom(`${seed}:${slice}`);
  const readers = createReaders();
  const sources = [
    ...recordedFrames(),
    ...Array.from({ length: MADE_PER_SLICE }, () => makeFrame(random)),
  ];
  const counts = { same: 0, refused: 0, left: 0, differs: 0 };
  const differing: Buffer[] = [];
  for (let index = 0; index < frames; index += 1) {
    const frame = mutateFrame(
      random,
      random.integer(3) === 0 ? makeFrame(random) : oneOf(random, sources),
      oneOf(random, sources),
    );
    const verdict = readers.verdictOn(frame);
    counts[verdict] += 1;
    if (verdict === 'differs' && differing.length < KEPT_MAXIMUM) differing.push(frame);
  }
  return { counts, differing };
}
