// Lets the threads of a test run the sources as they are, as typescript-loader.mjs lets its child
// processes. The test itself runs through vitest: on its thread there is nothing to do, and it
// starts no later for it.
import { isMainThread } from 'node:worker_threads';

if (!isMainThread) await import('./typescript-loader.mjs');
