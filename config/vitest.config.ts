import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { SERVER_TESTS, type TestProject, testProjects } from './test-projects.ts';

const files = testProjects();
/** Processes, for native modules do not all bear being loaded by several threads. */
const forks = {
  pool: 'forks' as const,
  execArgv: ['--import', new URL('../test/support/typescript-threads.mjs', import.meta.url).href],
};

export default defineConfig({
  root: fileURLToPath(new URL('..', import.meta.url)),
  test: {
    projects: [
      // A process for each file: what a file that fails leaves running ends with it.
      project('process', { ...forks, isolate: true }),
      project('wire', { ...forks, isolate: false }),
      project('node-server', {
        ...forks,
        isolate: false,
        include: SERVER_TESTS,
        env: { TEST_HTTP_SERVER: 'node' },
      }),
      project('unit', { pool: 'threads', isolate: false }),
    ],
    // One more than two cores: what starts processes waits for them most of its time.
    maxWorkers: 3,
    reporters: ['default', './test/support/sample-reporter.ts'],
  },
});

interface Runs {
  readonly pool: 'forks' | 'threads';
  readonly isolate: boolean;
  /** Absent: the files of the project's name. */
  readonly include?: readonly string[];
  readonly env?: Record<string, string>;
}

/**
 * Files that share a worker leave nothing behind for the next one: no module here keeps state of
 * its own, and spies are restored.
 */
function project(
  name: TestProject | 'node-server',
  { include = name === 'node-server' ? [] : files[name], ...runs }: Runs,
) {
  return {
    extends: true as const,
    test: {
      ...runs,
      name,
      include: [...include],
      restoreMocks: true,
      // Upper bounds only, for what has come to a halt: real processes and sockets take twenty
      // times their time where many share the machine.
      testTimeout: 240_000,
      hookTimeout: 240_000,
      // As `eventually` waits: a second, as it is by itself, is less than a machine may pause.
      expect: { poll: { timeout: 200_000, interval: 10 } },
    },
  };
}
