import { setTimeout as wait } from 'node:timers/promises';
import type { World } from '../../src/sandbox/world.ts';
import { startDaemon, type Daemon, type Settings } from '../crash/support/daemon.ts';
import { contractSettings } from '../crash/support/world-settings.ts';

/** A feed: a process that is started again whenever it ends, where it was. */
export interface ClusterFeed {
  readonly url: string;
  /** The process that runs now. */
  daemon(): Daemon;
  /** Leaves it ended until `release`. */
  hold(): void;
  release(): void;
  /** Processes that read from it now; 0 while it does not answer. */
  readers(): Promise<number>;
}

/** What feeds and machines prove to each other. */
const LINK_SECRET = 'the secret of the links of a cluster';
const FEEDS = 2;
const POLL_MS = 20;
/** Longer than a process takes to start, and a reader to find it, on a busy machine. */
const SEEN_WITHIN_MS = 60_000;

/** Has a process go where it reads prices and books. */
export function linkedSettings(feeds: readonly ClusterFeed[]): Settings {
  return {
    PREDICTD_FEED_URLS: feeds.map(({ url }) => url).join(','),
    PREDICTD_LINK_SECRET: LINK_SECRET,
  };
}

/** What feeds alone have to know of a world. */
const READ = /_(KEY|SECRET|PASSPHRASE)$/;
const OF_SOURCES = /^PREDICTD_(INFERENCE|DATA_STREAMS)_/;

/** The settings of a world without the keys of its sources, which feeds alone have. */
export function withoutSources(settings: Settings): Settings {
  return Object.fromEntries(Object.entries(settings).filter(([name]) => !isOfSource(name)));
}

function isOfSource(name: string): boolean {
  return READ.test(name) && OF_SOURCES.test(name);
}

/** Starts the feeds and waits until each answers. */
export async function startFeeds(
  world: World,
  isClosing: () => boolean,
  print: (line: string) => void,
): Promise<readonly ClusterFeed[]> {
  const settings = Object.fromEntries(
    Object.entries(contractSettings(world)).filter(
      ([name]) => !READ.test(name) || isOfSource(name),
    ),
  );
  return Promise.all(
    Array.from({ length: FEEDS }, async (_, number): Promise<ClusterFeed> => {
      let port = '0';
      let isHeld = false;
      const start = (): Daemon => {
        const started = startDaemon({
          ...settings,
          PREDICTD_ROLE: 'feed',
          PREDICTD_PORT: port,
          PREDICTD_LINK_SECRET: LINK_SECRET,
          PREDICTD_LOG_LEVEL: 'warn',
        });
        void started.ended.then(({ code, signal }) => {
          if (isClosing() || isHeld) return;
          print(`feed ${number} ended with ${code ?? signal}, and is started again`);
          daemon = start();
        });
        return started;
      };
      let daemon = start();
      const url = await daemon.url();
      ({ port } = new URL(url));
      return {
        url,
        daemon: () => daemon,
        hold: () => void (isHeld = true),
        release() {
          isHeld = false;
          daemon = start();
        },
        async readers() {
          const answer = await fetch(`${url}/metrics`).catch(() => null);
          const [, readers = '0'] =
            /^predictd_feed_readers_open (\d+)$/m.exec((await answer?.text()) ?? '') ?? [];
          return Number(readers);
        },
      };
    }),
  );
}

/** Waits until something of the feeds is so. Errors: it is not so for a minute. */
export async function untilSo(what: string, isSo: () => boolean | Promise<boolean>): Promise<void> {
  const untilMs = performance.now() + SEEN_WITHIN_MS;
  while (!(await isSo())) {
    if (performance.now() > untilMs) throw new Error(`${what}: not within a minute`);
    await wait(POLL_MS);
  }
}
