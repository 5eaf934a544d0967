import { resolve } from 'node:path';
import { readEnvironment, type Environment } from '../../config/schema.ts';
import { runningAddresses } from './addresses.ts';
import { boundHeapGrowth } from './heap-growth.ts';
import { endReport } from './crash-report.ts';
import { AppError } from '../domain/errors.ts';

const EXIT = { clean: 0, broken: 70 } as const;
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

let dataFolder = 'the data folder';

/**
 * Runs the daemon until it is asked to end, and ends the process: 0 as asked, 70 when an invariant
 * broke, or the sandbox's world or the store was lost (the next start recovers). Errors: an
 * `AppError` when the start is refused.
 */
export async function runStartCommand(words: readonly string[]): Promise<never> {
  process.on('uncaughtException', broken);
  process.on('unhandledRejection', broken);
  // Signals are heard while the rest of the program is still being read.
  const ending = hearSignals();
  let loss: AppError | null = null;
  const asJson = wantsAddresses(words);
  const environment = readEnvironment();
  dataFolder = resolve(environment.PREDICTD_DATA);
  try {
    const running = asJson ? await runningAddresses(resolve(environment.PREDICTD_DATA)) : null;
    if (running !== null) {
      console.log(JSON.stringify(running));
      end(null);
    }
    if (environment.PREDICTD_MCP_BACKEND !== undefined) {
      await serveMcpApart(environment, ending.signal);
      end(null);
    }
    const { startService } = await import('./compose.ts');
    const lost = (cause: AppError): void => {
      if (!ending.signal.aborted) loss = cause;
      ending.abort(cause);
    };
    const service = await startService(environment, {
      print: (line) => (asJson ? console.error(line) : console.log(line)),
      ending: ending.signal,
      lost,
    });
    if (asJson) console.log(JSON.stringify(service.addresses));
    boundHeapGrowth();
    await aborted(ending.signal);
    await service.close();
  } catch (cause) {
    if (!(cause instanceof AppError)) broken(cause);
    // A start that was called off is no failure, whatever it was in the middle of.
    if (!ending.signal.aborted) throw cause;
  }
  return end(loss);
}

/** Serves MCP for a service that runs elsewhere, until the process is asked to end. */
async function serveMcpApart(environment: Environment, ending: AbortSignal): Promise<void> {
  const { startMcpApart } = await import('./mcp-apart.ts');
  const { version } = await import('./version.ts');
  const server = await startMcpApart(environment, version());
  console.log(`predictd: MCP at ${server.url}/mcp`);
  await aborted(ending);
  await server.close();
}

/**
 * Reads the command line: `--addresses` prints addresses as JSON, those of the daemon that runs in
 * the data folder, or else of one that is then started, whose other lines go to standard error.
 * Errors: `config_invalid` for anything else.
 */
function wantsAddresses(given: readonly string[]): boolean {
  const unknown = given.filter((word) => word !== '--addresses');
  if (unknown.length > 0)
    throw new AppError(
      'config_invalid',
      `start has no option ${unknown.join(' ')}, only --addresses; settings are the PREDICTD_ variables in config/README.md.`,
    );
  return given.length > 0;
}

/** Ends the process, with one sentence when it was not asked to. */
function end(loss: AppError | null): never {
  if (loss !== null) console.error(`predictd: ${loss.message}`);
  process.exit(loss === null ? EXIT.clean : EXIT.broken);
}

/**
 * Aborts at the first SIGINT or SIGTERM; the third ends the process at once. However it was
 * aborted, the end takes a while at most.
 */
function hearSignals(): AbortController {
  const ending = new AbortController();
  let heard = 0;
  const hear = (): void => {
    heard += 1;
    if (heard > SIGNALS_OF_A_REQUEST) process.exit(EXIT.broken);
    ending.abort(new AppError('store_unavailable', 'predictd was asked to end'));
  };
  ending.signal.addEventListener(
    'abort',
    () => setTimeout(() => process.exit(EXIT.broken), END_MAXIMUM_MS).unref(),
    { once: true },
  );
  process.on('SIGINT', hear);
  process.on('SIGTERM', hear);
  return ending;
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}

/** An unknown state is never carried on from: the process ends and the next start recovers (L9). */
function broken(cause: unknown): never {
  console.error(endReport(cause, dataFolder));
  process.exit(EXIT.broken);
}
