import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Endpoints, Profile } from '../../config/profiles/profile.ts';
import { AppError, assert } from '../domain/errors.ts';
import type { Log } from '../ports/log.ts';
import { startWorldProcess } from '../sandbox/world-process.ts';
import type { OpenRuntime } from './runtime.ts';
import type { Teardown } from './teardown.ts';

/**
 * Starts the sandbox's outside world beside the daemon, in a process of its own that ends with it.
 * Errors: `venue_unavailable`.
 */
export async function startSandboxWorld(
  profile: Profile,
  {
    folder,
    anchor,
    log,
    teardown,
    ending,
    lost,
  }: Pick<OpenRuntime, 'folder' | 'anchor'> & {
    readonly log: Pick<Log, 'error'>;
    readonly teardown: Teardown;
    /** Aborted when the start is called off. */
    readonly ending: AbortSignal;
    /**
     * Called when the world has ended without being asked to: there is nothing left to trade with.
     */
    readonly lost: (cause: AppError) => void;
  },
): Promise<Endpoints> {
  const { world: plan, credentials, identity } = profile;
  assert(
    plan !== null &&
      anchor !== null &&
      credentials.dataStreams !== null &&
      credentials.relayer !== null &&
      credentials.pinningKey !== null,
    'a profile without endpoints has a world, its clock and its credentials',
  );
  const entry = join(dirname(fileURLToPath(import.meta.url)), '..', 'sandbox', 'main.js');
  const world = await startWorldProcess(
    entry,
    {
      clock: anchor,
      settings: {
        seed: plan.seed,
        prices:
          plan.pricesFile === null
            ? { kind: 'process' }
            : { kind: 'recorded', file: resolve(plan.pricesFile) },
        dataDir: join(folder, 'sandbox'),
        settlement: 'chain',
        credentials: {
          inferenceKey: credentials.inferenceKey,
          dataStreams: credentials.dataStreams,
          relayer: credentials.relayer,
          pinningKey: credentials.pinningKey,
          ...(credentials.assessor === null ? {} : { languageModelKey: credentials.assessor.key }),
          ...(identity.google === null ? {} : { openId: identity.google }),
        },
        faults: [...plan.faults],
      },
    },
    ending,
  );
  let isEnding = false;
  teardown.add(() => {
    isEnding = true;
    return world.stop();
  });
  void world.ended.then((how) => {
    if (isEnding) return;
    log.error({ pid: world.pid, how }, 'sandbox.world_lost');
    lost(
      new AppError(
        'venue_unavailable',
        `the sandbox's world ended by itself (${how}); start predictd again and it goes on where it was.`,
      ),
    );
  });
  const { chains, ...urls } = world.urls;
  assert(chains !== null, 'a world in a process of its own has chains');
  return {
    ...urls,
    ...chains,
    assessor: urls.languageModel,
    socialRpc: urls.social,
    socialRelay: urls.social,
  };
}
