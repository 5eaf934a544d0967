import { inspect } from 'node:util';
import { fullDiskSentence } from '../adapters/files/full-disk.ts';
import { redactFields, redactText } from '../adapters/log/redact.ts';

/** What a process that ends by itself says: one sentence of a full disk, else the whole report. */
export function endReport(cause: unknown, dataFolder: string): string {
  const sentence = fullDiskSentence(cause, dataFolder);
  return sentence === null ? crashReport(cause) : `predictd: ${sentence}`;
}

/**
 * What a process that ends for a broken invariant says of the error: name, message, stack and
 * causes, without what looks like a secret (L12). Errors of libraries carry whole requests with
 * their headers; those members are left out.
 */
export function crashReport(cause: unknown): string {
  if (!(cause instanceof Error))
    return redactText(inspect(redactFields({ cause })['cause'], { depth: 3 }));
  const words = [redactText(cause.stack ?? `${cause.name}: ${cause.message}`)];
  for (
    let inner = cause.cause, depth = 0;
    inner !== undefined && depth < CAUSES_MAXIMUM;
    depth += 1
  ) {
    words.push(
      `caused by ${inner instanceof Error ? redactText(inner.stack ?? inner.message) : redactText(inspect(redactFields({ inner })['inner'], { depth: 3 }))}`,
    );
    inner = inner instanceof Error ? inner.cause : undefined;
  }
  return words.join('\n');
}

const CAUSES_MAXIMUM = 5;
