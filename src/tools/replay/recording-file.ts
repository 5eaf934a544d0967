import { existsSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { recordedText } from '../../adapters/recordings/recorded-text.ts';
import { AppError } from '../../domain/errors.ts';
import { isDepthFile, parseDepth } from './depth-recording.ts';
import type { Recording } from './recording.ts';
import { parseSession } from './session-recording.ts';
import { parseSettlement } from './settlement-recording.ts';

/**
 * Reads a recording: a session file, a window of full-depth books, or either file of a settlement
 * pair, whose other one lies beside it. Errors: `config_invalid` with a sentence for a file that is
 * missing, of no known kind, or malformed.
 */
export function openRecording(file: string): Recording {
  const text = recordedText(file);
  const first = text.slice(0, text.indexOf('\n') < 0 ? undefined : text.indexOf('\n'));
  if (first.startsWith('feed_ts_ms,value_e18'))
    return fromPair(file, text, recordedText(partner(file, 'markets', 'jsonl')));
  if (first.startsWith('{') && first.includes('"condition_id"'))
    return fromPair(file, recordedText(partner(file, 'chainlink-btcusd', 'csv')), text);
  if (first.startsWith('{') && first.includes('"type"')) return parseSession(basename(file), text);
  if (isDepthFile(first)) return parseDepth(basename(file), text);
  throw new AppError(
    'config_invalid',
    `${file} is neither a session, nor full-depth books, nor settlement ticks, nor settlement markets.`,
  );
}

function fromPair(file: string, ticks: string, markets: string): Recording {
  return parseSettlement(basename(file), { ticks, markets });
}

/** `chainlink-btcusd-<when>.csv.gz` goes with `markets-<when>.jsonl.gz`. */
function partner(file: string, prefix: string, ending: string): string {
  const when = /^(?:chainlink-btcusd|markets)-(.+?)\.(?:csv|jsonl)(\.gz)?$/.exec(basename(file));
  if (when === null)
    throw new AppError(
      'config_invalid',
      `${file} is not named like chainlink-btcusd-<when>.csv.gz or markets-<when>.jsonl.gz, so its other half cannot be found.`,
    );
  const names = ['.gz', ''].map((packed) =>
    join(dirname(file), `${prefix}-${when[1]}.${ending}${packed}`),
  );
  const found = names.find((name) => existsSync(name));
  if (found === undefined)
    throw new AppError('config_invalid', `the other half of ${file}, ${names[0]}, is missing.`);
  return found;
}
