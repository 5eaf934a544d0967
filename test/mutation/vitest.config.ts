import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { testProjects } from '../../config/test-projects.ts';

/** The unit tests alone: what opens nothing can run a thousand times. */
export default defineConfig({
  root: fileURLToPath(new URL('../..', import.meta.url)),
  test: {
    include: testProjects().unit.filter((file) => !file.startsWith('test/repository/')),
    restoreMocks: true,
    testTimeout: 60_000,
  },
});
