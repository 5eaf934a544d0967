import pino from 'pino';
import { AppError } from '../../domain/errors.ts';
import type { Log, LogFields } from '../../ports/log.ts';
import { redactFields } from './redact.ts';

/** Which lines are written, and where to. */
export interface LogOptions {
  readonly level: 'debug' | 'info' | 'warn' | 'error' | 'silent';
  /** A file to append to, made when missing; standard error when absent. */
  readonly file?: string;
  /** Takes the lines instead of a file: for tests and for the human narration. */
  readonly write?: (line: string) => void;
}

/**
 * Makes the structured log: one line of JSON per fact with `time`, `level`, `event` and the fields, secrets redacted (L12).
 * Lines are written before the call returns, so none is lost when the process ends.
 * Errors: `store_unavailable` when the file cannot be written.
 */
export function createPinoLog(options: LogOptions): Log {
  const { level, file, write } = options;
  const target = write === undefined ? openTarget(file) : { write };
  const logger = pino(
    {
      level,
      base: null,
      messageKey: 'event',
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
    },
    target,
  );
  const line = (name: 'debug' | 'info' | 'warn' | 'error') => (fields: LogFields, event: string): void => {
    if (logger.isLevelEnabled(name)) logger[name](redactFields(fields), event);
  };
  return { debug: line('debug'), info: line('info'), warn: line('warn'), error: line('error') };
}

function openTarget(file: string | undefined): pino.DestinationStream {
  try {
    return pino.destination({ dest: file ?? 2, sync: true, mkdir: file !== undefined });
  } catch (cause) {
    throw new AppError('store_unavailable', `the log file ${String(file)} cannot be written; move away what is in its place, or give another folder with PREDICTD_DATA.`, { cause });
  }
}
