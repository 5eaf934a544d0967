import { fork } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { AGENT_IDS } from '../../src/domain/ids.ts';
import type { CrowdFigures } from './crowd-figures.ts';
import type { Timing } from './measure.ts';
import type { Bar, Row } from './row.ts';
import { timeSignature } from './signature.ts';

const LIFE = fileURLToPath(new URL(`./crowd-life${extname(import.meta.url)}`, import.meta.url));

/**
 * Agents enabled, and how often their signals all say enter: the shortest round is over before the
 * largest crowd could act twice.
 */
const CROWDS = [
  { agents: 10, fires: 5 },
  { agents: 1_000, fires: 8 },
  { agents: 10_000, fires: 2 },
  { agents: 100_000, fires: 1 },
] as const;
/** Bars (design.md section 5): of the largest crowd, but for the event loop. */
const BAR_MEGABYTES = 1_024;
const BAR_START_SECONDS = 10;
const BAR_HOLD_MS = 50;
const BAR_SIGNATURES = 25;

/**
 * The real agents, orders, ledger and signatures over a real store, from ten agents to a hundred
 * thousand, each user with all five. The venue is a model that answers after 30 ms and takes
 * nothing. A signal for all is one for every agent that trades rounds, four of five.
 */
export async function run(): Promise<readonly Row[]> {
  const found: CrowdFigures[] = [];
  for (const { agents, fires } of CROWDS)
    found.push(await lifeOf(Math.ceil(agents / AGENT_IDS.length), fires));
  const signature = await timeSignature();
  const smallest = found[0];
  return smallest === undefined
    ? []
    : found.flatMap((figures) => rowsOf(figures, smallest, signature));
}

function rowsOf(figures: CrowdFigures, smallest: CrowdFigures, signature: Timing): readonly Row[] {
  const {
    agents,
    startMs,
    residentMegabytes,
    residentAfterMegabytes,
    anonymousAfterMegabytes,
    bytesEach,
    tickMicros,
    fires,
  } = figures;
  const isLargest = agents >= 100_000;
  const plain = (work: string, ours: number, unit: string, bar: Bar | null): Row => ({
    work: `${agents} agents: ${work}`,
    ours,
    peer: null,
    unit,
    bar,
  });
  const longest = (of: (fire: CrowdFigures['fires'][number]) => number): number =>
    Math.max(...fires.map(of));
  return [
    plain(
      'start, keys of all users unsealed',
      startMs / 1_000,
      's',
      isLargest ? { atMost: BAR_START_SECONDS } : null,
    ),
    plain(
      'resident memory, all enabled',
      residentMegabytes,
      'MB',
      isLargest ? { atMost: BAR_MEGABYTES } : null,
    ),
    // Below a thousand the heap's own noise is larger than they are.
    ...(agents >= 1_000 ? [plain('heap of one that waits', bytesEach, 'bytes', null)] : []),
    {
      ...plain('a market tick', tickMicros, 'µs', null),
      peer:
        figures === smallest
          ? null
          : { name: `with ${smallest.agents}`, figure: smallest.tickMicros },
    },
    plain(
      'a signal for all: all have decided and ordered',
      longest(({ tookMs }) => tookMs) / 1_000,
      's',
      null,
    ),
    plain(
      'a signal for all: missed the round',
      longest(({ missed }) => missed),
      'agents',
      { atMost: 0 },
    ),
    plain(
      'a signal for all: longest turn of the event loop',
      longest(({ holdMs }) => holdMs),
      'ms',
      { atMost: BAR_HOLD_MS },
    ),
    plain(
      'a signal for all: processor time of an order',
      longest(({ microsEach }) => microsEach),
      'µs',
      null,
    ),
    {
      ...plain(
        'a signal for all: of that, of the event loop',
        longest(({ threadMicrosEach }) => threadMicrosEach),
        'µs',
        isLargest ? { timesPeer: BAR_SIGNATURES } : null,
      ),
      peer: { name: 'one order built and signed', figure: signature.p50 },
    },
    plain(
      'a signal for all: entries of shadow runs beside it',
      longest(({ shadowEntries }) => shadowEntries),
      '',
      null,
    ),
    plain('resident memory after it', residentAfterMegabytes, 'MB', null),
    plain('resident memory after it, mapped files apart', anonymousAfterMegabytes, 'MB', null),
    ...(fires.length > 1 ? placeRows(plain, figures) : []),
  ];
}

/** A user's place is that of their last agent: 0 is first, 1 last. */
function placeRows(
  plain: (work: string, ours: number, unit: string, bar: null) => Row,
  { fires, worstBestPlace, meanPlaces }: CrowdFigures,
): readonly Row[] {
  const over = `over ${fires.length} signals (1 is last)`;
  return [
    plain(`place of the least lucky user at their best ${over}`, worstBestPlace, '', null),
    plain(`mean place of the luckiest user ${over}`, meanPlaces.lowest, '', null),
    plain(`mean place of the least lucky user ${over}`, meanPlaces.highest, '', null),
  ];
}

/** One crowd: a process fills the store, another lives on it. */
async function lifeOf(users: number, fires: number): Promise<CrowdFigures> {
  const folder = mkdtempSync(join(tmpdir(), 'crowd-'));
  try {
    const path = join(folder, 'store');
    await child(['fill', path, String(users)]);
    const figures = await child(['live', path, String(users), String(fires)]);
    if (figures === null) throw new Error(`the crowd of ${users} users printed nothing`);
    return figures;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function child(args: readonly string[]): Promise<CrowdFigures | null> {
  return new Promise((resolve, reject) => {
    // Advanced serialisation keeps NaN.
    const process = fork(LIFE, [...args], {
      stdio: ['ignore', 2, 2, 'ipc'],
      serialization: 'advanced',
    });
    let figures: CrowdFigures | null = null;
    process.on('message', (message) => {
      figures = message as CrowdFigures; // the child sends exactly one, of this type
    });
    process.on('error', reject);
    process.on('exit', (code) =>
      code === 0
        ? resolve(figures)
        : reject(new Error(`a crowd's process ended with code ${String(code)}`)),
    );
  });
}
