import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { createRequire } from 'node:module';
import { ccxt } from './peers/ccxt.ts';
import type { Peer } from './peers/caller.ts';
import type { Cell } from './peers/cell.ts';
import { officialClient } from './peers/official-client.ts';
import { pmxt } from './peers/pmxt.ts';
import { TRIALS } from './peers/trials.ts';
import { ROWS, type RowName, type Section } from './rows.ts';
import { SCENARIOS } from './scenarios.ts';

const PEERS: readonly Peer[] = [officialClient, ccxt, pmxt];
const SYMBOLS: Readonly<Record<Cell['kind'], string>> = {
  right: '✓',
  wrong: '✗',
  not_applicable: '–',
};
/** Why a library has nothing to do with a row that no trial is about. */
const WITHOUT_TRIAL: Readonly<Record<Section, string>> = {
  submitting: 'it has no part in this',
  filling: 'it books nothing',
  ending: 'it follows no orders',
  'market-data': 'not driven: it keeps no such state',
  service: 'it is a library, not a service',
  venue_b: 'it does not speak to this venue, which keeps no orders',
  venue_c: 'not driven: its clients send what they are given, and follow nothing',
  'chain 8453': 'it keeps no queue of transactions',
};

/** A row of the scoreboard. */
interface ScoreRow {
  readonly name: RowName;
  readonly right: string;
  readonly ours: Cell;
  readonly peers: Readonly<Record<string, Cell>>;
}

/**
 * Scores rows one after another and prints each as it is known. Exit code 1 when an own one is
 * wrong, 2 for a wrong command.
 */
async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      json: { type: 'string' },
      row: { type: 'string', multiple: true },
      ours: { type: 'boolean', default: false },
    },
  });
  const unknown = (values.row ?? []).filter((name) => !ROWS.some((row) => row.name === name));
  if (unknown.length > 0) {
    console.error(`no such row: ${unknown.join(', ')}`);
    return 2;
  }
  const rows = ROWS.filter(({ name }) => values.row === undefined || values.row.includes(name));
  const peers = values.ours ? [] : PEERS;
  // The libraries talk to the terminal of their failures; the table is what this command prints.
  console.log(
    `| row | predictd |${peers.map(({ name, version }) => ` ${name} ${version} |`).join('')}`,
  );
  console.log(`|---|---|${peers.map(() => '---|').join('')}`);
  const scored: ScoreRow[] = [];
  for (const { name, right, section } of rows) {
    const ours = await scoreOurs(name);
    const cells: Record<string, Cell> = {};
    for (const peer of peers)
      cells[peer.name] = await quietly(() => scorePeer(peer, name, section));
    scored.push({ name, right, ours, peers: cells });
    console.log(
      `| ${name} | ${textOf(ours)} |${peers.map((peer) => ` ${textOf(cells[peer.name])} |`).join('')}`,
    );
  }
  const count = (kind: Cell['kind'], pick: (row: ScoreRow) => Cell | undefined): number =>
    scored.filter((row) => pick(row)?.kind === kind).length;
  const summary = (pick: (row: ScoreRow) => Cell | undefined): string =>
    ` ${count('right', pick)} ✓ ${count('wrong', pick)} ✗ ${count('not_applicable', pick)} – |`;
  console.log(
    `| all | ${summary(({ ours }) => ours).trim()}${peers.map(({ name }) => summary((row) => row.peers[name])).join('')}`,
  );
  if (values.json !== undefined)
    writeFileSync(
      values.json,
      `${JSON.stringify({ versions: versions(), rows: scored }, null, 2)}\n`,
    );
  return scored.some(({ ours }) => ours.kind !== 'right') ? 1 : 0;
}

async function scoreOurs(name: RowName): Promise<Cell> {
  const scenario = SCENARIOS[name];
  if (scenario === undefined) return { kind: 'wrong', words: 'no scenario' };
  const wrong = await scenario().catch((error: unknown) => [String(error)]);
  return wrong.length === 0 ? { kind: 'right' } : { kind: 'wrong', words: wrong.join('; ') };
}

async function scorePeer(peer: Peer, name: RowName, section: Section): Promise<Cell> {
  const trial = TRIALS[name];
  return trial === undefined
    ? { kind: 'not_applicable', words: WITHOUT_TRIAL[section] }
    : trial(peer);
}

/** Keeps what libraries print off the terminal while they run. */
async function quietly<T>(work: () => Promise<T>): Promise<T> {
  const { log, error, warn } = console;
  console.log = console.error = console.warn = () => undefined;
  try {
    return await work();
  } finally {
    Object.assign(console, { log, error, warn });
  }
}

function textOf(cell: Cell | undefined): string {
  if (cell === undefined) return '';
  return cell.kind === 'wrong'
    ? `${SYMBOLS.wrong} ${cell.words.replaceAll('|', '/').replaceAll('\n', ' ')}`
    : SYMBOLS[cell.kind];
}

function versions(): Readonly<Record<string, string>> {
  // The package's own file states it.
  const own = createRequire(import.meta.url)('../../package.json') as { readonly version: string };
  return {
    predictd: own.version,
    ...Object.fromEntries(PEERS.map(({ name, version }) => [name, version])),
  };
}

process.exit(await main());
