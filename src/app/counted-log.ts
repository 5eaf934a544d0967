import { FAULTS } from '../adapters/metrics/table/process.ts';
import type { Log } from '../ports/log.ts';
import type { Metrics } from '../ports/metrics.ts';

const NAMES: ReadonlySet<string> = new Set(FAULTS);

/**
 * The same log, counting the lines that tell of a fault of the program it has gone on from: a
 * log is not read all day.
 */
export function countedLog(log: Log, metrics: Metrics): Log {
  return {
    ...log,
    error(fields, event) {
      if (NAMES.has(event)) metrics.count('faults_total', { event });
      log.error(fields, event);
    },
  };
}
