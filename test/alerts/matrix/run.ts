import { pause, type Prometheus, type ShownAlert } from './prometheus.ts';
import type { MatrixRow } from './rows.ts';
import type { Sandbox } from './sandbox.ts';

/** What a row came to. */
export interface RowResult {
  readonly name: string;
  readonly expected: readonly string[];
  /** Alerts that fired at any time from the fault to the quiet after it. */
  readonly fired: readonly string[];
  /** Others that were about to. */
  readonly pending: readonly string[];
  /** Seconds from the fault until all that were expected fired; null where they did not. */
  readonly afterS: number | null;
  /** Seconds from its end until nothing fired; null where something still does. */
  readonly endedAfterS: number | null;
  /** Anchors of the alerts that fired. */
  readonly links: readonly string[];
}

/** A row without an alert is watched for so long, and one with its alert so long beyond it. */
const QUIET_S = 40;
const BEYOND_S = 8;
/** An alert fires within this, and ends within that. */
const WITHIN_S = 60;
const END_S = 120;

/** Runs a row: from quiet, through its fault, to quiet. */
export async function runRow(
  row: MatrixRow,
  {
    sandbox,
    prometheus,
    draw,
  }: {
    readonly sandbox: Sandbox;
    readonly prometheus: Prometheus;
    /** Draws what an operator sees just before the fault ends. */
    readonly draw?: ((row: string) => Promise<void>) | undefined;
  },
): Promise<RowResult> {
  const expected = row.alerts;
  await untilQuiet(prometheus, END_S);
  const seen = new Map<string, ShownAlert>();
  const pending = new Set<string>();
  const poll = async (): Promise<readonly string[]> => {
    const shown = await prometheus.alerts();
    for (const alert of shown)
      if (alert.isFiring) seen.set(alert.name, alert);
      else pending.add(alert.name);
    return shown.filter(({ isFiring }) => isFiring).map(({ name }) => name);
  };
  const begunMs = performance.now();
  const since = (ms: number): number => Math.round((performance.now() - ms) / 1_000);
  const end = await row.begin(sandbox);
  let afterS: number | null = null;
  const limitS = expected.length === 0 ? QUIET_S : (row.withinS ?? WITHIN_S);
  while (since(begunMs) < limitS && (afterS === null || since(begunMs) < afterS + BEYOND_S)) {
    await poll();
    if (afterS === null && expected.length > 0 && expected.every((name) => seen.has(name)))
      afterS = since(begunMs);
    await pause(500);
  }
  await draw?.(row.name);
  await end();
  const endedMs = performance.now();
  let endedAfterS: number | null = null;
  while (endedAfterS === null && since(endedMs) < (row.endS ?? END_S)) {
    if ((await poll()).length === 0) endedAfterS = since(endedMs);
    else await pause(500);
  }
  const fired = [...seen.keys()].toSorted();
  return {
    name: row.name,
    expected,
    fired,
    pending: [...pending].filter((name) => !seen.has(name)).toSorted(),
    afterS,
    endedAfterS,
    links: [...seen.values()].map(({ runbookUrl }) => runbookUrl),
  };
}

/** Waits until nothing fires or is about to; gives up after so many seconds. */
async function untilQuiet(prometheus: Prometheus, limitS: number): Promise<void> {
  const begunMs = performance.now();
  while (performance.now() - begunMs < limitS * 1_000) {
    if ((await prometheus.alerts()).length === 0) return;
    await pause(500);
  }
}

/** Returns the results as a table for people. */
export function tableOf(results: readonly RowResult[]): string {
  const lines = results.map(
    ({ name, expected, fired, pending, afterS, endedAfterS }) =>
      `| ${name} | ${expected.join(', ') || 'none'} | ${fired.join(', ') || 'none'} | ${pending.join(', ')} | ${afterS ?? ''} | ${endedAfterS ?? 'still'} |`,
  );
  return [
    '| fault | raises | raised | about to | after s | ended after s |',
    '| --- | --- | --- | --- | ---: | ---: |',
    ...lines,
  ].join('\n');
}
