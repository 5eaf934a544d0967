import type { Log, LogFields } from '../ports/log.ts';

/** What has been logged. */
export interface LogLine {
  readonly fields: LogFields;
  readonly event: string;
}

/** A log whose lines others may follow. */
export interface ObservedLog extends Log {
  /** Tells of each line of level info or above from now on. Returns what ends it. */
  observe(listener: (line: LogLine) => void): () => void;
}

/** Returns the same log, with its lines passed to its observers. */
export function observedLog(log: Log): ObservedLog {
  const listeners = new Set<(line: LogLine) => void>();
  const tell =
    (level: 'info' | 'warn' | 'error') =>
    (fields: LogFields, event: string): void => {
      log[level](fields, event);
      for (const listener of listeners) listener({ fields, event });
    };
  return {
    debug: (fields, event) => log.debug(fields, event),
    info: tell('info'),
    warn: tell('warn'),
    error: tell('error'),
    observe(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}
