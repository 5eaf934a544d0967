import { fork } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { extname } from 'node:path';
import { parseArgs } from 'node:util';
import { fileURLToPath } from 'node:url';
import type { SimulationResult } from './simulation.ts';
import type { WorkerAnswer, WorkerTask } from './worker.ts';

const WORKER = fileURLToPath(new URL(`./worker${extname(import.meta.url)}`, import.meta.url));
const USAGE = 'usage: npm run simulate -- [--seeds <count>] [--from <first seed>] [--seed <one seed>] [--days <days of each>]';
/** Room for young objects, MiB: a day makes many that are gone at once, and the usual 16 has half of them copied first. */
const YOUNG_SPACE_MIB = 64;
/** Words of one check that are printed; the rest is counted. */
const WORDS_PER_FINDING = 5;

/** What is to be run. */
interface Order {
  readonly seeds: readonly number[];
  readonly days: number;
}

const order = readOrder(process.argv.slice(2));
if (order === null) process.exitCode = 2;
else process.exitCode = (await runAll(order)) ? 0 : 1;

function readOrder(args: readonly string[]): Order | null {
  try {
    const { values } = parseArgs({ args: [...args], options: { seeds: { type: 'string' }, from: { type: 'string' }, seed: { type: 'string' }, days: { type: 'string' } } });
    const days = wholeNumber('--days', values.days ?? '1');
    if (values.seed !== undefined) return { seeds: [wholeNumber('--seed', values.seed)], days };
    const from = wholeNumber('--from', values.from ?? '1');
    return { seeds: Array.from({ length: wholeNumber('--seeds', values.seeds ?? '20') }, (_, index) => from + index), days };
  } catch (error) {
    console.error(`simulate: ${error instanceof Error ? error.message : String(error)}\n${USAGE}`);
    return null;
  }
}

function wholeNumber(name: string, text: string): number {
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new RangeError(`${name} is a whole number from 1, not ${text}`);
  return Number(text);
}

/** Lives through all seeds, a process for each core; true when nothing was found. */
async function runAll({ seeds, days }: Order): Promise<boolean> {
  const startedAt = performance.now();
  const waiting = [...seeds];
  const answers: WorkerAnswer[] = [];
  const workers = Math.min(availableParallelism(), seeds.length);
  await Promise.all(Array.from({ length: workers }, () => work(waiting, days, (answer) => {
    answers.push(answer);
    report(answer, days);
  })));
  const bad = answers.filter(({ result }) => result === null || Object.keys(result.findings).length > 0);
  const results = answers.flatMap(({ result }) => result ?? []);
  const cpuSecondsPerDay = answers.reduce((total, answer) => total + (answer.result === null ? 0 : answer.cpuMs), 0) / 1_000 / Math.max(1, results.length * days);
  const hours = (performance.now() - startedAt) / 3_600_000;
  const sum = (count: (result: SimulationResult) => number) => results.reduce((total, result) => total + count(result), 0);
  console.log(`${answers.length * days} days of ${answers.length} seeds in ${(hours * 60).toFixed(1)} min on ${workers} cores, ${Math.round((answers.length * days) / hours)} days an hour: ` +
    `${sum(({ orders }) => orders)} orders, ${sum(({ fills }) => fills)} fills, ${sum(({ lives }) => lives - 1)} power cuts; ${bad.length} seeds with findings`);
  // Other work on the machine stretches the clock on the wall, not the work itself.
  console.log(`${cpuSecondsPerDay.toFixed(2)} s of processor a day: ${Math.round((workers * 3_600) / cpuSecondsPerDay)} days an hour on ${workers} cores that do nothing else`);
  return bad.length === 0;
}

/** One worker after another takes seeds until none waits; one that ends with its seed unanswered has failed it. */
async function work(waiting: number[], days: number, onAnswer: (answer: WorkerAnswer) => void): Promise<void> {
  while (waiting.length > 0) {
    await new Promise<void>((resolve) => {
      const child = fork(WORKER, { execArgv: [`--max-semi-space-size=${YOUNG_SPACE_MIB}`], stdio: ['ignore', 2, 2, 'ipc'], serialization: 'advanced' });
      let current: number | null = null;
      const next = (): void => {
        current = waiting.shift() ?? null;
        if (current === null) child.disconnect();
        else child.send({ seed: current, days } satisfies WorkerTask);
      };
      child.on('message', (message) => {
        // The worker sends nothing else.
        onAnswer(message as WorkerAnswer);
        current = null;
        if (child.connected) next();
      });
      child.on('exit', (code, signal) => {
        if (current !== null) onAnswer({ seed: current, result: null, failure: `its process ended with ${signal ?? `code ${String(code)}`}` });
        resolve();
      });
      next();
    });
  }
}

function report({ seed, result, failure }: WorkerAnswer, days: number): void {
  if (result !== null && Object.keys(result.findings).length === 0) {
    console.log(`seed ${seed}: ${result.orders} orders, ${result.fills} fills, ${result.lives} lives, journal ${result.hash.slice(0, 16)}`);
    return;
  }
  console.log(`seed ${seed}: FOUND, again by: npm run simulate -- --seed ${seed} --days ${days}`);
  if (failure !== null) console.log(`  ${failure}`);
  for (const [check, words] of Object.entries(result?.findings ?? {})) {
    for (const word of words.slice(0, WORDS_PER_FINDING)) console.log(`  ${check}: ${word}`);
    if (words.length > WORDS_PER_FINDING) console.log(`  ${check}: and ${words.length - WORDS_PER_FINDING} more`);
  }
}
