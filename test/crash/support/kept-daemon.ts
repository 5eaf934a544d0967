import { startDaemon, type Daemon, type Ending, type Settings } from './daemon.ts';

/**
 * A daemon that is started again whenever it was killed, and a caller who repeats what was cut off.
 */
export interface KeptDaemon {
  /** Starts so far. */
  lives(): number;
  useToken(token: string): void;
  /**
   * One call, repeated with the same key until some life answers it; `allowed` lists refusals that
   * count as answers.
   */
  call<Answer>(
    method: string,
    path: string,
    body?: object,
    key?: string | null,
    allowed?: readonly number[],
  ): Promise<Answer>;
  /** Asks until the answer satisfies. */
  until<Answer>(
    ask: () => Promise<Answer>,
    satisfies: (answer: Answer) => boolean,
  ): Promise<Answer>;
  /** All that was printed, over all lives. */
  printed(): string;
  /** Ends the last life in order. Throws when it did not end with 0. */
  end(): Promise<void>;
  kill(): Promise<void>;
}

const kept = new Set<KeptDaemon>();

/** Ends what a test that failed or ran out of time has left. */
export async function killKeptDaemons(): Promise<void> {
  await Promise.all([...kept].map((daemon) => daemon.kill()));
}

/**
 * Keeps a daemon alive over one data folder. A life that ends by anything but SIGKILL ends it all
 * with an error.
 */
export function keepAlive(
  settings: Settings,
  { preload, environment }: { readonly preload: string; readonly environment: Settings },
): KeptDaemon {
  let lives = 0;
  let token: string | null = null;
  let failure: Error | null = null;
  let isEnding = false;
  let earlier = '';
  let current = begin();

  function begin(): Daemon {
    lives += 1;
    const life = startDaemon({ ...settings, ...environment }, { preload });
    void life.ended.then((ending) => {
      if (isEnding) return;
      if (ending.signal === 'SIGKILL') {
        earlier += life.printed();
        current = begin();
      } else
        failure = new Error(
          `the daemon ended with ${ending.code ?? ending.signal}: ${life.complained()}`,
        );
    });
    return life;
  }

  async function send(
    method: string,
    path: string,
    body: object | undefined,
    key: string | null,
  ): Promise<Response | null> {
    const life = current;
    try {
      const url = await life.url();
      return await fetch(`${url}${path}`, {
        method,
        headers: {
          'content-type': 'application/json',
          ...(token === null ? {} : { authorization: `Bearer ${token}` }),
          ...(key === null ? {} : { 'idempotency-key': key }),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
    } catch {
      // The life was killed under the call: whatever it did, the next one is asked the same.
      await life.ended;
      return null;
    }
  }

  const daemon: KeptDaemon = {
    lives: () => lives,
    useToken: (given) => void (token = given),
    async call<Answer>(
      method: string,
      path: string,
      body?: object,
      key: string | null = null,
      allowed: readonly number[] = [],
    ) {
      for (;;) {
        if (failure !== null) throw failure;
        if (isEnding) throw new Error(`the daemon was ended before it answered ${method} ${path}`);
        const response = await send(method, path, body, key);
        const text = await response?.text().catch(() => undefined);
        if (response === null || response === undefined || text === undefined) continue;
        // the caller names the route's own answer
        if (response.ok || allowed.includes(response.status)) return JSON.parse(text) as Answer;
        if (!isPassing(response.status, text))
          throw new Error(`${method} ${path} answered ${response.status}: ${text}`);
        await pause();
      }
    },
    async until(ask, satisfies) {
      for (;;) {
        const answer = await ask();
        if (satisfies(answer)) return answer;
        await pause();
      }
    },
    printed: () => earlier + current.printed(),
    async end() {
      isEnding = true;
      const last = current;
      last.signal('SIGTERM');
      const ending: Ending = await last.ended;
      if (ending.code !== 0)
        throw new Error(
          `the daemon ended with ${ending.code ?? ending.signal}: ${last.complained()}`,
        );
    },
    async kill() {
      isEnding = true;
      kept.delete(daemon);
      current.signal('SIGKILL');
      await current.ended;
    },
  };
  kept.add(daemon);
  return daemon;
}

/**
 * Refusals a caller waits out after a start: no book yet, an order still in doubt, a call still
 * running, a Safe on its way, too many calls.
 */
function isPassing(status: number, text: string): boolean {
  return (
    status >= 500 ||
    status === 429 ||
    ['book_untrusted', 'market_fenced', 'request_in_progress', 'wallet_not_ready'].some((code) =>
      text.includes(`"${code}"`),
    )
  );
}

/** Between two questions; nothing waits for a time, only for an answer. */
function pause(): Promise<void> {
  return new Promise((resolve) => void setTimeout(resolve, 60));
}
