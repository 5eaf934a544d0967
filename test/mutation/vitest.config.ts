import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { testProjects } from '../../config/test-projects.ts';

/**
 * Beginnings of paths below `test`, separated by commas: the tests that could notice a mutant. A
 * run with few is quick; what it leaves alive is asked of all of them again. All when absent.
 */
const asked = process.env['MUTATE_TESTS']?.split(',').map((path) => `test/${path}`) ?? ['test/'];

/** The unit tests alone: what opens nothing can run a thousand times. */
export default defineConfig({
  root: fileURLToPath(new URL('../..', import.meta.url)),
  test: {
    include: testProjects().unit.filter(
      (file) => !file.startsWith('test/repository/') && asked.some((path) => file.startsWith(path)),
    ),
    restoreMocks: true,
    testTimeout: 15_000,
  },
});
