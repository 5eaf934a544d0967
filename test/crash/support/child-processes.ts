import { fork, type ChildProcess } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { ChildAnswer, ChildTask } from './crash-child.ts';

/**
 * Compiled, since a child starts some hundred times; `npm test` and `npm run sim -- crash` compile
 * before they run.
 */
const CHILD = fileURLToPath(
  new URL('../../../dist/test/crash/support/crash-child.js', import.meta.url),
);

/** What a child says, or how it ended. */
export type Answer = ChildAnswer | { readonly kind: 'ended'; readonly signal: string };

const running = new Set<ChildProcess>();

/** Starts a child that waits for tasks. It ends with whoever started it. */
export function startChild(): ChildProcess {
  const child = fork(CHILD, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  running.add(child);
  child.once('exit', () => running.delete(child));
  return child;
}

/** Ends what a test that failed has left. */
export function killChildren(): void {
  for (const child of running) child.kill('SIGKILL');
}

/** Resolves with what the child says, or with how it ended. */
export function ask(child: ChildProcess, task: ChildTask): Promise<Answer> {
  return new Promise((resolve) => {
    const settle = (answer: Answer): void => {
      child.off('message', onMessage);
      child.off('exit', onExit);
      resolve(answer);
    };
    // A child says nothing else.
    const onMessage = (message: unknown): void => settle(message as ChildAnswer);
    const onExit = (code: number | null, signal: NodeJS.Signals | null): void =>
      settle({ kind: 'ended', signal: signal ?? `code ${String(code)}` });
    child.on('message', onMessage);
    child.on('exit', onExit);
    child.send(task);
  });
}
