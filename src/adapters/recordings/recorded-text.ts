import { readFileSync, statSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { RECORDING } from '../../../config/limits/recording.ts';
import { AppError } from '../../domain/errors.ts';

/**
 * Gives the text of a recorded file, plain or packed with gzip. Errors: `config_invalid` for a file
 * that is missing, damaged, or too large as stored or unpacked.
 */
export function recordedText(
  file: string,
  maximumBytes: number = RECORDING.fileMaximumBytes,
): string {
  try {
    if (statSync(file).size > maximumBytes)
      throw new Error(`it is larger than ${maximumBytes} bytes`);
    const bytes = readFileSync(file);
    const isPacked = bytes[0] === 0x1f && bytes[1] === 0x8b;
    return (isPacked ? gunzipSync(bytes, { maxOutputLength: maximumBytes }) : bytes).toString(
      'utf8',
    );
  } catch (cause) {
    throw new AppError(
      'config_invalid',
      `${file} cannot be read: ${cause instanceof Error ? cause.message : String(cause)}.`,
      { cause },
    );
  }
}
