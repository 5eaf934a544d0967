import type { Environment } from '../../config/schema.ts';
import type { EngineAddress } from '../adapters/postgres/engine.ts';
import { AppError } from '../domain/errors.ts';
import { usageOf } from './commands.ts';
import { reportShards, type ShardReport } from './shard-report.ts';
import { logEngine } from './shared-log.ts';

const EXIT = { well: 0, lacking: 1 } as const;

/**
 * Runs `predictd shards`, or `predictd shards split <shard>`. Gives the exit code: 0 when all is
 * well, or the shard is divided, 1 when a person has to do something. Errors: `config_invalid`
 * without PREDICTD_LOG_URLS, `store_unavailable`, those of `splitShard`.
 */
export async function runShardsCommand(
  words: readonly string[],
  environment: Environment,
  print: (line: string) => void,
): Promise<number> {
  const shard = splitIn(words);
  if (words.length > 0 && shard === null)
    throw new AppError(
      'config_invalid',
      `${words.join(' ')} is not understood; use: ${usageOf('shards')}`,
    );
  const options = logEngine(environment);
  if (options === null)
    throw new AppError(
      'config_invalid',
      'predictd shards needs PREDICTD_LOG_URLS: without it this machine keeps its log for itself, and `predictd doctor` looks at it.',
    );
  if (shard !== null) {
    const { splitShard } = await import('./split-cli.ts');
    return (await splitShard(options, shard, print)) ? EXIT.well : EXIT.lacking;
  }
  const { lines, isWell } = await readReport(options);
  for (const line of lines) print(line);
  return isWell ? EXIT.well : EXIT.lacking;
}

/** The shard that is to be split; null where the words say something else. */
function splitIn([word, number = '', ...rest]: readonly string[]): number | null {
  return word === 'split' && /^(0|[1-9]\d{0,3})$/.test(number) && rest.length === 0
    ? Number(number)
    : null;
}

/** Reads what there is to say of all shards. Errors: `store_unavailable`. */
export async function readReport(options: EngineAddress): Promise<ShardReport> {
  const { openEngine } = await import('../adapters/postgres/engine.ts');
  const { makeTables } = await import('../adapters/postgres/tables.ts');
  const { readMembers, readShards } = await import('../adapters/postgres/shard-members.ts');
  const { readSplits } = await import('../adapters/postgres/split.ts');
  const engine = await openEngine(options, 'predictd shards');
  try {
    await makeTables(engine);
    const splits = await readSplits(engine);
    return reportShards(await readShards(engine), await readMembers(engine), splits);
  } finally {
    await engine.close();
  }
}
