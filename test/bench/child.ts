import { BENCH_NAMES, type Bench, type ChildAnswer } from './row.ts';

// One benchmark in a process of its own: what the others leave in heap and compiled code is not its
// affair.
const [, , name] = process.argv;
if (!BENCH_NAMES.some((known) => known === name))
  throw new Error(`no benchmark is called ${String(name)}`);
// Every file named there exports the run of a benchmark; the compiler sees them through `main.ts`
// only by name.
const bench = (await import(
  new URL(`./${name}${import.meta.url.slice(-3)}`, import.meta.url).href
)) as Bench;
const rows = await bench.run();
const answer: ChildAnswer = { rows };
// Sockets and workers that peers leave open must not keep a finished benchmark alive.
process.send?.(answer, () => process.exit(0));
