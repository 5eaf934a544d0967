import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  root: fileURLToPath(new URL('..', import.meta.url)),
  test: {
    include: ['test/**/*.test.ts'],
    pool: 'forks',
    execArgv: ['--import', new URL('../test/support/typescript-threads.mjs', import.meta.url).href],
    maxWorkers: 2,
    // Upper bounds only, for what has come to a halt: real processes and sockets take twenty times their time where many share the machine.
    testTimeout: 240_000,
    hookTimeout: 240_000,
    reporters: ['default'],
  },
});
