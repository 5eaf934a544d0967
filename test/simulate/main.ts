import { fork } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { extname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { fileURLToPath } from 'node:url';
import { countTable } from './day-counts.ts';
import type { SimulationResult } from './simulation.ts';
import type { WorkerAnswer, WorkerTask } from './worker.ts';

const WORKER = fileURLToPath(new URL(`./worker${extname(import.meta.url)}`, import.meta.url));
const USAGE =
  'usage: npm run sim -- simulate [--seeds <count>] [--from <first seed>] [--seed <one seed>] [--days <days of each>] [--machines <1 or 2>] [--record]';
/**
 * Hashes of single days that every machine must come to; `--record` adds and renews. The command
 * runs in the project's folder.
 */
const RECORDED = join(process.cwd(), 'test', 'simulate', 'recorded-days.json');
/**
 * Room for young objects, MiB: a day makes many that are gone at once, and the usual 16 has half of
 * them copied first.
 */
const YOUNG_SPACE_MIB = 128;
/**
 * Each core has a worker of its own: collectors that help each other out would only wait for one
 * another.
 */
const ONE_COLLECTOR = '--single-threaded-gc';
/** Words of one check that are printed; the rest is counted. */
const WORDS_PER_FINDING = 5;

/** What is to be run. */
interface Order {
  readonly seeds: readonly number[];
  readonly days: number;
  readonly machines: number;
  /** Write the hashes down rather than compare them. */
  readonly record: boolean;
}

const recorded: Record<string, string> = existsSync(RECORDED)
  ? (JSON.parse(readFileSync(RECORDED, 'utf8')) as Record<string, string>)
  : {}; // written below
const order = readOrder(process.argv.slice(2));
if (order === null) process.exitCode = 2;
else process.exitCode = (await runAll(order)) ? 0 : 1;

function readOrder(args: readonly string[]): Order | null {
  try {
    const { values } = parseArgs({
      args: [...args],
      options: {
        seeds: { type: 'string' },
        from: { type: 'string' },
        seed: { type: 'string' },
        days: { type: 'string' },
        machines: { type: 'string' },
        record: { type: 'boolean' },
      },
    });
    const { record = false } = values;
    const days = wholeNumber('--days', values.days ?? '1');
    const machines = wholeNumber('--machines', values.machines ?? '1');
    if (machines > 2) throw new RangeError('--machines is 1 or 2');
    if (values.seed !== undefined)
      return { seeds: [wholeNumber('--seed', values.seed)], days, machines, record };
    const from = wholeNumber('--from', values.from ?? '1');
    return {
      seeds: Array.from(
        { length: wholeNumber('--seeds', values.seeds ?? '20') },
        (_, index) => from + index,
      ),
      days,
      machines,
      record,
    };
  } catch (error) {
    console.error(`simulate: ${error instanceof Error ? error.message : String(error)}\n${USAGE}`);
    return null;
  }
}

function wholeNumber(name: string, text: string): number {
  if (!/^[1-9]\d{0,8}$/.test(text))
    throw new RangeError(`${name} is a whole number from 1, not ${text}`);
  return Number(text);
}

/** Lives through all seeds, a process for each core; true when nothing was found. */
async function runAll(order: Order): Promise<boolean> {
  const { seeds, days, record } = order;
  const startedAt = performance.now();
  const waiting = [...seeds];
  const answers: WorkerAnswer[] = [];
  const workers = Math.min(availableParallelism(), seeds.length);
  await Promise.all(
    Array.from({ length: workers }, () =>
      work(waiting, order, (answer) => {
        answers.push(answer);
        report(answer, order);
      }),
    ),
  );
  const bad = answers.filter((answer) => !isGood(answer) || isOtherwise(answer, order));
  if (record && days === 1) {
    for (const answer of answers.filter(isGood))
      if (answer.result !== null) recorded[dayOf(answer.seed, order)] = answer.result.hash;
    writeFileSync(RECORDED, `${JSON.stringify(recorded, null, 2)}\n`);
  }
  const results = answers.flatMap(({ result }) => result ?? []);
  const cpuSecondsPerDay =
    answers.reduce((total, answer) => total + (answer.result === null ? 0 : answer.cpuMs), 0) /
    1_000 /
    Math.max(1, results.length * days);
  const hours = (performance.now() - startedAt) / 3_600_000;
  const sum = (count: (result: SimulationResult) => number) =>
    results.reduce((total, result) => total + count(result), 0);
  console.log(
    `${answers.length * days} days of ${answers.length} seeds in ${(hours * 60).toFixed(1)} min on ${workers} cores, ${Math.round((answers.length * days) / hours)} days an hour: ` +
      `${sum(({ orders }) => orders)} orders, ${sum(({ fills }) => fills)} fills, ${sum(({ lives }) => lives - 1)} power failures; ${bad.length} seeds with findings`,
  );
  console.log(countTable(results.map(({ counts }) => counts)));
  // Other work on the machine stretches the clock on the wall, not the work itself.
  console.log(
    `${cpuSecondsPerDay.toFixed(2)} s of processor a day: ${Math.round((workers * 3_600) / cpuSecondsPerDay)} days an hour on ${workers} cores that do nothing else`,
  );
  return bad.length === 0;
}

/**
 * One worker after another takes seeds until none waits; one that ends with its seed unanswered has
 * failed it.
 */
async function work(
  waiting: number[],
  { days, machines }: Pick<Order, 'days' | 'machines'>,
  onAnswer: (answer: WorkerAnswer) => void,
): Promise<void> {
  while (waiting.length > 0) {
    await new Promise<void>((resolve) => {
      const child = fork(WORKER, {
        execArgv: [`--max-semi-space-size=${YOUNG_SPACE_MIB}`, ONE_COLLECTOR],
        stdio: ['ignore', 2, 2, 'ipc'],
        serialization: 'advanced',
      });
      let current: number | null = null;
      const next = (): void => {
        current = waiting.shift() ?? null;
        if (current === null) child.disconnect();
        else child.send({ seed: current, days, machines } satisfies WorkerTask);
      };
      child.on('message', (message) => {
        // The worker sends nothing else.
        onAnswer(message as WorkerAnswer);
        current = null;
        if (child.connected) next();
      });
      child.on('exit', (code, signal) => {
        if (current !== null)
          onAnswer({
            seed: current,
            result: null,
            failure: `its process ended with ${signal ?? `code ${String(code)}`}`,
          });
        resolve();
      });
      next();
    });
  }
}

function isGood({ result }: WorkerAnswer): boolean {
  return result !== null && Object.keys(result.findings).length === 0;
}

/**
 * True where the hash of this day is on record, and is another: the code has changed since, or the
 * same seed no longer gives the same day (L10).
 */
function isOtherwise({ seed, result }: WorkerAnswer, order: Order): boolean {
  const { days, record } = order;
  const known = recorded[dayOf(seed, order)];
  return result !== null && days === 1 && !record && known !== undefined && known !== result.hash;
}

/** How a single day is named on record. */
function dayOf(seed: number, { machines }: Pick<Order, 'machines'>): string {
  return machines === 1 ? String(seed) : `${seed}, ${machines} machines`;
}

function report(answer: WorkerAnswer, order: Order): void {
  const { seed, result, failure } = answer;
  const { days, machines, record } = order;
  if (result !== null && isGood(answer)) {
    const word = isOtherwise(answer, order)
      ? `, OTHERWISE than recorded: ${recorded[dayOf(seed, order)]}`
      : days === 1 && !record && recorded[dayOf(seed, order)] !== undefined
        ? ', as recorded'
        : '';
    console.log(
      `seed ${seed}: ${result.orders} orders, ${result.fills} fills, ${result.actions === 0 ? '' : `${result.actions} of Safes, `}${result.lives} lives, journal ${result.hash}${word}`,
    );
    return;
  }
  console.log(
    `seed ${seed}: FOUND, again by: npm run sim -- simulate --seed ${seed} --days ${days}${machines === 1 ? '' : ` --machines ${machines}`}`,
  );
  if (failure !== null) console.log(`  ${failure}`);
  for (const [check, words] of Object.entries(result?.findings ?? {})) {
    for (const word of words.slice(0, WORDS_PER_FINDING)) console.log(`  ${check}: ${word}`);
    if (words.length > WORDS_PER_FINDING)
      console.log(`  ${check}: and ${words.length - WORDS_PER_FINDING} more`);
  }
}
