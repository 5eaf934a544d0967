import type { Daemon, Settings } from '../crash/support/daemon.ts';
import { startDaemon } from '../crash/support/daemon.ts';
import type { Target } from './proxy/proxy.ts';

/** A daemon that is killed and started again over one data folder. */
export interface KeptService {
  /** Where the current life answers, once it does. Rejects when the daemon ended by itself. */
  url(): Promise<string>;
  /** Where the current life answers; null while it does not yet. */
  target(): Target | null;
  lives(): number;
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
  let life = begin();

  function begin(): Daemon {
    lives += 1;
    at = null;
    const daemon = startDaemon(settings);
    daemon.url().then((url) => {
      const { hostname: host, port } = new URL(url);
      if (daemon === life) at = { host, port: Number(port) };
    }, () => undefined);
    return daemon;
  }

  return {
    url: () => life.url(),
    target: () => at,
    lives: () => lives,
    printed: () => life.printed(),
    pid: () => life.pid,
    async restart() {
      const last = life;
      at = null;
      last.signal('SIGKILL');
      const { signal, code } = await last.ended;
      if (signal !== 'SIGKILL') throw new Error(`the daemon ended by itself with ${code ?? signal}: ${last.complained()}`);
      life = begin();
      await life.url();
    },
    async end() {
      at = null;
      life.signal('SIGTERM');
      const { signal, code } = await life.ended;
      if (code !== 0) throw new Error(`the daemon ended with ${code ?? signal}: ${life.complained()}`);
    },
    async kill() {
      at = null;
      life.signal('SIGKILL');
      await life.ended;
    },
  };
}
