// Puts a real daemon behind proxies that drop, delay, double, reorder, truncate, reset and stall,
// kills it on the way, and prints what came of it: `npm run sim -- chaos [intents official
// settlements sockets contracts books pools] [--intents 10000] [--people 100] [--kills 20] [--seed
// 1]`. `contracts`, `books` and `pools` take one process, and 2,000 intents of eight people, of
// sixty at pools, unless stated otherwise.
import { parseArgs } from 'node:util';
import { killDaemons } from '../crash/support/daemon.ts';
import { isCleanOfBooks } from './book-verdict.ts';
import { liveThroughBooks } from './books.ts';
import { isCleanOfContracts } from './contract-verdict.ts';
import { liveThroughContracts } from './contracts.ts';
import { liveThroughChaos, type ChaosReport } from './intents.ts';
import { isCleanOfPools } from './pool-verdict.ts';
import { liveThroughPools } from './pools.ts';
import { liveOfficially, type OfficialReport } from './official.ts';
import { FAULTS } from './proxy/fault-schedule.ts';
import { liveThroughSettlementHour, type SettlementHourReport } from './settlements.ts';
import { liveThroughSocketLoad, type SocketLoadReport } from './sockets/load.ts';
import { isClean } from './verdict.ts';

const PARTS = [
  'intents',
  'official',
  'settlements',
  'sockets',
  'contracts',
  'books',
  'pools',
] as const;
type Part = (typeof PARTS)[number];
const USAGE = `usage: npm run sim -- chaos [${PARTS.join('] [')}] [--intents <count>] [--people <count>] [--kills <count>] [--seed <word>] [--sockets <count>] [--minutes <of failing settlements>]`;
/**
 * Requests of the official client's callers without faults, which come first: this machine must not
 * be what doubles.
 */
const CALM_INTENTS = 200;
/**
 * Seconds of market time in one second of the hour of failing settlements, and who trades in it.
 */
const SPEED = 15;
const TRADERS = 6;
/** Times all sockets are cut. */
const ROUNDS = 3;
/** Everybody is to be current again within this. */
const CURRENT_WITHIN_MS = 2_000;

/** Intents at venue_b and at venue_c, and who has them, unless stated otherwise. */
const CONTRACTS = { intents: 2_000, people: 8 };
/** The same at a pool, where each waits for blocks of the chain between two orders. */
const POOL_PEOPLE = 60;

/** What is to be run. */
interface Order {
  readonly parts: readonly Part[];
  readonly intents: number;
  readonly people: number;
  readonly kills: number;
  readonly seed: string;
  readonly sockets: number;
  readonly minutes: number;
  readonly contracts: { readonly intents: number; readonly people: number };
  readonly pools: { readonly intents: number; readonly people: number };
}

const order = readOrder(process.argv.slice(2));
if (order === null) process.exit(2);
// The daemons lead groups of their own, which a Ctrl-C does not reach.
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => void killDaemons().then(() => process.exit(1)));
const isGood = await run(order).finally(killDaemons);
process.exit(isGood ? 0 : 1);

function readOrder(args: readonly string[]): Order | null {
  try {
    const { values, positionals } = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        intents: { type: 'string' },
        people: { type: 'string' },
        kills: { type: 'string' },
        seed: { type: 'string' },
        sockets: { type: 'string' },
        minutes: { type: 'string' },
      },
    });
    const parts = PARTS.filter((part) => positionals.length === 0 || positionals.includes(part));
    const unknown = positionals.filter((word) => !PARTS.some((part) => part === word));
    if (unknown.length > 0) throw new RangeError(`there is no part called ${unknown.join(', ')}`);
    return {
      parts,
      seed: values.seed ?? '1',
      intents: wholeNumber('--intents', values.intents ?? '10000'),
      people: wholeNumber('--people', values.people ?? '100'),
      kills: wholeNumber('--kills', values.kills ?? '20'),
      sockets: wholeNumber('--sockets', values.sockets ?? '5000'),
      minutes: wholeNumber('--minutes', values.minutes ?? '60'),
      pools: {
        intents: wholeNumber('--intents', values.intents ?? String(CONTRACTS.intents)),
        people: wholeNumber('--people', values.people ?? String(POOL_PEOPLE)),
      },
      contracts: {
        intents: wholeNumber('--intents', values.intents ?? String(CONTRACTS.intents)),
        people: wholeNumber('--people', values.people ?? String(CONTRACTS.people)),
      },
    };
  } catch (error) {
    console.error(`chaos: ${error instanceof Error ? error.message : String(error)}\n${USAGE}`);
    return null;
  }
}

function wholeNumber(name: string, text: string): number {
  if (!/^\d{1,6}$/.test(text)) throw new RangeError(`${name} is a whole number, not ${text}`);
  return Number(text);
}

