import { createHash } from 'node:crypto';
import { Worker } from 'node:worker_threads';
import { API } from '../../../config/limits/api.ts';
import type { Citizen, Environment } from './environment.ts';
import { quantile } from './figures.ts';
import { openLine, requestBytes } from './line.ts';

/** Connections of one flood, all from the address the measured user has too. */
const CONNECTIONS = 64;
const READS = 30;
/** Between two reads of the measured user: they stay within API.readsPerMinute. */
const PAUSE_MS = 100;
const READS_ANSWERED_MINIMUM = 29;
const MEDIAN_TIMES_MAXIMUM = 5;
/** Forged tokens of one flood: more than any cache of refused ones would sensibly hold. */
const FORGED_TOKENS = 20_000;

interface Flood {
  readonly name: string;
  readonly requests: readonly string[];
  /** True of calls within a budget, which are held to no bar. */
  readonly isAllowed?: boolean;
}

/** What came of thirty reads. */
interface Reads {
  readonly answered: number;
  readonly medianMs: number;
}

/**
 * Floods the daemon in six ways while a user within budget reads; says what came of the reads, and
 * returns what misses the bar: 29 of 30 at five times the quiet median.
 */
export async function runFloods(
  { port }: Pick<Environment, 'port'>,
  [reader, other]: readonly [Citizen, Citizen],
  say: (line: string) => void,
): Promise<readonly string[]> {
  const faults: string[] = [];
  for (const { name, requests, isAllowed = false } of floodsOf(other)) {
    const quiet = await read(port, reader);
    const counts = new Int32Array(new SharedArrayBuffer(16));
    const worker = new Worker(new URL('flood-worker.mjs', import.meta.url), {
      workerData: { port, connections: CONNECTIONS, requests, counts },
    });
    await pause(2_000);
    const beganMs = performance.now();
    const flooded = await read(port, reader);
    const tookMs = performance.now() - beganMs + 2_000;
    await stop(worker, counts);
    const [, answered = 0, refused = 0, closed = 0] = counts;
    const perSecond = (count: number): number => Math.round((count / tookMs) * 1_000);
    say(
      `flood of ${name}: ${perSecond(answered)} answered and ${perSecond(refused)} refused a second, ${closed} connections closed; ${flooded.answered} of ${READS} reads of a user, median ${flooded.medianMs.toFixed(1)} ms (quiet ${quiet.answered}, ${quiet.medianMs.toFixed(1)} ms)`,
    );
    if (flooded.answered < READS_ANSWERED_MINIMUM)
      faults.push(`${flooded.answered} of ${READS} reads under a flood of ${name}`);
    if (!isAllowed && flooded.medianMs > quiet.medianMs * MEDIAN_TIMES_MAXIMUM)
      faults.push(
        `a read takes ${flooded.medianMs.toFixed(1)} ms under a flood of ${name}, ${quiet.medianMs.toFixed(1)} ms without`,
      );
    await pause(1_000);
  }
  return faults;
}

function floodsOf({ token }: Citizen): readonly Flood[] {
  const get = (path: string, as: string | null = null): string =>
    requestBytes('GET', path, as).toString('latin1');
  const forged = Array.from({ length: FORGED_TOKENS }, (_, index) =>
    get('/api/user/profile', forgedFrom(token, index)),
  );
  const wrong = JSON.stringify({ challengeId: 'otp_00000000000000000000000000', code: '123456' });
  const codes = `POST /api/auth/otp/verify HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: ${wrong.length}\r\n\r\n${wrong}`;
  const list = get(`/api/venue_a/markets/?limit=${API.pageMaximum}`, token);
  return [
    { name: 'forged tokens', requests: forged },
    { name: 'calls without a token', requests: [get('/api/user/profile')] },
    // within budget for a minute's worth: what they take is theirs, and only said
    { name: 'lists for a user', requests: [list], isAllowed: true },
    {
      name: 'lists for a user over budget',
      requests: [
        ...many(API.readsPerMinute, get('/api/user/profile', token)),
        ...many(FORGED_TOKENS, list),
      ],
    },
    { name: '/healthz', requests: [get('/healthz')] },
    {
      name: 'sign-ins, documents, /readyz and forged tokens',
      requests: [
        codes,
        get('/openapi.json'),
        get('/readyz'),
        get('/nowhere'),
        ...forged.slice(0, 2),
      ],
    },
  ];
}

function many(count: number, request: string): readonly string[] {
  return Array.from({ length: count }, () => request);
}

/** The token with a signature of its own length that is not ours. */
function forgedFrom(token: string, index: number): string {
  const [header, payload] = token.split('.');
  const signature = createHash('sha512').update(String(index)).digest('base64url');
  return `${header}.${payload}.${signature}`;
}

async function read(port: number, { token, userId }: Citizen): Promise<Reads> {
  const request = requestBytes('GET', '/api/user/profile', token);
  let line = await openLine(port, '127.0.0.1');
  let answered = 0;
  const tookMs: number[] = [];
  for (let count = 0; count < READS; count += 1) {
    await pause(PAUSE_MS);
    if (line.isOver) line = await openLine(port, '127.0.0.1');
    const sinceMs = performance.now();
    const { status, body } = await line.ask(request).catch(() => ({ status: 0, body: '' }));
    tookMs.push(performance.now() - sinceMs);
    if (status === 200 && body.includes(userId)) answered += 1;
  }
  line.close();
  return { answered, medianMs: quantile(tookMs, 0.5) };
}

function stop(worker: Worker, counts: Int32Array): Promise<void> {
  return new Promise((resolve, reject) => {
    worker.once('exit', () => resolve());
    worker.once('error', reject);
    Atomics.store(counts, 0, 1);
  });
}

function pause(forMs: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, forMs));
}
