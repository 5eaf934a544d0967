import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { type TestProject, testProjects } from './test-projects.ts';

const files = testProjects();
/** What opens threads or native modules has a process for each file. */
const forks = {
  pool: 'forks' as const,
  execArgv: ['--import', new URL('../test/support/typescript-threads.mjs', import.meta.url).href],
};

export default defineConfig({
  root: fileURLToPath(new URL('..', import.meta.url)),
  test: {
    projects: [
      project('process', forks),
      project('wire', forks),
      project('unit', { pool: 'threads', isolate: false }),
    ],
    maxWorkers: 2,
    reporters: ['default'],
  },
});

/** Files that share a worker leave nothing behind for the next one: no module here keeps state of its own, and spies are restored. */
function project(name: TestProject, runs: typeof forks | { pool: 'threads'; isolate: false }) {
  return {
    extends: true as const,
    test: {
      ...runs,
      name,
      include: [...files[name]],
      restoreMocks: true,
      // Upper bounds only, for what has come to a halt: real processes and sockets take twenty times their time where many share the machine.
      testTimeout: 240_000,
      hookTimeout: 240_000,
    },
  };
}
