import { existsSync, readFileSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { REPLAY } from '../../../config/limits/replay.ts';
import { AppError } from '../../domain/errors.ts';
import type { Recording } from './recording.ts';
import { parseSession } from './session-recording.ts';
import { parseSettlement } from './settlement-recording.ts';

/**
 * Reads a recording: a session file, or either file of a settlement pair, whose other one lies beside it.
 * Errors: `config_invalid` with a sentence for a file that is missing, of no known kind, or malformed.
 */
export function openRecording(file: string): Recording {
  const text = readText(file);
  const first = text.slice(0, text.indexOf('\n') < 0 ? undefined : text.indexOf('\n'));
  if (first.startsWith('feed_ts_ms,value_e18')) return fromPair(file, text, readText(partner(file, 'markets', 'jsonl')));
  if (first.startsWith('{') && first.includes('"condition_id"')) return fromPair(file, readText(partner(file, 'chainlink-btcusd', 'csv')), text);
  if (first.startsWith('{') && first.includes('"type"')) return parseSession(basename(file), text);
  throw new AppError('config_invalid', `${file} is neither a session, nor settlement ticks, nor settlement markets.`);
}

function fromPair(file: string, ticks: string, markets: string): Recording {
  return parseSettlement(basename(file), { ticks, markets });
}

/** `chainlink-btcusd-<when>.csv.gz` goes with `markets-<when>.jsonl.gz`. */
function partner(file: string, prefix: string, ending: string): string {
  const when = /^(?:chainlink-btcusd|markets)-(.+?)\.(?:csv|jsonl)(\.gz)?$/.exec(basename(file));
  if (when === null) throw new AppError('config_invalid', `${file} is not named like chainlink-btcusd-<when>.csv.gz or markets-<when>.jsonl.gz, so its other half cannot be found.`);
  const names = ['.gz', ''].map((packed) => join(dirname(file), `${prefix}-${when[1]}.${ending}${packed}`));
  const found = names.find((name) => existsSync(name));
  if (found === undefined) throw new AppError('config_invalid', `the other half of ${file}, ${names[0]}, is missing.`);
  return found;
}

function readText(file: string): string {
  try {
    if (statSync(file).size > REPLAY.fileMaximumBytes) throw new Error(`it is larger than ${REPLAY.fileMaximumBytes} bytes`);
    const bytes = readFileSync(file);
    const isPacked = bytes[0] === 0x1f && bytes[1] === 0x8b;
    return (isPacked ? gunzipSync(bytes, { maxOutputLength: REPLAY.fileMaximumBytes }) : bytes).toString('utf8');
  } catch (cause) {
    throw new AppError('config_invalid', `${file} cannot be read: ${cause instanceof Error ? cause.message : String(cause)}.`, { cause });
  }
}
