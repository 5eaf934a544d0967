/** Fields of a log line: ids and numbers, never secrets or bodies. */
export type LogFields = Readonly<Record<string, unknown>>;

/** Structured log: an event name such as "order.acknowledged" and its fields; one line per fact. */
export interface Log {
  debug(fields: LogFields, event: string): void;
  info(fields: LogFields, event: string): void;
  warn(fields: LogFields, event: string): void;
  error(fields: LogFields, event: string): void;
}
