import { createScaledClock, scaledMarketTime } from '../adapters/clock/scaled-clock.ts';
import { fullDiskSentence } from '../adapters/files/full-disk.ts';
import { createWallClock } from '../adapters/clock/wall-clock.ts';
import { startMessageSchema, type ChildMessage } from './child-messages.ts';
import { startWorld, type World } from './world.ts';

/** What the world keeps lies in it. */
let folder = 'the data folder';

/**
 * Entry of the sandbox's own process, forked by the daemon. The first message makes the world,
 * `stop` ends it in order, and when the channel closes because the parent is gone the process ends
 * at once: nothing is left behind, and the world's log has every acknowledged change.
 */
function main(): void {
  if (process.send === undefined) {
    process.stderr.write('The sandbox process is started by predictd itself.\n');
    process.exit(2);
  }
  let world: Promise<World> | null = null;
  for (const event of ['uncaughtException', 'unhandledRejection']) process.on(event, broken);
  process.on('disconnect', () => process.exit(0));
  // A terminal's Ctrl-C reaches the whole group, as does a service manager's SIGTERM: the parent
  // decides when its world ends.
  for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => undefined);
  process.on('message', (message) => {
    if (
      typeof message === 'object' &&
      message !== null &&
      'kind' in message &&
      message.kind === 'stop'
    )
      void stop(world);
    else world ??= start(message);
  });
}

async function start(message: unknown): Promise<World> {
  try {
    const { clock, settings } = startMessageSchema.parse(message);
    folder = settings.dataDir ?? folder;
    const world = await startWorld({
      ...settings,
      clock: createScaledClock(clock),
      wallClock: createWallClock(),
      marketTime: scaledMarketTime(clock),
    });
    tell({ kind: 'ready', urls: world.urls });
    void world.lost.then(giveUp);
    return world;
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    tell({ kind: 'failed', reason: fullDiskSentence(cause, folder) ?? reason }, () =>
      process.exit(1),
    );
    return new Promise(() => undefined);
  }
}

/** An unknown state is never carried on from: the next start goes on from what is stored. */
function broken(cause: unknown): never {
  const sentence = fullDiskSentence(cause, folder);
  process.stderr.write(
    `sandbox: ${sentence ?? (cause instanceof Error ? cause.stack : String(cause))}\n`,
  );
  process.exit(1);
}

/** What trades on would never settle: the daemon ends with its world, and says how to go on. */
function giveUp(sentence: string): void {
  process.stderr.write(`sandbox: ${sentence}; the sandbox ends with it.\n`);
  process.exit(1);
}

async function stop(world: Promise<World> | null): Promise<void> {
  await (await world)?.close();
  process.exit(0);
}

function tell(message: ChildMessage, sent: () => void = () => undefined): void {
  process.send?.(message, undefined, undefined, sent);
}

main();
