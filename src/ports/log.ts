import { assert } from '../domain/errors.ts';

/** Fields of a log line: ids and numbers, never secrets or bodies. */
export type LogFields = Readonly<Record<string, unknown>>;

/** Structured log: an event name such as "order.acknowledged" and its fields; one line per fact. */
export interface Log {
  debug(fields: LogFields, event: string): void;
  info(fields: LogFields, event: string): void;
  warn(fields: LogFields, event: string): void;
  error(fields: LogFields, event: string): void;
}

/**
 * A digest that may be whole in a log line. 32 bytes in hex may be a private key, so a log leaves
 * out what only resembles a digest; this says so of one value by its type, where a field's name
 * could be borrowed.
 */
export class PublicHash {
  readonly hex: string;

  /** Takes 64 lower-case hex digits; anything else is a programmer's error. */
  constructor(hex: string) {
    assert(/^[0-9a-f]{64}$/.test(hex), 'a public hash is 64 lower-case hex digits');
    this.hex = hex;
  }
}
