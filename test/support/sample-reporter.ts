import type { Reporter } from 'vitest/node';
import { IS_WHOLE, SAMPLE_SEED } from './sampled.ts';

/** Says at the start of a run what samples are drawn by. */
export default class SampleReporter implements Reporter {
  onInit(): void {
    process.stdout.write(
      IS_WHOLE
        ? 'Every case is run, none left out by a sample.\n'
        : `Long tests run samples drawn by the seed '${SAMPLE_SEED}'; npm run test:whole runs every case.\n`,
    );
  }
}
