import { afterEach, beforeEach, expect, it, vi } from 'vitest';

type Ask = (signal: AbortSignal) => Promise<Response>;

let asks: AbortSignal[];
let answer: Ask;

beforeEach(() => {
  vi.useFakeTimers();
  vi.resetModules();
  asks = [];
  const stored = new Map([['predictd.signed-in', 'yes']]);
  vi.stubGlobal('localStorage', {
    getItem: (key: string) => stored.get(key) ?? null,
    setItem: (key: string, value: string) => void stored.set(key, value),
    removeItem: (key: string) => void stored.delete(key),
  });
  vi.stubGlobal(
    'BroadcastChannel',
    class extends EventTarget {
      postMessage(): void {}
    },
  );
  vi.stubGlobal('navigator', {
    locks: {
      request: async (_name: string, _options: object, work: () => Promise<string>) => work(),
    },
  });
  vi.stubGlobal('fetch', (_url: string, { signal }: { readonly signal: AbortSignal }) => {
    asks.push(signal);
    return answer(signal);
  });
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

/** Never answers; ends with its signal. */
const SILENT: Ask = (signal) =>
  new Promise((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(new Error('aborted')));
  });

async function aSession() {
  return (await import('../../../src/web/api/session.ts')).session;
}

it('a start that gets no answer is given up sooner than its token is taken for a stolen one', async () => {
  answer = SILENT;
  const session = await aSession();
  const started = session.start();
  expect(session.state).toEqual({ kind: 'starting', isUnanswered: false });
  await vi.advanceTimersByTimeAsync(8_000);
  await started;
  expect(session.state).toEqual({ kind: 'starting', isUnanswered: true });
  expect(asks.map(({ aborted }) => aborted)).toEqual([true]);
});

it('the next try asks anew, and its answer signs in', async () => {
  answer = SILENT;
  const session = await aSession();
  const started = session.start();
  await vi.advanceTimersByTimeAsync(8_000);
  await started;
  const user = { userId: 'usr_a' };
  const body = { accessToken: 'token', accessExpiresAtMs: Date.now() + 900_000, user };
  answer = async () => new Response(JSON.stringify(body));
  await session.start();
  expect(session.state).toEqual({ kind: 'signed_in', user });
  expect(asks).toHaveLength(2);
});

it('a start whose token is refused is signed out, and not unanswered', async () => {
  const problem = { code: 'token_invalid', title: 'No', detail: 'no' };
  answer = async () => new Response(JSON.stringify(problem), { status: 401 });
  const session = await aSession();
  await session.start();
  expect(session.state).toEqual({ kind: 'signed_out', wasSignedIn: false });
});

it('a session that ended elsewhere is said to have ended, however many calls meet its end', async () => {
  const user = { userId: 'usr_a' };
  const body = { accessToken: 'token', accessExpiresAtMs: Date.now() + 900_000, user };
  answer = async () => new Response(JSON.stringify(body));
  const session = await aSession();
  await session.start();
  const problem = { code: 'token_invalid', title: 'No', detail: 'no' };
  answer = async () => new Response(JSON.stringify(problem), { status: 401 });
  await expect(session.renewed('token')).rejects.toMatchObject({ code: 'unauthenticated' });
  await expect(session.renewed('token')).rejects.toMatchObject({ code: 'unauthenticated' });
  expect(session.state).toEqual({ kind: 'signed_out', wasSignedIn: true });
  await session.signOut();
  expect(session.state).toEqual({ kind: 'signed_out', wasSignedIn: false });
});
