import { resolve } from 'node:path';
import { readEnvironment, type Environment } from '../../config/schema.ts';
import { runningAddresses } from './addresses.ts';
import { boundHeapGrowth } from './heap-growth.ts';
import { aborted, end, endBroken, hearSignals } from './process-end.ts';
import { AppError } from '../domain/errors.ts';

/**
 * Runs the daemon until it is asked to end, and ends the process: 0 as asked, 70 when an invariant
 * broke, or the sandbox's world or the store was lost, 75 when another process took over (the next
 * start recovers). Errors: an
 * `AppError` when the start is refused.
 */
export async function runStartCommand(words: readonly string[]): Promise<never> {
  let dataFolder = 'the data folder';
  const broken = (cause: unknown): never => endBroken(cause, dataFolder);
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
    assertRoleServesTls(environment);
    if (environment.PREDICTD_MCP_BACKEND !== undefined) {
      await serveMcpApart(environment, ending.signal);
      end(null);
    }
    if (environment.PREDICTD_ROLE === 'gateway') {
      await serveAsGateway(environment, ending.signal);
      end(null);
    }
    if (environment.PREDICTD_ROLE === 'feed') {
      await serveAsFeed(environment, ending.signal);
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
    if (!(cause instanceof AppError)) return broken(cause);
    // A start that was called off is no failure, whatever it was in the middle of.
    if (ending.signal.aborted) return end(loss);
    // A database that fails over at this moment is there again for the next start.
    if (cause.code === 'store_unavailable' && cause.retryable) return end(cause);
    throw cause;
  }
  return end(loss);
}

/** Errors: `config_invalid` for a certificate where nothing would be served by it. */
function assertRoleServesTls(environment: Environment): void {
  const { PREDICTD_TLS_CERT_FILE: cert, PREDICTD_TLS_KEY_FILE: key, PREDICTD_ROLE } = environment;
  const isServed = PREDICTD_ROLE === 'gateway' && environment.PREDICTD_MCP_BACKEND === undefined;
  if (isServed || (cert === undefined && key === undefined)) return;
  throw new AppError(
    'config_invalid',
    'PREDICTD_TLS_CERT_FILE and PREDICTD_TLS_KEY_FILE are for PREDICTD_ROLE=gateway alone: this process speaks plain HTTP, and a proxy before it speaks HTTPS.',
  );
}

/** Hands calls on to the owner of a shard, until the process is asked to end. */
async function serveAsGateway(environment: Environment, ending: AbortSignal): Promise<void> {
  const { runGateway } = await import('./gateway.ts');
  const { version } = await import('./version.ts');
  const gateway = await runGateway(environment, version());
  console.log(`predictd: the gateway answers at ${gateway.url}`);
  await aborted(ending);
  await gateway.close();
}

/** Reads prices and books for others, until the process is asked to end. */
async function serveAsFeed(environment: Environment, ending: AbortSignal): Promise<void> {
  const { runFeed } = await import('./feed.ts');
  const { version } = await import('./version.ts');
  const feed = await runFeed(environment, version());
  console.log(`predictd: the feed answers at ${feed.url}`);
  await aborted(ending);
  await feed.close();
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
