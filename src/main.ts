import { readEnvironment } from '../config/schema.ts';
import { AppError } from './domain/errors.ts';

/** Exit codes: 0 ended as asked, 2 the start was refused with a sentence, 70 an invariant broke (the next start recovers). */
const EXIT = { clean: 0, refused: 2, broken: 70 } as const;
/** A Ctrl-C under `npm start` arrives twice, from the terminal and from npm: within this time it is one wish. */
const SAME_WISH_MS = 1_000;
/** An end in order takes well under a second; one that hangs is given up, and the next start recovers. */
const END_MAXIMUM_MS = 15_000;

async function main(): Promise<void> {
  // Signals are heard while the rest of the program is still being read.
  const asked = hearSignals();
  const environment = readEnvironment();
  try {
    const { startService } = await import('./app/compose.ts');
    const service = await startService(environment, { print: (line) => console.log(line), ending: asked });
    await aborted(asked);
    await service.close();
  } catch (cause) {
    // A start that was called off is no failure, whatever it was in the middle of.
    if (!asked.aborted || !(cause instanceof AppError)) throw cause;
  }
  process.exit(EXIT.clean);
}

/** Aborts at the first SIGINT or SIGTERM; a later one that is not its echo ends the process at once. */
function hearSignals(): AbortSignal {
  const asked = new AbortController();
  let askedAtMs = 0;
  const hear = (): void => {
    if (asked.signal.aborted) {
      if (performance.now() - askedAtMs >= SAME_WISH_MS) process.exit(EXIT.broken);
      return;
    }
    askedAtMs = performance.now();
    setTimeout(() => process.exit(EXIT.broken), END_MAXIMUM_MS).unref();
    asked.abort(new AppError('store_unavailable', 'predictd was asked to end'));
  };
  process.on('SIGINT', hear);
  process.on('SIGTERM', hear);
  return asked.signal;
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}

/** An unknown state is never carried on from: the process ends and the next start recovers (L9). */
function broken(cause: unknown): never {
  console.error(cause);
  process.exit(EXIT.broken);
}

process.on('uncaughtException', broken);
process.on('unhandledRejection', broken);
main().catch((cause: unknown) => {
  if (!(cause instanceof AppError)) broken(cause);
  console.error(`predictd: ${cause.message}`);
  process.exit(EXIT.refused);
});
