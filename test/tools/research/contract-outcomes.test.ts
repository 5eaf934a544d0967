import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openDataFolder } from '../../../src/tools/research/data-folder.ts';
import { researchFigures } from '../../../src/tools/research/figures.ts';
import {
  readContractOutcomes,
  unpairedWords,
} from '../../../src/tools/research/read/contract-outcomes.ts';

/** The end of a quarter of an hour on 2026-06-10: a day that nothing was chosen on. */
const END_SECONDS = 1_781_050_500;
const MINUTE_MS = 60_000;

let root = '';
const write = (set: string, name: string, lines: readonly string[]): void => {
  mkdirSync(join(root, set), { recursive: true });
  writeFileSync(join(root, set, name), `${lines.join('\n')}\n`);
};

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'contract-outcomes-'));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

function writeRound(): void {
  write('venue_b-15m-results', 'windows.csv', [
    'ticker,coin,close_ts,index_open,index_close,result,volume',
    `R-1,BTC,${END_SECONDS},1,1,yes,99999`,
  ]);
  write('venue_b-15m-results', 'favourite-quotes.csv', [
    'ticker,coin,close_ts,minutes_left,side,bid,ask,volume_so_far,won',
    `R-1,BTC,${END_SECONDS},14.0,yes,0.9,0.91,700,1`,
  ]);
  write('venue_b-15m-results', 'minute-paths.csv', [
    'ticker,coin,close_ts,minutes_left,yes_bid_close,yes_bid_high,yes_ask_close,yes_ask_low',
    `R-1,BTC,${END_SECONDS},14,0.955,0.97,0.965,0.95`,
    `R-1,BTC,${END_SECONDS},13,0.4,0.97,0.42,0.4`,
    `R-1,BTC,${END_SECONDS},0,1.0,1.0,1.0,1.0`,
  ]);
}

describe('recorded rounds of venue_b as farming reads them', () => {
  it('have a quote for each minute before the end, of both sides, and only the volume known by then', () => {
    writeRound();
    const endsAtMs = END_SECONDS * 1_000;
    const known = { volumeUsd: 700, liquidityUsd: null };
    const [first, second] = [endsAtMs - 14 * MINUTE_MS, endsAtMs - 13 * MINUTE_MS];
    expect(readContractOutcomes(openDataFolder(root))).toEqual([
      {
        event: String(endsAtMs),
        market: 'R-1 yes',
        endsAtMs,
        won: true,
        quotes: [
          { atMs: first, bidTicks: 9_550, askTicks: 9_650, ...known },
          { atMs: second, bidTicks: 4_000, askTicks: 4_200, ...known },
        ],
      },
      {
        event: String(endsAtMs),
        market: 'R-1 no',
        endsAtMs,
        won: false,
        quotes: [
          { atMs: first, bidTicks: 350, askTicks: 450, ...known },
          { atMs: second, bidTicks: 5_800, askTicks: 6_000, ...known },
        ],
      },
    ]);
  });

  it('are bought as its own agent would, at the venue’s fee, both at entry and at the stop', () => {
    writeRound();
    const [study] = researchFigures(openDataFolder(root)).farming;
    const bet = study?.figures.find(({ rule, bets }) => rule.startsWith('the agent,') && bets > 0);
    expect([study?.agent, bet?.bets, bet?.stopped]).toEqual(['venue_b_farming', 1, 1]);
    // 0.965 and 31 ticks of fee, rounded up; sold at 0.40 less 216.
    expect(bet?.profitPerUsd?.estimate).toBeCloseTo(10_000 / 9_681 - 1, 9);
    expect(bet?.profitWithStopPerUsd?.estimate).toBeCloseTo((4_000 - 216) / 9_681 - 1, 9);
  });

  it('are skipped by name where they are not there, and books without results are counted', () => {
    expect(unpairedWords(openDataFolder(root))).toEqual([
      'Farming on venue_b: venue_b-15m-results, venue_b-books, venue_b-settled not there, so skipped.',
    ]);
    expect(readContractOutcomes(openDataFolder(root))).toEqual([]);
    writeRound();
    write('venue_b-books', 'depth-2026-07-23.jsonl', [
      '{"captured":1784768165,"ticker":"B-1","yes":[],"no":[]}',
      '{"captured":1784768365,"ticker":"B-1","yes":[],"no":[]}',
    ]);
    write('venue_b-settled', 'settled-2026-07-17.csv', ['ticker,result', 'S-1,yes', 'S-2,no']);
    expect(unpairedWords(openDataFolder(root))).toEqual([
      expect.stringContaining('of 1 markets with books and 2 with results, 0 are in both sets'),
    ]);
  });
});
