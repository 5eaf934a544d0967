import { fork } from 'node:child_process';
import { SANDBOX } from '../../config/limits/sandbox.ts';
import { AppError } from '../domain/errors.ts';
import type { ChildMessage, StartMessage, StopMessage } from './child-messages.ts';
import type { WorldUrls } from './world-settings.ts';

/** A world in a process of its own. */
export interface WorldProcess {
  readonly urls: WorldUrls;
  readonly pid: number;
  /** Settles with the exit code, or the signal, when the process has ended, wanted or not. */
  readonly ended: Promise<number | string>;
  /** Ends the world in order; after a while by force. */
  stop(): Promise<void>;
}

/**
 * Forks `entry` (the compiled `sandbox/main.js`) and waits for its addresses. The child ends when
 * this process does, however it ends, and at once when `ending` is aborted before it is up. Errors:
 * `venue_unavailable` when the child does not come up, with its reason; it is gone by then.
 */
export async function startWorldProcess(
  entry: string,
  message: Omit<StartMessage, 'kind'>,
  ending?: AbortSignal,
): Promise<WorldProcess> {
  const child = fork(entry, [], { stdio: ['ignore', 'inherit', 'inherit', 'ipc'], execArgv: [] });
  const ended = new Promise<number | string>((resolve) =>
    child.once('exit', (code, signal) => resolve(code ?? signal ?? 0)),
  );
  const first = new Promise<ChildMessage>((resolve) => {
    // Under `node --watch` Node itself reports the child's modules on this channel.
    child.on('message', (said) => {
      if (isChildMessage(said)) resolve(said);
    });
    void ended.then((code) => resolve({ kind: 'failed', reason: `it ended with ${code}` }));
    // A child that dies while it is being spoken to breaks the channel as well: its end is what
    // counts.
    child.on('error', (cause) => resolve({ kind: 'failed', reason: cause.message }));
    const callOff = (): void => resolve({ kind: 'failed', reason: 'it was called off' });
    if (ending?.aborted === true) callOff();
    ending?.addEventListener('abort', callOff, { once: true });
    setTimeout(
      () =>
        resolve({ kind: 'failed', reason: `it said nothing in ${SANDBOX.childStartTimeoutMs} ms` }),
      SANDBOX.childStartTimeoutMs,
    ).unref();
  });
  const start: StartMessage = { kind: 'start', ...message };
  child.send(start);
  const answer = await first;
  if (answer.kind === 'failed' || child.pid === undefined) {
    child.kill('SIGKILL');
    if (child.pid !== undefined) await ended;
    throw new AppError(
      'venue_unavailable',
      `the sandbox did not start: ${answer.kind === 'failed' ? answer.reason : 'no process'}`,
    );
  }
  return {
    urls: answer.urls,
    pid: child.pid,
    ended,
    async stop() {
      if (child.connected) child.send({ kind: 'stop' } satisfies StopMessage);
      const force = setTimeout(() => child.kill('SIGKILL'), SANDBOX.childStopTimeoutMs);
      await ended;
      clearTimeout(force);
    },
  };
}

function isChildMessage(said: unknown): said is ChildMessage {
  return (
    typeof said === 'object' &&
    said !== null &&
    'kind' in said &&
    (said.kind === 'ready' || said.kind === 'failed')
  );
}
