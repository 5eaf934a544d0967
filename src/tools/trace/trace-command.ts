import { join, resolve } from 'node:path';
import { openJournalReader } from '../../adapters/lmdb/journal-reader.ts';
import { AppError } from '../../domain/errors.ts';
import { usageOf } from '../../app/commands.ts';
import { inShort, traceOrder, type OrderTrace } from './trace-order.ts';

/**
 * `predictd trace order <id> [--data <folder>]`: prints what journal and log of a data folder have
 * of one order, also while a daemon runs in it. Returns 0. Errors: `config_invalid`, `not_found`,
 * `store_corrupt`.
 */
export async function runTraceCommand(
  words: readonly string[],
  dataFolder: string,
  print: (line: string) => void,
): Promise<number> {
  const { id, folder } = readCommand(words, dataFolder);
  const reader = await openJournalReader(join(folder, 'store'));
  try {
    for (const line of linesOf(await traceOrder(reader, folder, id))) print(line);
  } finally {
    await reader.close();
  }
  return 0;
}

function linesOf({ names, traceId, facts, lines, left }: OrderTrace): readonly string[] {
  return [
    `names     ${names.join(', ')}`,
    ...(traceId === null ? [] : [`trace     ${traceId}`]),
    ...facts.map(
      ({ seq, frame, type, atMs, detail }) =>
        `fact      ${new Date(atMs).toISOString()}  entry ${seq}, commit ${frame}  ${type}  ${detail}`,
    ),
    ...lines.map((line) => `log       ${line}`),
    ...(left === 0 ? [] : [`left out  ${left} older ones`]),
  ];
}

function readCommand(
  words: readonly string[],
  dataFolder: string,
): { readonly id: string; readonly folder: string } {
  const [kind, id, option, folder, ...rest] = words;
  if (kind !== 'order') throw refused('order and an id are missing');
  if (id === undefined || id.startsWith('-')) throw refused('an id is missing');
  if (rest.length > 0 || (option !== undefined && (option !== '--data' || folder === undefined)))
    throw refused(`${inShort(words.slice(2).join(' '))} is not understood`);
  return { id, folder: resolve(folder ?? dataFolder) };
}

function refused(what: string): AppError {
  return new AppError('config_invalid', `${what}; use: ${usageOf('trace')}`);
}
