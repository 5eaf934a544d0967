import { startDaemon, type Daemon, type Settings } from '../crash/support/daemon.ts';
import type { Target } from './proxy/proxy.ts';

/** A daemon that is killed and started again over one data folder. */
export interface KeptService {
  /** Where the current life answers, once it does. Rejects when the daemon ended by itself. */
  url(): Promise<string>;
  /** Where the current life answers; null while it does not yet. */
  target(): Target | null;
  lives(): number;
  /** Rejects when a life has ended by anything but what was asked for here. */
  readonly lost: Promise<never>;
  /** What has been printed by the current life. */
  printed(): string;
  pid(): number;
  /** SIGKILL, and the next life begins. Resolves when it answers. */
  restart(): Promise<void>;
  /** Ends the last life in order. Throws when it did not end with 0. */
  end(): Promise<void>;
  kill(): Promise<void>;
}

/** Starts a daemon and keeps it. */
export function keepService(settings: Settings): KeptService {
  let lives = 0;
  let at: Target | null = null;
  let expected: Daemon | null = null;
  let lose: (cause: Error) => void = () => undefined;
  const lost = new Promise<never>((_resolve, reject) => {
    lose = reject;
  });
  lost.catch(() => undefined); // who waits for something of the daemon's hears of it
  let life = begin();

  function begin(): Daemon {
    lives += 1;
    at = null;
    const daemon = startDaemon(settings);
    daemon.url().then(
      (url) => {
        const { hostname: host, port } = new URL(url);
        if (daemon === life) at = { host, port: Number(port) };
      },
      () => undefined,
    );
    void daemon.ended.then(({ code, signal }) => {
      if (daemon !== expected)
        lose(
          new Error(`the daemon ended by itself with ${code ?? signal}: ${daemon.complained()}`),
        );
    });
    return daemon;
  }

  /** Ends the current life by a signal, and gives how it ended. */
  function endBy(name: NodeJS.Signals): Daemon['ended'] {
    at = null;
    expected = life;
    life.signal(name);
    return life.ended;
  }

  return {
    url: () => life.url(),
    target: () => at,
    lives: () => lives,
    printed: () => life.printed(),
    pid: () => life.pid,
    lost,
    async restart() {
      await endBy('SIGKILL');
      life = begin();
      await life.url();
    },
    async end() {
      const { signal, code } = await endBy('SIGTERM');
      if (code !== 0)
        throw new Error(`the daemon ended with ${code ?? signal}: ${life.complained()}`);
    },
    async kill() {
      await endBy('SIGKILL');
    },
  };
}
