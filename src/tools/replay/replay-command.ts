import { resolve } from 'node:path';
import { SANDBOX } from '../../../config/limits/sandbox.ts';
import type { StrategyId } from '../../domain/agent.ts';
import { AppError } from '../../domain/errors.ts';
import { usageOf } from '../../app/commands.ts';
import { STRATEGIES } from '../../domain/strategy/table.ts';
import { formatMicros, usdcMicros } from '../../domain/units.ts';
import { openRecording } from './recording-file.ts';
import { replay, type ReplayResult } from './replay.ts';
import { dollars } from './replay-lines.ts';

const FUNDS = usdcMicros(1_000_000_000);
const EXIT_WRONG_INPUT = 2;

/** What the command line asked for. */
interface ReplayCommand {
  readonly file: string;
  readonly fromMs: number | null;
  readonly toMs: number | null;
  readonly seed: number;
  readonly strategy: StrategyId;
}

/**
 * Runs `predictd replay`: prints the run and its hash. Gives the exit code: 0; 1 when a round did
 * not end as recorded; 2 with one sentence when the command or the file is wrong.
 */
export async function runReplayCommand(
  words: readonly string[],
  print: (line: string) => void,
): Promise<number> {
  try {
    const command = readCommand(words);
    const recording = openRecording(resolve(command.file));
    const skill = SANDBOX.inferenceSkillPercent;
    print(
      `replay of ${recording.name}, seed ${command.seed}; one user with ${formatMicros(FUNDS)} USDC and the BTC 5-minute agent, ${command.strategy}`,
    );
    for (const note of recording.notes) print(`  ${note}`);
    print(
      `  predictions: modelled; the network of a replay knows the next five minutes with a correlation of ${skill / 100} (right in ${sureness(skill / 100)} of 100 cases) and nothing more`,
    );
    const result = await replay({
      recording,
      fundsUsdc: FUNDS,
      inferenceSkill: skill / 100,
      print,
      ...command,
    });
    summarise(result, print);
    return wrongRounds(result).length === 0 ? 0 : 1;
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'config_invalid') throw error;
    print(error.message);
    return EXIT_WRONG_INPUT;
  }
}

function readCommand(words: readonly string[]): ReplayCommand {
  const options = new Map<string, string>();
  const files: string[] = [];
  for (let index = 0; index < words.length; index += 1) {
    const word = words[index] ?? '';
    if (!word.startsWith('--')) {
      files.push(word);
      continue;
    }
    const value = words[index + 1];
    if (
      !['--from', '--to', '--seed', '--strategy'].includes(word) ||
      value === undefined ||
      options.has(word)
    )
      throw refused(`${word} is not understood`);
    options.set(word, value);
    index += 1;
  }
  const [file, ...others] = files;
  if (file === undefined || others.length > 0) throw refused('one recording is needed');
  return {
    file,
    fromMs: momentOf('--from', options),
    toMs: momentOf('--to', options),
    seed: seedOf(options.get('--seed') ?? '1'),
    strategy: strategyOf(options.get('--strategy') ?? 'up_down'),
  };
}

/**
 * A moment in ISO form that says its zone; a zone left out would mean another moment on another
 * machine.
 */
function momentOf(name: string, options: ReadonlyMap<string, string>): number | null {
  const text = options.get(name);
  if (text === undefined) return null;
  const ms = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d)?Z$/.test(text) ? Date.parse(text) : Number.NaN;
  if (!Number.isFinite(ms)) throw refused(`${name} ${text} is not a moment like 2026-06-08T00:00Z`);
  return ms;
}

function strategyOf(text: string): StrategyId {
  const known = STRATEGIES.of('btc_5min').map(({ strategy }) => strategy);
  if (!known.includes(text))
    throw refused(`--strategy ${text} is unknown: expected one of ${known.join(', ')}`);
  return text;
}

function seedOf(text: string): number {
  if (!/^\d{1,9}$/.test(text))
    throw refused(`--seed ${text} is not a whole number of up to nine digits`);
  return Number(text);
}

function refused(what: string): AppError {
  return new AppError('config_invalid', `${what}; use: ${usageOf('replay')}`);
}

function summarise(result: ReplayResult, print: (line: string) => void): void {
  const { rounds, performance, counts } = result;
  const checked = rounds.filter(
    ({ by, recorded, resolved }) => by === 'ticks' && recorded !== null && resolved !== null,
  );
  for (const { slug, recorded, resolved, by } of rounds)
    print(
      `round     ${slug}  resolved ${resolved ?? 'not yet'}, recorded ${recorded ?? 'unknown'}${by === 'word' ? ' (a boundary price is missing: taken from the record)' : ''}`,
    );
  print(
    `rounds    ${rounds.length}; of ${checked.length} decided by ticks ${checked.filter(({ recorded, resolved }) => recorded === resolved).length} end as recorded`,
  );
  print(
    `totals    ${counts.decisions} decisions, ${performance.trades} entries, ${counts.orders} orders, ${counts.fills} trades; ${performance.wins} won, ${performance.losses} lost, ${performance.openPositions} open`,
  );
  print(
    `money     fees ${dollars(performance.feesUsdc)} USDC, profit ${dollars(performance.realizedPnl)} USDC, cash ${dollars(result.cash)} USDC, at the venue ${dollars(result.collateral)} USDC`,
  );
  if (result.levelsLeftOut > 0)
    print(
      `books     ${result.levelsLeftOut} recorded levels under the least order size were left out`,
    );
  for (const [event, count] of result.warnings) print(`warning   ${event} ${count} times`);
  print(`hash      ${result.hash}`);
}

function wrongRounds({ rounds }: ReplayResult): ReplayResult['rounds'] {
  return rounds.filter(
    ({ recorded, resolved }) => recorded !== null && resolved !== null && recorded !== resolved,
  );
}

/** In how many of 100 cases a direction is right. */
function sureness(skill: number): number {
  return Math.round(50 + (Math.asin(skill) / Math.PI) * 100);
}
