import type { Environment } from '../../config/schema.ts';
import type { EngineOptions } from '../adapters/postgres/engine.ts';
import { AppError } from '../domain/errors.ts';
import { usageOf } from './commands.ts';
import { reportShards, type ShardReport } from './shard-report.ts';
import { logEngine } from './shared-log.ts';

const EXIT = { well: 0, lacking: 1 } as const;

/**
 * Runs `predictd shards`. Gives the exit code: 0 when all is well, 1 when a person has to do
 * something. Errors: `config_invalid` without PREDICTD_LOG_URLS, `store_unavailable`.
 */
export async function runShardsCommand(
  words: readonly string[],
  environment: Environment,
  print: (line: string) => void,
): Promise<number> {
  if (words.length > 0)
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
  const { lines, isWell } = await readReport(options);
  for (const line of lines) print(line);
  return isWell ? EXIT.well : EXIT.lacking;
}

/** Reads what there is to say of all shards. Errors: `store_unavailable`. */
export async function readReport(options: EngineOptions): Promise<ShardReport> {
  const { openEngine } = await import('../adapters/postgres/engine.ts');
  const { makeTables } = await import('../adapters/postgres/tables.ts');
  const { readMembers, readShards } = await import('../adapters/postgres/shard-members.ts');
  const engine = await openEngine(options, 'predictd shards');
  try {
    await makeTables(engine);
    return reportShards(await readShards(engine), await readMembers(engine));
  } finally {
    await engine.close();
  }
}
