import { endReport } from './crash-report.ts';
import { AppError } from '../domain/errors.ts';

/** Exit codes of a process that serves until it is asked to end. */
const EXIT = { clean: 0, broken: 70, replaced: 75 } as const;
/**
 * A Ctrl-C under `npm start` arrives twice, from the terminal and from npm, and on a busy machine
 * the second one late: so many are one request.
 */
const SIGNALS_OF_A_REQUEST = 2;
/**
 * An end in order takes well under a second, and many times that where twenty processes share a
 * core; one that hangs is given up, and the next start recovers.
 */
const END_MAXIMUM_MS = 60_000;
/**
 * The same for a process whose place another has taken: what it would still write is refused, so
 * that ending it late brings nothing, and the sooner it ends the sooner there are two again.
 */
const REPLACED_END_MAXIMUM_MS = 10_000;

/**
 * Ends the process, with one sentence when it was not asked to. One that another process has
 * replaced is to be started again, as that one's replacement (75, sysexits.h: try again).
 */
export function end(loss: AppError | null): never {
  if (loss !== null) process.stderr.write(`predictd: ${loss.message}\n`);
  if (isReplacement(loss)) process.exit(EXIT.replaced);
  process.exit(loss === null ? EXIT.clean : EXIT.broken);
}

function isReplacement(cause: unknown): boolean {
  return cause instanceof AppError && cause.code === 'not_owner';
}

/** Ends the process in an unknown state: the next start recovers (L9). */
export function endBroken(cause: unknown, dataFolder: string): never {
  process.stderr.write(`${endReport(cause, dataFolder)}\n`);
  process.exit(EXIT.broken);
}

/**
 * Aborts at the first SIGINT or SIGTERM; the third ends the process at once. However it was
 * aborted, the end takes a while at most.
 */
export function hearSignals(): AbortController {
  const ending = new AbortController();
  let heard = 0;
  const hear = (): void => {
    heard += 1;
    if (heard > SIGNALS_OF_A_REQUEST) process.exit(EXIT.broken);
    ending.abort(new AppError('store_unavailable', 'predictd was asked to end'));
  };
  ending.signal.addEventListener(
    'abort',
    () => {
      const [code, maximumMs] = isReplacement(ending.signal.reason)
        ? [EXIT.replaced, REPLACED_END_MAXIMUM_MS]
        : [EXIT.broken, END_MAXIMUM_MS];
      setTimeout(() => process.exit(code), maximumMs).unref();
    },
    { once: true },
  );
  process.on('SIGINT', hear);
  process.on('SIGTERM', hear);
  return ending;
}

/** Resolves once the signal is aborted. */
export function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
