// `npm run sim -- crash`: cuts the power at every durable write of every scenario in the model,
// kills real processes at a sample of them, and kills the daemon at the durable steps of a day of
// money, and of its starts and ends. See USAGE for parts of it.
import { parseArgs } from 'node:util';
import { allScenarios, type ListedScenario } from './scenarios/table.ts';
import { cutEverywhere, replay } from './support/cut-everywhere.ts';
import { killEverywhere } from './support/kill-everywhere.ts';
import { MOMENTS, type CutPoint, type Moment } from './support/live-through.ts';
import { liveMoneyDays } from './support/money-days.ts';
import { liveRestores } from './support/restore-rounds.ts';
import { strikeEverywhere } from './support/strike-everywhere.ts';

/** Processes killed a scenario, unless set otherwise: together more than three hundred. */
const KILLS_PER_SCENARIO = 5;
const USAGE = `usage: npm run sim -- crash [--model] [--takeover] [--kills [--each <count>]] [--family <name>] [--day] [--starts [--only <words>]] [--restores [--rounds <count>]] [--all]
       npm run sim -- crash --scenario <name> [--at <write> (--before | --lost | --after | --flushed) [--takeover]] [--killed]
  --model     the power goes at every durable write of every scenario, in memory
  --takeover  the process of every scenario is held up before and after every durable write, and another one takes over meanwhile
  --kills     processes over LMDB are killed at ${KILLS_PER_SCENARIO} writes of each scenario, or as many as --each says
  --family    of these three, the scenarios of one family
  --day       the daemon is killed at sixteen steps of a day of money on the real chains
  --starts    the daemon and its sandbox are killed and asked to end at the steps of a first start, of a later one and of their ends
  --restores  the daemon is killed and its store put back as it was minutes before, twenty times or as often as --rounds says; what it lacks is adopted
  --only      of these, the strikes whose line has these words (a regular expression): --only 'SIGTERM .* of a first'
  --all       kills at every write of a scenario, and at every step of the day and of the starts, the day in all weathers
  --scenario  one scenario alone; with --at one point of it; with --killed in processes
without words: all but the starts, the restores and the take-overs`;

process.exitCode = await run(process.argv.slice(2));

async function run(args: readonly string[]): Promise<number> {
  try {
    const { values } = parseArgs({
      args: [...args],
      options: {
        model: { type: 'boolean' },
        takeover: { type: 'boolean' },
        kills: { type: 'boolean' },
        day: { type: 'boolean' },
        starts: { type: 'boolean' },
        restores: { type: 'boolean' },
        rounds: { type: 'string' },
        only: { type: 'string' },
        all: { type: 'boolean' },
        each: { type: 'string' },
        family: { type: 'string' },
        scenario: { type: 'string' },
        at: { type: 'string' },
        killed: { type: 'boolean' },
        before: { type: 'boolean' },
        lost: { type: 'boolean' },
        after: { type: 'boolean' },
        flushed: { type: 'boolean' },
      },
    });
    const listed = ofFamily(await allScenarios(), values.family);
    const each =
      values.all === true
        ? Number.POSITIVE_INFINITY
        : values.each === undefined
          ? KILLS_PER_SCENARIO
          : wholeNumber('--each', values.each);
    if (values.scenario !== undefined) {
      const one = named(listed, values.scenario);
      const point = pointOf(
        values.at,
        MOMENTS.filter((moment) => values[moment] === true),
      );
      if (values.killed === true)
        return (await killEverywhere([one], {
          each: Number.POSITIVE_INFINITY,
          ...(point === null ? {} : { only: point }),
        }))
          ? 0
          : 1;
      const isTakenOver = values.takeover === true;
      const isRight =
        point === null
          ? await cutEverywhere([one], isTakenOver ? 'take_over' : 'cut')
          : await replay(one, { ...point, isTakenOver });
      return isRight ? 0 : 1;
    }
    if (
      values.at !== undefined ||
      values.killed === true ||
      MOMENTS.some((moment) => values[moment] === true)
    )
      throw new RangeError('--at, its moments and --killed take --scenario');
    if (values.only !== undefined && values.starts !== true)
      throw new RangeError('--only takes --starts');
    const isEverything =
      values.model !== true &&
      values.takeover !== true &&
      values.kills !== true &&
      values.day !== true &&
      values.starts !== true &&
      values.restores !== true;
    const results: boolean[] = [];
    if (isEverything || values.model === true) results.push(await cutEverywhere(listed));
    if (values.takeover === true) results.push(await cutEverywhere(listed, 'take_over'));
    if (isEverything || values.kills === true) results.push(await killEverywhere(listed, { each }));
    if (isEverything || values.day === true) results.push(await liveMoneyDays(values.all === true));
    if (values.starts === true)
      results.push(
        await strikeEverywhere({ isAll: values.all === true, only: patternOf(values.only ?? '') }),
      );
    if (values.restores === true)
      results.push(await liveRestores(wholeNumber('--rounds', values.rounds ?? '20')));
    return results.every((isGood) => isGood) ? 0 : 1;
  } catch (error) {
    if (!(error instanceof TypeError || error instanceof RangeError)) throw error;
    console.error(`crash: ${error.message}\n${USAGE}`);
    return 2;
  }
}

function ofFamily(
  listed: readonly ListedScenario[],
  family: string | undefined,
): readonly ListedScenario[] {
  const found = listed.filter(({ scenario }) => family === undefined || scenario.family === family);
  if (found.length === 0)
    throw new RangeError(
      `no family is called ${String(family)}; there are ${[...new Set(listed.map(({ scenario }) => scenario.family))].join(', ')}`,
    );
  return found;
}

function named(listed: readonly ListedScenario[], name: string): ListedScenario {
  const found = listed.find(({ scenario }) => scenario.name === name);
  if (found === undefined)
    throw new RangeError(
      `no scenario is called ${name}; there are ${listed.map(({ scenario }) => scenario.name).join(', ')}`,
    );
  return found;
}

/** The point that is asked for; null for all of them. */
function pointOf(at: string | undefined, moments: readonly Moment[]): CutPoint | null {
  if (at === undefined && moments.length === 0) return null;
  const [moment] = moments;
  if (at === undefined || moment === undefined || moments.length > 1)
    throw new RangeError(
      '--at takes one of --before, --lost, --after and --flushed, and these take --at',
    );
  return { moment, write: wholeNumber('--at', at) };
}

function patternOf(words: string): RegExp {
  try {
    return new RegExp(words);
  } catch {
    throw new RangeError(`--only is no regular expression: ${words}`);
  }
}

function wholeNumber(name: string, text: string): number {
  if (!/^[1-9]\d{0,5}$/.test(text))
    throw new RangeError(`${name} is a whole number from 1, not ${text}`);
  return Number(text);
}
