import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { openRecording } from '../../../src/tools/replay/recording-file.ts';
import type { Recording } from '../../../src/tools/replay/recording.ts';
import { replay, type ReplayResult } from '../../../src/tools/replay/replay.ts';
import { STRATEGIES } from '../../../src/domain/strategy/table.ts';
import { usdcMicros } from '../../../src/domain/units.ts';
import { withOtherFuture, withPeeking } from './other-future.ts';

const NAMES = ['btc-updown-5m-1777108200', 'btc-updown-5m-1778941800'] as const;
const ROWS = STRATEGIES.of('btc_5min').map(({ strategy }) => strategy);

const at = (path: string): string => fileURLToPath(new URL(path, import.meta.url));
const session = (name: string): Recording =>
  openRecording(at(`../../fixtures/venue-a/sessions/${name}.jsonl.gz`));
const kept: Readonly<Record<string, Kept>> = JSON.parse(
  readFileSync(at('./recorded-decisions.json'), 'utf8'),
);

interface Kept {
  readonly decisions: number;
  readonly entries: number;
  readonly hash: string;
}

interface Reported {
  readonly result: ReplayResult;
  readonly lines: readonly string[];
}

/**
 * `inferenceSkill` 0.9 makes predictions that agree often, so that every strategy has something to
 * decide; 0 makes them blind.
 */
async function run(
  recording: Recording,
  strategy: string,
  inferenceSkill: number,
): Promise<Reported> {
  const lines: string[] = [];
  const result = await replay({
    recording,
    strategy,
    seed: 1,
    fromMs: null,
    toMs: null,
    fundsUsdc: usdcMicros(1_000_000_000),
    inferenceSkill,
    print: (line) => void lines.push(line),
  });
  return { result, lines };
}

async function decisionsOfAll(): Promise<Readonly<Record<string, Kept>>> {
  const all: Record<string, Kept> = {};
  for (const name of NAMES) {
    for (const strategy of ROWS) {
      const { counts, performance, decisionHash } = (await run(session(name), strategy, 0.9))
        .result;
      all[`${strategy} ${name}`] = {
        decisions: counts.decisions,
        entries: performance.trades,
        hash: decisionHash,
      };
    }
  }
  return all;
}

describe('recorded sessions through the whole service', () => {
  it('L10: give the decisions they gave when this was written, for every strategy, and again in the same process', async () => {
    const first = await decisionsOfAll();
    expect(first).toEqual(kept);
    expect(await decisionsOfAll()).toEqual(first);
  }, 600_000);
});

describe('the lookahead probe over streams, signal and agent', () => {
  const CUT_MS = Date.parse('2026-05-16T14:33:10Z');
  /** Lines that were reported before the cut. */
  const before = ({ lines }: Reported): readonly string[] =>
    lines.filter((line) => Date.parse(`${line.slice(0, 23)}Z`) < CUT_MS);
  const recorded = session(NAMES[1]);

  it.each(ROWS)(
    '%s decides by nothing that has not happened: another future changes no line before it',
    async (strategy) => {
      const [usual, other] = [
        await run(recorded, strategy, 0),
        await run(withOtherFuture(recorded, CUT_MS), strategy, 0),
      ];
      expect(before(usual).length).toBeGreaterThan(0);
      expect(before(other)).toEqual(before(usual));
    },
  );

  it('looks at runs in which something was decided', async () => {
    const entries = before(await run(recorded, 'up_down', 0)).filter((line) =>
      line.includes(' enter '),
    );
    expect(entries.length).toBeGreaterThan(0);
  });

  it('finds a settlement price that is known five seconds early', async () => {
    const [usual, other] = [
      await run(withPeeking(recorded, 5), 'up_down', 0),
      await run(withPeeking(withOtherFuture(recorded, CUT_MS), 5), 'up_down', 0),
    ];
    expect(before(other)).not.toEqual(before(usual));
  });
});