async function run(wanted: Order): Promise<boolean> {
  const tell = (line: string): void => console.error(`chaos: ${line}`);
  const { parts } = wanted;
  const good: boolean[] = [];
  if (parts.includes('intents') || parts.includes('official'))
    good.push(await runOrders(wanted, tell));
  if (parts.includes('settlements'))
    good.push(
      printHour(
        await liveThroughSettlementHour(
          { minutes: wanted.minutes, speed: SPEED, people: TRADERS },
          tell,
        ),
        wanted.minutes,
      ),
    );
  if (parts.includes('sockets'))
    good.push(
      printLoad(await liveThroughSocketLoad({ sockets: wanted.sockets, rounds: ROUNDS }, tell)),
    );
  if (parts.includes('contracts')) good.push(await runContracts(wanted, tell));
  if (parts.includes('books')) good.push(await runBooks(wanted, tell));
  if (parts.includes('pools')) good.push(await runPools(wanted, tell));
  return good.every(Boolean);
}

async function runContracts(
  { contracts, kills, seed }: Order,
  tell: (line: string) => void,
): Promise<boolean> {
  const startedAt = performance.now();
  const { verdict, met, again, ...lived } = await liveThroughContracts(
    { ...contracts, kills, seed },
    tell,
  );
  const { intents, orders, filled, doubled, lost, guessed } = verdict;
  const { strangers, ledgerDiffers, unbacked } = verdict;
  const seconds = ((performance.now() - startedAt) / 1_000).toFixed(0);
  console.log(
    `\nvenue_b: ${intents} intents of ${contracts.people} people over ${lived.kills} kills and ${met.length} kinds of faults, ${again} calls made again, in ${seconds} s: ` +
      `${orders} orders, ${filled} filled; doubled ${doubled}, lost ${lost}, guessed ${guessed}, openings without a request ${strangers}, users whose ledger is not their wallet ${ledgerDiffers}, transactions that left tokens unbacked ${unbacked}`,
  );
  for (const finding of [...verdict.findings, ...verdict.brokenLaws, ...verdict.errors])
    console.log(finding);
  return isCleanOfContracts(verdict);
}

async function runBooks(
  { contracts, kills, seed }: Order,
  tell: (line: string) => void,
): Promise<boolean> {
  const startedAt = performance.now();
  const { verdict, met, again, ...lived } = await liveThroughBooks(
    { ...contracts, kills, seed },
    tell,
  );
  const { intents, orders, filled, doubled, lost, guessed, strangers, ledgerDiffers } = verdict;
  const seconds = ((performance.now() - startedAt) / 1_000).toFixed(0);
  console.log(
    `\nvenue_c: ${intents} intents of ${contracts.people} people over ${lived.kills} kills and ${met.length} kinds of faults, ${again} calls made again, in ${seconds} s: ` +
      `${orders} orders, ${filled} filled; doubled ${doubled}, lost ${lost}, guessed ${guessed}, strangers at the venue ${strangers}, ledgers that differ from the venue ${ledgerDiffers}`,
  );
  for (const finding of [...verdict.findings, ...verdict.brokenLaws, ...verdict.errors])
    console.log(finding);
  return isCleanOfBooks(verdict);
}

async function runPools(
  { pools, kills, seed }: Order,
  tell: (line: string) => void,
): Promise<boolean> {
  const startedAt = performance.now();
  const { verdict, met, again, ...lived } = await liveThroughPools({ ...pools, kills, seed }, tell);
  const { intents, orders, trades, doubled, lost, guessed, strangers } = verdict;
  const { ledgerDiffers, gasDiffers } = verdict;
  const seconds = ((performance.now() - startedAt) / 1_000).toFixed(0);
  console.log(
    `\nvenue_c's pools: ${intents} intents of ${pools.people} people over ${lived.kills} kills and ${met.length} kinds of faults, ${again} calls made again, in ${seconds} s: ` +
      `${orders} orders, ${trades} trades on the chain; doubled ${doubled}, lost ${lost}, guessed ${guessed}, trades of no order ${strangers}, ledgers that differ from the wallet ${ledgerDiffers}, wallets whose gas is stated otherwise ${gasDiffers}`,
  );
  for (const finding of [...verdict.findings, ...verdict.brokenLaws, ...verdict.errors])
    console.log(finding);
  return isCleanOfPools(verdict);
}

async function runOrders(
  { parts, intents, people, kills, seed }: Order,
  tell: (line: string) => void,
): Promise<boolean> {
  const ours = parts.includes('intents')
    ? await liveThroughChaos({ intents, people, kills, seed }, tell)
    : null;
  const official = parts.includes('official')
    ? await runOfficial({ intents, people, seed }, tell)
    : null;
  console.log(table(ours, official));
  if (ours !== null)
    console.log(
      `\n${faultScheduleTable(ours)}\n\ncalls without an answer ${ours.unanswered}, answered "later" ${ours.later}`,
    );
  for (const finding of [
    ...(ours?.verdict.findings ?? []),
    ...(ours?.verdict.brokenLaws ?? []),
    ...(ours?.verdict.errors ?? []),
  ])
    console.log(`\n${finding}`);
  return ours === null || (isClean(ours.verdict) && ours.imbalanceGauge === 0);
}

