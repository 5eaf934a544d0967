import pino from 'pino';
import { AppError } from '../../domain/errors.ts';
import type { Log, LogFields } from '../../ports/log.ts';
import {
  openLineSink,
  type LineSink,
  type OpenLineSink,
  type StandardStream,
} from './line-sink.ts';
import { redactFields } from './redact.ts';

/** Where lines go. */
export interface LogTarget {
  /** A file to append to, made when missing; a standard stream when absent. */
  readonly file?: string;
  /** Which one; standard error unless stated. */
  readonly stream?: StandardStream;
}

/** The log of a process. */
export interface PinoLog extends Log {
  /** Opens its file anew, which may have been moved away; what fails is logged in the old one. */
  reopen(): void;
}

/**
 * Makes the structured log: one line of JSON per fact with `time`, `level`, `event` and the fields,
 * secrets redacted (L12). Lines are written before the call returns, so none is lost when the
 * process ends. Where there is no room for them they wait, within a bound, and the log says later
 * how many were lost. Errors: `store_unavailable` when the file cannot be opened.
 */
export function createPinoLog({
  level,
  file,
  stream,
  write,
  onLost,
}: LogTarget & {
  readonly level: 'debug' | 'info' | 'warn' | 'error' | 'silent';
  /** Takes the lines instead of a file: for tests and for the human narration. */
  readonly write?: (line: string) => void;
  /** Called for lines that found no room. */
  readonly onLost?: (lines: number) => void;
}): PinoLog {
  const sink = write === undefined ? openTarget(file, stream) : null;
  const target = sink ?? { write: write ?? (() => undefined) };
  let counted = 0;
  let reported = 0;
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
  const line =
    (name: 'debug' | 'info' | 'warn' | 'error') =>
    (fields: LogFields, event: string): void => {
      if (!logger.isLevelEnabled(name)) return;
      logger[name](redactFields(fields), event);
      if (sink !== null && sink.lost > reported) tellLost(sink);
    };
  const tellLost = ({ lost, isWaiting }: LineSink): void => {
    if (lost > counted) onLost?.(lost - counted);
    counted = lost;
    if (isWaiting) return;
    logger.error({ lines: lost - reported }, 'log.lines_lost');
    reported = lost;
  };
  const error = line('error');
  return {
    debug: line('debug'),
    info: line('info'),
    warn: line('warn'),
    error,
    reopen() {
      try {
        sink?.reopen();
      } catch (cause) {
        error({ cause }, 'log.not_reopened');
      }
    },
  };
}

function openTarget(file: string | undefined, stream: StandardStream | undefined): OpenLineSink {
  try {
    return openLineSink(file, stream);
  } catch (cause) {
    throw new AppError(
      'store_unavailable',
      `the log file ${String(file)} cannot be written; move away what is in its place, or give another folder with PREDICTD_DATA.`,
      { cause },
    );
  }
}
