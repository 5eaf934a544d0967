import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
process.chdir(ROOT);

/**
 * Sources whose mutants the unit tests should notice; `npm run mutate -- --mutate <files>` takes
 * others.
 */
const MUTATED = [
  'src/domain/**/*.ts',
  'machines/**/*.ts',
  'streams/**/*.ts',
  'src/services/{orders,books,portfolio}/**/*.ts',
];

export default {
  testRunner: 'vitest',
  plugins: [fileURLToPath(import.meta.resolve('@stryker-mutator/vitest-runner'))],
  vitest: { configFile: 'test/mutation/vitest.config.ts' },
  mutate: MUTATED,
  ignorePatterns: ['/dist', '/dist.next', '/.predictd', '/test/bench', '/test/mutation/report'],
  // What a text says is held by the tests that a user reads it in, not by these; what a type says,
  // by the compiler.
  mutator: { excludedMutations: ['StringLiteral'] },
  ignoreStatic: true,
  concurrency: 2,
  // A mutant that loops is the only one that may run out of this, not one on a busy machine.
  timeoutMS: 60_000,
  timeoutFactor: 5,
  tempDirName: '.stryker-tmp',
  reporters: ['clear-text', 'json'],
  clearTextReporter: { allowColor: false, logTests: false, reportTests: false },
  jsonReporter: { fileName: 'test/mutation/report/mutation.json' },
};
