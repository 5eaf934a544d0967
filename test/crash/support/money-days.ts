import { inspect, isDeepStrictEqual } from 'node:util';
import { killKeptDaemons } from './kept-daemon.ts';
import type { Kills } from './kills.ts';
import { moneyDay, type MoneyDayEnd } from './money-day.ts';
import { exactly, leftOut, outcome, rotation, selection } from './money-plan.ts';
import { openMoneyEnvironment, type FaultSchedule } from './money-environment.ts';

/** Steps between two kills of a day, when every step is killed at. */
const APART = 8;
/** Times it goes back for steps that were left out. */
const ROUNDS = 3;
/** Days lived at once: each environment has as many markets, and the machine two cores. */
const AT_ONCE = 4;
/**
 * A day that takes longer has come to a halt: one with a dozen kills takes one minute on two cores.
 */
const TIME_LIMIT_MS = 5 * 60_000;
/** In these the selected steps are killed at as well, when every step is. */
const HARD_FAULT_SCHEDULES = [
  'answers get lost',
  'answers come twice, or are wrong',
  'the chain reorganises',
] as const satisfies readonly FaultSchedule[];

interface Lived {
  readonly name: string;
  readonly end: MoneyDayEnd | null;
  readonly failure: string | null;
  readonly seconds: number;
}

/**
 * Kills the daemon at the selected durable steps of a day of money and prints what came of it; with
 * `isAll` at every step, and at the selected ones also while answers get lost, come twice or are
 * wrong, and while the venue's chain takes blocks back. True when all days came to the same end and
 * no step was left out.
 */
export async function liveMoneyDays(isAll: boolean): Promise<boolean> {
  const [whole] = await live([{ name: 'not killed', kills: null }]);
  const end = whole?.end;
  if (whole === undefined || end === null || end === undefined) {
    console.error(`crash: the day without kills failed: ${whole?.failure ?? ''}`);
    return false;
  }
  const { steps } = end;
  const selected = selection.flatMap(({ way, kills }) =>
    kills === null ? [] : [{ name: way, kills }],
  );
  const calm = isAll
    ? await live(
        rotation(steps, APART).map((kills, turn) => ({
          name: `every ${APART}th step, from step ${turn + 1}`,
          kills,
        })),
      )
    : await live(selected);
  const all: Lived[] = isAll ? [...calm, ...(await liveLeftOut(steps, calm))] : [...calm];
  const left = leftOut(steps, ends(all));
  for (const faultSchedule of isAll ? HARD_FAULT_SCHEDULES : [])
    all.push(
      ...(await live(
        selected.map(({ name, kills }) => ({ name: `${faultSchedule}; ${name}`, kills })),
        faultSchedule,
      )),
    );
  console.log(tableOf([whole, ...all], end));
  console.log(
    `\nsteps ${steps.length}, killed before ${steps.length - left.before.length}, after ${steps.length - left.after.length}, kills ${all.reduce((sum, day) => sum + (day.end?.killedAt.length ?? 0), 0)}`,
  );
  for (const [moment, names] of Object.entries(isAll ? left : {}))
    for (const name of names) console.log(`  not killed ${moment}: ${name}`);
  for (const day of all)
    if (!isSame(day, end))
      console.log(
        `\n${day.name}: ${day.failure ?? inspect(day.end, { depth: 9, breakLength: 200 })}`,
      );
  return (
    all.every((day) => isSame(day, end)) && (!isAll || left.before.length + left.after.length === 0)
  );
}

/**
 * Goes back for steps that earlier kills hurried past: after a kill an action may be found further
 * on than it would have been.
 */
async function liveLeftOut(
  steps: readonly string[],
  killed: readonly Lived[],
): Promise<readonly Lived[]> {
  const again: Lived[] = [];
  for (let round = 1; round <= ROUNDS; round += 1) {
    const { before, after } = leftOut(steps, ends([...killed, ...again]));
    const days = [
      { name: `before ${before.length} left out`, kills: { before: exactly(before), after: null } },
      { name: `after ${after.length} left out`, kills: { before: null, after: exactly(after) } },
    ].filter(({ kills }) => kills.before !== null || kills.after !== null);
    again.push(...(await live(days)));
  }
  return again;
}

function ends(days: readonly Lived[]): readonly MoneyDayEnd[] {
  return days.flatMap(({ end }) => (end === null ? [] : [end]));
}

/** Lives days, some at once in each environment; a day that fails ends none of the others. */
async function live(
  days: readonly { readonly name: string; readonly kills: Kills | null }[],
  faultSchedule: FaultSchedule = 'calm',
): Promise<readonly Lived[]> {
  const lived: Lived[] = [];
  for (let from = 0; from < days.length; from += AT_ONCE) {
    const environment = await openMoneyEnvironment(faultSchedule);
    const limit = setTimeout(() => void killKeptDaemons(), TIME_LIMIT_MS);
    lived.push(
      ...(await Promise.all(
        days.slice(from, from + AT_ONCE).map(async ({ name, kills }, number): Promise<Lived> => {
          const startedAt = performance.now();
          const outcomeOf = await moneyDay(environment, number, kills).then(
            (end) => ({ end, failure: null }),
            (cause: unknown) => ({ end: null, failure: inspect(cause) }),
          );
          const seconds = (performance.now() - startedAt) / 1_000;
          console.error(
            `crash: ${name} ${outcomeOf.failure === null ? 'lived' : 'failed'} in ${seconds.toFixed(0)} s`,
          );
          return { name, ...outcomeOf, seconds };
        }),
      )),
    );
    clearTimeout(limit);
    await environment.close();
  }
  return lived;
}

function isSame({ end }: Lived, whole: MoneyDayEnd): boolean {
  return end !== null && isDeepStrictEqual(outcome(end), outcome(whole));
}

function tableOf(days: readonly Lived[], whole: MoneyDayEnd): string {
  const rows = days.map(
    (day) =>
      `| ${day.name} | ${day.end?.steps.length ?? '–'} | ${day.end?.killedAt.length ?? '–'} | ${day.end?.lives ?? '–'} | ${day.seconds.toFixed(0)} s | ${isSame(day, whole) ? 'equal' : '**differs**'} |`,
  );
  return [
    '| day | steps met | killed | lives | took | end |',
    '| --- | ---: | ---: | ---: | ---: | --- |',
    ...rows,
  ].join('\n');
}
