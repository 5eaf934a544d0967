import { parseArgs } from 'node:util';
import { FRAMES_PER_SLICE, fuzzSlice } from './fuzz-frames.ts';

const PROGRESS_SLICES = 50;

const { values } = parseArgs({
  options: {
    frames: { type: 'string', default: '1000000' },
    seed: { type: 'string', default: 'frames' },
    from: { type: 'string', default: '0' },
  },
});
const slices = Math.ceil(wholeNumber('frames', values.frames) / FRAMES_PER_SLICE);
const from = wholeNumber('from', values.from);
const total = { same: 0, refused: 0, left: 0, differs: 0 };
for (let slice = from; slice < from + slices; slice += 1) {
  const { counts, differing } = fuzzSlice(values.seed, slice);
  for (const verdict of ['same', 'refused', 'left', 'differs'] as const)
    total[verdict] += counts[verdict];
  for (const frame of differing)
    console.log(
      `slice ${slice} reads differently: ${frame.toString('base64')}\n  ${frame.toString('latin1')}\n  again: npm run sim -- fuzz-frames --seed ${values.seed} --from ${slice} --frames ${FRAMES_PER_SLICE}`,
    );
  if ((slice - from + 1) % PROGRESS_SLICES === 0)
    console.error(
      `${(slice - from + 1) * FRAMES_PER_SLICE} frames, ${total.differs} read differently`,
    );
}
console.log(
  `${slices * FRAMES_PER_SLICE} frames of seed ${values.seed} from slice ${from}: ${total.same} read alike by scanner and JSON.parse, ${total.refused} refused by both, ${total.left} left to JSON.parse by the scanner, ${total.differs} read differently`,
);
process.exitCode = total.differs === 0 ? 0 : 1;

function wholeNumber(name: string, text: string): number {
  if (/^\d{1,10}$/.test(text)) return Number(text);
  console.error(`fuzz-frames: --${name} is a whole number, not ${text}`);
  process.exit(2);
}
