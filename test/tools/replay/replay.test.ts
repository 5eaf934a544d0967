import { beforeAll, describe, expect, it } from 'vitest';
import { openRecording } from '../../../src/tools/replay/recording-file.ts';
import type { Recording } from '../../../src/tools/replay/recording.ts';
import { replay, type ReplayOptions, type ReplayResult } from '../../../src/tools/replay/replay.ts';
import { usdcMicros } from '../../../src/domain/units.ts';
import { sharedData } from '../../support/recordings/shared-data.ts';

const FUNDS = usdcMicros(1_000_000_000);
const SESSION = sharedData('data/venue_a-btc5m-sessions/btc-updown-5m-1777108200.jsonl.gz');
const CUT_SESSION = sharedData('data/venue_a-btc5m-sessions/btc-updown-5m-1778941800.jsonl.gz');
const DEPTH_RAW = sharedData('data/venue_a-btc5m-books/raw/btc-updown-5m-1776325800.jsonl.gz');
const DEPTH_CHANGES = sharedData(
  'data/venue_a-btc5m-books/changes/btc-updown-5m-1776325800.jsonl.gz',
);
const TICKS = sharedData(
  'data/venue_a-btc5m-settlement/chainlink-btcusd-2026-07-24-0000-0800.csv.gz',
);

interface Reported {
  readonly result: ReplayResult;
  readonly lines: readonly string[];
}

async function run(recording: Recording, changes: Partial<ReplayOptions> = {}): Promise<Reported> {
  const lines: string[] = [];
  const result = await replay({
    recording,
    seed: 1,
    fromMs: null,
    toMs: null,
    fundsUsdc: FUNDS,
    strategy: 'up_down',
    inferenceSkill: 0.1,
    print: (line) => void lines.push(line),
    ...changes,
  });
  return { result, lines };
}

describe.runIf(SESSION !== null && CUT_SESSION !== null)('a replayed session', () => {
  it('ends as it was recorded, and says what the agent thought', async () => {
    const { result, lines } = await run(openRecording(SESSION ?? ''));
    expect(result.rounds).toEqual([
      { slug: 'btc-updown-5m-1777108200', recorded: 'Up', resolved: 'Up', by: 'ticks' },
    ]);
    expect(lines.filter((line) => line.includes('  signal    ')).length).toBeGreaterThan(0);
    expect(result.cash).toBe(FUNDS);
  });

  it('stops with a recording that stops before its round, with the trade still open', async () => {
    const { result } = await run(openRecording(CUT_SESSION ?? ''));
    expect(result.rounds).toEqual([
      { slug: 'btc-updown-5m-1778941800', recorded: null, resolved: null, by: 'ticks' },
    ]);
    expect([result.performance.trades, result.performance.openPositions]).toEqual([1, 1]);
  });

  it('L10: gives the same hash for the same seed, to the byte', async () => {
    const recording = openRecording(CUT_SESSION ?? '');
    const [first, second] = [await run(recording), await run(recording)];
    expect(second).toEqual(first);
  });
});

describe.runIf(DEPTH_RAW !== null && DEPTH_CHANGES !== null)(
  'a replayed window of full-depth books',
  () => {
    it('is traded to its end, the same from what was received as from its changes', async () => {
      const [raw, changes] = [
        await run(openRecording(DEPTH_RAW ?? ''), { strategy: 'confirmed_lead' }),
        await run(openRecording(DEPTH_CHANGES ?? ''), { strategy: 'confirmed_lead' }),
      ];
      expect(raw.result.rounds).toMatchObject([
        { slug: 'btc-updown-5m-1776325800', recorded: null, resolved: 'Up', by: 'ticks' },
      ]);
      expect([
        raw.result.performance.trades,
        raw.result.performance.openPositions,
        raw.result.cash,
      ]).toEqual([1, 0, raw.result.collateral]);
      expect([changes.result.hash, changes.result.rounds[0]?.resolved]).toEqual([
        raw.result.hash,
        raw.result.rounds[0]?.resolved,
      ]);
    });
  },
);

describe.runIf(TICKS !== null)('a replayed hour of settlement ticks', () => {
  const window = {
    fromMs: Date.parse('2026-07-24T00:00:00Z'),
    toMs: Date.parse('2026-07-24T00:45:00Z'),
  };
  let recording: Recording;
  let reported: Reported;

  beforeAll(async () => {
    recording = openRecording(TICKS ?? '');
    reported = await run(recording, window);
  });

  it('ends every round as the venue did', () => {
    expect(reported.result.rounds).toHaveLength(9);
    expect(
      reported.result.rounds.filter(({ recorded, resolved }) => recorded !== resolved),
    ).toEqual([]);
    expect(reported.result.rounds.filter(({ by }) => by === 'ticks').length).toBeGreaterThanOrEqual(
      7,
    );
  });

  it('trades, and ends with the cash that the venue says is there', () => {
    const { performance, cash, collateral, counts } = reported.result;
    expect(performance.trades).toBeGreaterThan(2);
    expect(performance.openPositions).toBe(0);
    expect(cash).toBe(collateral);
    expect(cash).toBe(FUNDS + performance.realizedPnl);
    expect(counts.fills).toBeGreaterThan(2);
  });

  it('L10: gives the same hash for the same seed, and another one for another seed', async () => {
    const again = await run(recording, window);
    expect(again).toEqual(reported);
    const other = await run(recording, { ...window, seed: 2 });
    expect(other.result.hash).not.toBe(reported.result.hash);
  });

  it('decides by nothing that has not happened: another future changes no line before it', async () => {
    const cutMs = Date.parse('2026-07-24T00:25:00Z');
    // The modelled exchange leads the settlement feed by a second, and reads the one after it to
    // move smoothly.
    const untilMs = cutMs - 3_000;
    const { settlement } = recording;
    const crashed: Recording = {
      ...recording,
      settlement: {
        at: (asset, second) => {
          const price = settlement.at(asset, second);
          return price === null || second * 1_000 < cutMs ? price : (price * 9n) / 10n;
        },
        valueAt: (asset, second) => {
          const price = settlement.valueAt(asset, second);
          return price === null || second * 1_000 < cutMs ? price : price * 0.9;
        },
      },
    };
    const blind = { ...window, inferenceSkill: 0 };
    const before = ({ lines }: Reported) =>
      lines.filter((line) => Date.parse(line.slice(0, 23) + 'Z') < untilMs);
    const [usual, other] = [await run(recording, blind), await run(crashed, blind)];
    expect(before(usual).length).toBeGreaterThan(10);
    expect(before(other)).toEqual(before(usual));
    expect(other.result.hash).not.toBe(usual.result.hash);
  });
});
