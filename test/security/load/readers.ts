import { loopback } from '../ask.ts';
import { openLine, requestBytes, type Line } from './line.ts';
import type { Citizen } from './environment.ts';

/** A question whose answer is known in part. */
interface Question {
  readonly bytes: Buffer;
  /** What is wrong with the body of a good answer; null when nothing is. */
  check(body: string): string | null;
}

/** What a flood of readers saw. */
export interface ReaderFigures {
  readonly seconds: number;
  readonly offered: number;
  readonly answered: number;
  /** Refused with 429 or 503 and a Retry-After: over a budget, or too much at once. */
  readonly refused: number;
  readonly overBudget: number;
  /** Offered while every line was waiting: the machine did not take them in. */
  readonly unsent: number;
  /** Wrong bodies, other statuses, refusals that do not say when to come back, lost connections. */
  readonly faults: readonly string[];
  readonly answeredMs: readonly number[];
  readonly refusedMs: readonly number[];
}

/** Readers on many lines, each from an address of its own. */
export interface Readers {
  /** Asks without a pause on `lines` lines: what comes is what the machine holds. */
  saturate(lines: number, seconds: number): Promise<ReaderFigures>;
  /** Offers so many questions a second whatever comes of them. */
  flood(perSecond: number, seconds: number): Promise<ReaderFigures>;
  close(): void;
}

const TICK_MS = 5;
const FAULTS_KEPT = 20;

/** Opens the lines; every answer is looked at, not only counted. */
export async function openReaders(
  port: number,
  citizens: readonly Citizen[],
  tokenId: string | null,
  lineCount: number,
): Promise<Readers> {
  const lines: Line[] = await Promise.all(
    Array.from({ length: lineCount }, (_, index) => openLine(port, loopback(index + 1))),
  );
  /**
   * Lines that were idle too long are opened anew before a run, never within one: there a lost line
   * is a fault.
   */
  const reopen = () =>
    Promise.all(
      lines.map(async ({ isOver }, index) => {
        if (isOver) lines[index] = await openLine(port, loopback(index + 1));
      }),
    );
  const questions = citizens.flatMap((citizen) => questionsOf(citizen, tokenId));
  let asked = 0;
  const next = (): Question => {
    asked += 1;
    const question = questions[asked % questions.length];
    if (question === undefined) throw new Error('there is no question to ask');
    return question;
  };
  return {
    async saturate(count, seconds) {
      await reopen();
      const figures = createFigures();
      const endMs = performance.now() + seconds * 1_000;
      await Promise.all(
        lines.slice(0, count).map(async (line) => {
          while (performance.now() < endMs && line.isFree)
            await figures.ask(line, next(), performance.now());
        }),
      );
      return figures.end(seconds);
    },
    async flood(perSecond, seconds) {
      await reopen();
      const figures = createFigures();
      const beganMs = performance.now();
      await new Promise<void>((resolve) => {
        const tick = (): void => {
          const elapsedMs = performance.now() - beganMs;
          const due =
            Math.floor((Math.min(elapsedMs, seconds * 1_000) / 1_000) * perSecond) -
            figures.offered();
          const free = lines.filter(({ isFree }) => isFree);
          for (let index = 0; index < due; index += 1) {
            const line = free[index];
            if (line === undefined) figures.unsent();
            else void figures.ask(line, next(), performance.now());
          }
          if (elapsedMs < seconds * 1_000) setTimeout(tick, TICK_MS);
          else resolve();
        };
        tick();
      });
      while (lines.some(({ isFree }) => !isFree) && figures.running() > 0)
        await new Promise((resolve) => setTimeout(resolve, TICK_MS));
      return figures.end(seconds);
    },
    close: () => lines.forEach((line) => line.close()),
  };
}

function createFigures() {
  const faults: string[] = [];
  const answeredMs: number[] = [];
  const refusedMs: number[] = [];
  const counts = { offered: 0, answered: 0, refused: 0, overBudget: 0, unsent: 0, running: 0 };
  const fault = (text: string): void => {
    if (faults.length < FAULTS_KEPT) faults.push(text);
  };
  return {
    offered: () => counts.offered,
    running: () => counts.running,
    unsent() {
      counts.offered += 1;
      counts.unsent += 1;
    },
    async ask(line: Line, question: Question, sinceMs: number): Promise<void> {
      counts.offered += 1;
      counts.running += 1;
      try {
        const { status, retryAfter, body } = await line.ask(question.bytes);
        const tookMs = performance.now() - sinceMs;
        if (status === 200) {
          counts.answered += 1;
          answeredMs.push(tookMs);
          const wrong = question.check(body);
          if (wrong !== null) fault(wrong);
        } else if ((status === 429 || status === 503) && retryAfter !== null) {
          counts.refused += 1;
          if (status === 429) counts.overBudget += 1;
          refusedMs.push(tookMs);
        } else fault(`${status} ${body.slice(0, 200)}`);
      } catch (error) {
        fault(String(error));
      } finally {
        counts.running -= 1;
      }
    },
    end: (seconds: number): ReaderFigures => ({
      seconds,
      offered: counts.offered,
      answered: counts.answered,
      refused: counts.refused,
      overBudget: counts.overBudget,
      unsent: counts.unsent,
      faults,
      answeredMs,
      refusedMs,
    }),
  };
}

function questionsOf({ userId, token }: Citizen, tokenId: string | null): readonly Question[] {
  const get = (
    path: string,
    check: (body: Record<string, unknown>) => boolean,
    as: string | null = token,
  ): Question => ({
    bytes: requestBytes('GET', path, as),
    check: (body) =>
      check(JSON.parse(body)) ? null : `a wrong answer at ${path}: ${body.slice(0, 200)}`,
  });
  return [
    get('/api/user/profile', (body) => body.userId === userId),
    get(
      '/api/venue_a/holding/',
      ({ data, cash }) => Array.isArray(data) && typeof cash === 'object' && cash !== null,
    ),
    get(
      '/api/venue_a/order/?limit=50',
      ({ data, nextCursor }) => Array.isArray(data) && nextCursor === null,
    ),
    get('/api/agents/', ({ data }) => Array.isArray(data) && data.length > 0),
    get('/.well-known/jwks.json', ({ keys }) => Array.isArray(keys) && keys.length > 0, null),
    ...(tokenId === null
      ? []
      : [
          get(
            `/api/venue_a/token/${tokenId}/orderbook/`,
            ({ bids, asks }) => Array.isArray(bids) && Array.isArray(asks),
          ),
        ]),
  ];
}
