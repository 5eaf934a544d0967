import { inspect, isDeepStrictEqual } from 'node:util';
import { killDaemons, type Ending } from './daemon.ts';
import { DEMO, endOf, StruckFolder, type Step, type Strike } from './struck-life.ts';

/** Lives at once: most of a start is waiting. */
const AT_ONCE = 3;
/** A life and the one after it take some seconds, a minute on a busy machine. */
const TIME_LIMIT_MS = 5 * 60_000;

/** A strike, and the folder its life begins with: empty, or one that has been lived in. */
interface Case {
  readonly strike: Strike;
  readonly begins: 'first' | 'later';
}

/**
 * Strikes the daemon and its world at the durable steps of a first start, of a later one and of
 * their ends, by SIGKILL and by SIGTERM and SIGINT in turn, and starts it again each time. `isAll`
 * takes each step, else the first and the last of each kind. `only` narrows by the words of a case.
 * True when all came up again.
 */
export async function strikeEverywhere({
  isAll,
  only,
}: {
  readonly isAll: boolean;
  readonly only: RegExp;
}): Promise<boolean> {
  const lived = new StruckFolder();
  const steps = { first: await stepsOf(lived), later: await stepsOf(lived) };
  const cases = (['first', 'later'] as const)
    .flatMap((begins) => casesOf(steps[begins], isAll).map((strike): Case => ({ strike, begins })))
    .filter((each) => only.test(wordsOf(each)));
  console.log(
    `crash: ${steps.first.length} steps of a first life, ${steps.later.length} of a later one; ${cases.length} strikes`,
  );
  const failures: string[] = [];
  const missed: string[] = [];
  const left = cases.entries();
  const work = async (): Promise<void> => {
    for (const [index, each] of left) {
      const found = await judge(each, lived, index);
      if (found === 'missed') missed.push(wordsOf(each));
      else if (found !== null) failures.push(`${wordsOf(each)}: ${found}`);
      console.error(
        `crash: ${index + 1}/${cases.length} ${wordsOf(each)} ${found === null ? 'came up again' : found}`,
      );
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  lived.remove();
  console.log(
    `crash: ${cases.length} strikes, ${missed.length} not met, ${failures.length} failed`,
  );
  for (const failure of failures) console.log(`  ${failure}`);
  return failures.length === 0;
}

function wordsOf({ strike: { signals, moment, step }, begins }: Case): string {
  return `${signals.join(' and ')} ${moment} ${step} of a ${begins} life`;
}

async function stepsOf(folder: StruckFolder): Promise<readonly Step[]> {
  const life = folder.start(null);
  const ending = await endOf(life, folder, null);
  if (ending.code !== 0)
    throw new Error(
      `the life that was not struck ended with ${inspect(ending)}: ${life.complained()}`,
    );
  await folder.untilLeft(life);
  return folder.steps();
}

function casesOf(steps: readonly Step[], isAll: boolean): readonly Strike[] {
  const chosen = isAll ? steps : firstsAndLasts(steps);
  return chosen.flatMap(({ step, isWrite }, index) => {
    const kills = (['before', ...(isWrite ? (['within'] as const) : []), 'after'] as const).map(
      (moment): Strike => ({ step, moment, signals: ['SIGKILL'] }),
    );
    return [...kills, { step, moment: 'after', signals: [index % 2 === 0 ? 'SIGTERM' : 'SIGINT'] }];
  });
}

function firstsAndLasts(steps: readonly Step[]): readonly Step[] {
  const kindOf = ({ step }: Step): string => step.replace(/ #\d+$/, '');
  const kinds = new Map<string, readonly Step[]>();
  for (const step of steps) kinds.set(kindOf(step), [kinds.get(kindOf(step))?.[0] ?? step, step]);
  return steps.filter((step) => kinds.get(kindOf(step))?.includes(step) === true);
}

/** Null when all was well, `missed` when the life never came to the step, else what was wrong. */
async function judge(
  { strike, begins }: Case,
  lived: StruckFolder,
  index: number,
): Promise<string | null> {
  const folder = new StruckFolder(begins === 'first' ? null : lived.path);
  const limit = setTimeout(() => void killDaemons(), TIME_LIMIT_MS);
  try {
    const life = folder.start(strike);
    const ending = await endOf(life, folder, strike);
    const isMet = folder.isStruck();
    const isKilled = isMet && strike.signals[0] === 'SIGKILL';
    const expected: Ending = isKilled
      ? { code: null, signal: 'SIGKILL' }
      : { code: 0, signal: null };
    if (!isDeepStrictEqual(ending, expected))
      return `ended with ${inspect(ending)}: ${life.complained()}`;
    if (life.complained() !== '') return `complained: ${life.complained()}`;
    // A supervisor starts the next at once, a person later.
    if (!isKilled || index % 2 === 0) await folder.untilLeft(life);
    const reported = await folder.head();
    const next = folder.start(null);
    const demo = DEMO.exec(life.printed())?.[1];
    const [, userId] = await next.saw(DEMO);
    if (demo !== undefined && demo !== userId)
      return `the demo user was ${demo} and is ${userId ?? ''}`;
    next.signal('SIGTERM');
    const end = await next.ended;
    if (end.code !== 0 || next.complained() !== '')
      return `the next ended with ${inspect(end)}: ${next.complained()}`;
    await folder.untilLeft(next);
    const faults = await folder.journalFaults(reported);
    if (faults.length > 0) return `the journal afterwards: ${inspect(faults)}`;
    folder.remove();
    return isMet ? null : 'missed';
  } catch (cause) {
    return `${cause instanceof Error ? cause.message : inspect(cause)} (${folder.path})`;
  } finally {
    clearTimeout(limit);
  }
}
