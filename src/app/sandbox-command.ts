import { join, resolve } from 'node:path';
import type { Endpoints } from '../../config/profiles/profile.ts';
import { sandboxProfile } from '../../config/profiles/sandbox.ts';
import { readWorldEnvironment } from '../../config/schema.ts';
import { SANDBOX_COMMAND } from '../../config/limits/sandbox.ts';
import { createWallClock } from '../adapters/clock/wall-clock.ts';
import { lockFolder } from '../adapters/lmdb/folder-lock.ts';
import { createWalletAddresses } from '../adapters/safe-relayer/derive.ts';
import { loadKeccak } from '../adapters/wire/keccak.ts';
import { AppError } from '../domain/errors.ts';
import { keptAddresses } from './addresses.ts';
import { usageOf } from './commands.ts';
import { aborted, end, endBroken, hearSignals } from './process-end.ts';
import { faultsNote, sandboxAddresses, sandboxAddressLines } from './sandbox-addresses.ts';
import { fundWallet, type FundedWallet, walletKind } from './sandbox-wallets.ts';
import { startSandboxWorld } from './sandbox-world.ts';
import { startTime } from './start-time.ts';
import { openDataFolder } from './storage.ts';
import { createTeardown, type Teardown } from './teardown.ts';

/** A world that runs. */
interface OpenWorld {
  readonly folder: string;
  readonly speed: number;
  readonly endpoints: Endpoints;
  readonly keys: Readonly<Record<string, unknown>>;
  readonly wallets: readonly FundedWallet[];
}

/**
 * Runs the sandbox's world without a daemon until the process is asked to end, and ends it: 0 as
 * asked, 70 when the world was lost. Errors: `config_invalid` for other words and settings, those
 * of the folder, and `venue_unavailable` when it does not come up.
 */
export async function runSandboxCommand(
  words: readonly string[],
  print: (line: string) => void,
): Promise<never> {
  const { funded, asJson } = readWords(words);
  let folder = 'the data folder';
  const broken = (cause: unknown): never => endBroken(cause, folder);
  process.on('uncaughtException', broken);
  process.on('unhandledRejection', broken);
  const ending = hearSignals();
  const teardown = createTeardown();
  let loss: AppError | null = null;
  try {
    const world = await openWorld(funded, teardown, {
      ending: ending.signal,
      lost(cause) {
        if (!ending.signal.aborted) loss = cause;
        ending.abort(cause);
      },
    });
    folder = world.folder;
    if (asJson) print(JSON.stringify(jsonOf(world)));
    else for (const line of linesOf(world)) print(line);
    await aborted(ending.signal);
    await teardown.run();
  } catch (cause) {
    if (!(cause instanceof AppError)) return broken(cause);
    await teardown.run();
    if (!ending.signal.aborted) throw cause;
  }
  return end(loss);
}

async function openWorld(
  funded: readonly string[],
  teardown: Teardown,
  { ending, lost }: { readonly ending: AbortSignal; readonly lost: (cause: AppError) => void },
): Promise<OpenWorld> {
  const environment = readWorldEnvironment();
  if (environment.PREDICTD_PROFILE !== 'sandbox')
    throw new AppError(
      'config_invalid',
      `predictd sandbox runs play money alone, and PREDICTD_PROFILE is ${environment.PREDICTD_PROFILE}; unset it.`,
    );
  const profile = sandboxProfile(environment);
  const folder = resolve(environment.PREDICTD_DATA);
  openDataFolder(folder);
  // The daemon's own lock: neither runs in a folder of the other.
  const lock = await lockFolder(join(folder, 'store'));
  teardown.add(() => lock.release());
  const { anchor, keepTime } = startTime(profile, folder, {
    wallClock: createWallClock(),
    teardown,
  });
  const keeping = setInterval(keepTime, SANDBOX_COMMAND.keepTimeMs);
  teardown.add(async () => clearInterval(keeping));
  const endpoints = await startSandboxWorld(profile, {
    folder,
    anchor,
    // What is lost ends the process with its sentence; there is no log beside it.
    log: { error: () => undefined },
    teardown,
    ending,
    lost,
  });
  const { safeOf } = createWalletAddresses(await loadKeccak(), profile.chain.wallets);
  const wallets: FundedWallet[] = [];
  for (const address of funded) wallets.push(await fundWallet(address, { endpoints, safeOf }));
  return {
    folder,
    speed: profile.clockScale,
    endpoints,
    keys: {
      inference: profile.credentials.inferenceKey,
      dataStreams: profile.credentials.dataStreams,
      relayer: profile.credentials.relayer,
      pinning: profile.credentials.pinningKey,
      model: profile.credentials.assessor,
      google: profile.identity.google,
    },
    wallets,
  };
}

function readWords(words: readonly string[]): {
  readonly funded: readonly string[];
  readonly asJson: boolean;
} {
  const funded: string[] = [];
  let asJson = false;
  for (let index = 0; index < words.length; index += 1) {
    const word = words[index] ?? '';
    const value = words[index + 1];
    if (word === '--json') asJson = true;
    else if (word === '--fund' && value !== undefined) {
      walletKind(value);
      funded.push(value);
      index += 1;
    } else
      throw new AppError('config_invalid', `${word} is not understood; use: ${usageOf('sandbox')}`);
  }
  if (funded.length > SANDBOX_COMMAND.walletsMaximum)
    throw new AppError(
      'config_invalid',
      `--fund takes ${SANDBOX_COMMAND.walletsMaximum} wallets at a start; the faucet funds more while it runs.`,
    );
  return { funded, asJson };
}

/** Addresses by name, the keys its services ask for, and what was funded. */
function jsonOf({ folder, speed, endpoints, keys, wallets }: OpenWorld): unknown {
  return { pid: process.pid, folder, speed, sandbox: keptAddresses(endpoints), keys, wallets };
}

function linesOf({ folder, speed, endpoints, keys, wallets }: OpenWorld): readonly string[] {
  return [
    'predictd sandbox: venues, chains and feeds on 127.0.0.1, with play money and no daemon. Test your bot here.',
    ...sandboxAddressLines(endpoints).map((line) => `  ${line}`),
    ...Object.entries(keys).map(
      ([service, key]) =>
        `  ${`key: ${service}`.padEnd(20)} ${typeof key === 'string' ? key : JSON.stringify(key)}`,
    ),
    ...wallets.flatMap(({ address, holds }) => [`  ${'wallet'.padEnd(13)} ${address} ${holds}`]),
    `  ${'more wallets'.padEnd(13)} POST ${sandboxAddresses(endpoints).get('faucet')}/faucet {"address":"0x…","usdc":"1000","tradable":true}`,
    `  ${'time'.padEnd(13)} ${speed === 1 ? "is the wall clock's" : `runs ${speed} times as fast as the wall clock`}`,
    `  ${'data'.padEnd(13)} ${folder}   (Ctrl-C ends, starting again goes on)`,
    `  ${'faults'.padEnd(13)} ${faultsNote(endpoints.control)}`,
    'ready',
  ];
}