function printHour(report: SettlementHourReport, minutes: number): boolean {
  const {
    settled,
    reversed,
    broke,
    healed,
    openMaximum,
    recoveredAfterMinutes,
    openBreakers,
    ledgerDiffers,
    imbalanceMicros,
    brokenLaws,
  } = report;
  console.log(
    `\n35 % of settlements fail for ${minutes} minutes of the market's time: ${settled} fills settled, ${reversed} reversed; breakers opened ${broke} times and healed ${healed} times; ` +
      `settlement_breakers_open up to ${openMaximum}; after the last minute it was 0 again ${recoveredAfterMinutes === null ? 'never' : `within ${recoveredAfterMinutes.toFixed(1)} minutes`}; ` +
      `breakers open at the end ${openBreakers}, users whose ledger is not the chain's ${ledgerDiffers}, imbalance ${imbalanceMicros}`,
  );
  for (const law of brokenLaws) console.log(law);
  return (
    reversed > 0 &&
    openMaximum > 0 &&
    recoveredAfterMinutes !== null &&
    openBreakers + ledgerDiffers + brokenLaws.length === 0 &&
    imbalanceMicros === 0
  );
}

function printLoad({ sockets, returns, equal, holes, example }: SocketLoadReport): boolean {
  console.log(
    `\n| ${sockets} sockets cut at once and back at once | half | 99 % | all | processor time of the daemon |\n| --- | ---: | ---: | ---: | ---: |`,
  );
  returns.forEach(({ medianMs, p99Ms, allMs, serverMs }, index) =>
    console.log(
      `| time ${index + 1} | ${[medianMs, p99Ms, allMs].map((ms) => `${(ms / 1_000).toFixed(2)} s`).join(' | ')} | ${(serverMs / 1_000).toFixed(2)} s |`,
    ),
  );
  console.log(
    `\nreaders whose books are the server's and the venue's: ${equal} of ${sockets}; changes that did not follow: ${holes}${example === null ? '' : `; ${example}`}`,
  );
  return (
    equal === sockets && holes === 0 && returns.every(({ allMs }) => allMs <= CURRENT_WITHIN_MS)
  );
}

async function runOfficial(
  size: Pick<Order, 'intents' | 'people' | 'seed'>,
  tell: (line: string) => void,
): Promise<OfficialReport> {
  const calm = await liveOfficially({
    ...size,
    intents: Math.min(size.intents, CALM_INTENTS),
    isCalm: true,
  });
  if (calm.duplicates > 0 || calm.lost > 0)
    throw new Error('this machine is too busy: the official client meets time-outs without faults');
  tell(`the official client without faults: ${calm.duplicates} duplicates of ${calm.requests}`);
  return liveOfficially(size);
}

function table(ours: ChaosReport | null, official: OfficialReport | null): string {
  const row = (
    work: string,
    here: string | number | undefined,
    there: string | number | undefined,
  ): string => `| ${work} | ${here ?? '–'} | ${there ?? '–'} |`;
  return [
    '| | predictd | @polymarket/clob-client-v2 1.1.0, made again on exceptions |',
    '| --- | ---: | ---: |',
    row('intents', ours?.verdict.requests, official?.requests),
    row('SIGKILLs on the way', ours?.kills, official === null ? undefined : 0),
    row('of which an order reached the venue', ours?.verdict.taken, official?.taken),
    row('duplicate orders', ours?.verdict.duplicatesAtVenue, official?.duplicates),
    row(
      'intents whose order the caller has wrong or does not know',
      ours?.verdict.lost,
      official?.lost,
    ),
    row(
      'orders left open that no caller takes back',
      ours === null ? undefined : ours.verdict.strangers,
      official?.leftOpen,
    ),
    row('states that are not the venue’s', ours?.verdict.guessed, undefined),
    row('users whose ledger is not the venue’s', ours?.verdict.ledgerDiffers, undefined),
    row('imbalance of the books, micros', ours?.verdict.imbalanceMicros, undefined),
  ].join('\n');
}

function faultScheduleTable({ blows }: ChaosReport): string {
  const links = [...new Set(blows.map(({ link }) => link))].sort();
  const count = (link: string, fault: string, way: string): number =>
    blows
      .filter((blow) => blow.link === link && blow.fault === fault && blow.way === way)
      .reduce((sum, blow) => sum + blow.count, 0);
  const rows = links.map(
    (link) =>
      `| ${link} | ${FAULTS.map((fault) => `${count(link, fault, 'there')} / ${count(link, fault, 'back')}`).join(' | ')} |`,
  );
  return [
    `| faults there / back | ${FAULTS.join(' | ')} |`,
    `| --- | ${FAULTS.map(() => '---:').join(' | ')} |`,
    ...rows,
  ].join('\n');
}
