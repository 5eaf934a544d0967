import { spawn } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { familyOf, killDaemons, startDaemon, untilGone, type Daemon } from './daemon.ts';
import { booksIn, compared, type Books, type Comparison } from './restored-books.ts';
import { SECRET, traderOf } from './restore-trader.ts';

const MAIN = fileURLToPath(new URL('../../../dist/src/main.js', import.meta.url));
/** Rounds of the reconciler, one a minute of the chain's time, in which the alert has ended. */
const ROUNDS_TO_SETTLE = 15;
/** The sandbox's world and its time: they live on beside a store that is put back. */
const WORLD = ['sandbox', 'sandbox-time.json', 'sandbox-runs.json', 'sandbox-runs.json.copy'];

/** What one round came to. */
export interface Round extends Comparison {
  /** What was done by hand between backup and kill; agents trade at both venues beside it. */
  readonly done: readonly string[];
  /** Of the market's time between backup and kill. */
  readonly minutes: number;
  /** Orders that adopting made ours again. */
  readonly adopted: number;
  /** Killed while it adopted, and begun again. */
  readonly wasCut: boolean;
  /** 0: ledger and chain agree for every user. */
  readonly exitCode: number;
  readonly mismatched: number;
  readonly imbalance: number;
  readonly brokenLaws: readonly string[];
}

/**
 * A sandbox whose daemon is killed again and again, its store put back as it was minutes of market
 * time before, and what it then lacks adopted; the world goes on.
 */
export async function restoreRounds(
  count: number,
  report: (round: Round, number: number) => void,
): Promise<void> {
  const home = mkdtempSync(join(tmpdir(), 'predictd-restore-'));
  let folder = join(home, 'data-0');
  try {
    let daemon = start(folder);
    await traderOf(daemon, folder).ready();
    let copy = await backup(home, folder, 0);
    for (let number = 1; number <= count; number += 1) {
      const beganMs = performance.now();
      const done = await traderOf(daemon, folder).trade(number);
      const minutes = ((performance.now() - beganMs) * 10) / 60_000;
      await end(daemon);
      const before = await booksIn(aside(home, join(folder, 'store'), 'before'));
      folder = await restored(home, { copy, from: folder, number });
      daemon = start(folder);
      await daemon.url();
      const wasCut = number % 3 === 0;
      if (wasCut) {
        const cut = adopt(folder);
        await traderIsAdopting(daemon);
        await end(daemon);
        await cut;
        daemon = start(folder);
        await daemon.url();
      }
      const { code, printed } = await adopt(folder);
      const trader = traderOf(daemon, folder);
      copy = await backup(home, folder, number);
      const after: Books = await booksIn(aside(home, join(copy, 'store'), 'after'));
      // Adopting has compared; that the alert ends too is seen once.
      const mismatched = number === count ? await settledMismatch(trader.metric) : 0;
      report(
        {
          ...compared(before, after),
          done,
          minutes,
          wasCut,
          adopted: Number(/orders {4}(\d+)/.exec(printed)?.[1]),
          exitCode: code,
          mismatched,
          imbalance: await trader.metric('ledger_imbalance_usdc'),
          brokenLaws: after.brokenLaws,
        },
        number,
      );
      await trader.resume();
    }
    await end(daemon);
  } finally {
    await killDaemons();
    rmSync(home, { recursive: true, force: true, maxRetries: 50, retryDelay: 100 });
  }
}

/** Lives rounds and prints each; true when nothing was lost or doubled, and all agrees. */
export async function liveRestores(count: number): Promise<boolean> {
  const bad: number[] = [];
  let [orders, fills, payouts, adopted] = [0, 0, 0, 0];
  await restoreRounds(count, (round, number) => {
    orders += round.orders;
    fills += round.fills;
    payouts += round.payouts;
    adopted += round.adopted;
    if (faultsOf(round).length > 0) bad.push(number);
    console.log(
      `round ${number}: ${round.minutes.toFixed(1)} minutes lost, ${round.adopted} orders adopted${round.wasCut ? ', cut off on the way' : ''}; ${round.done.join(', ')}; ${faultsOf(round).join('; ') || 'nothing lost, nothing doubled, ledger = chain'}`,
    );
  });
  console.log(
    `${count} rounds: ${adopted} orders adopted; of ${orders} orders, ${fills} fills and ${payouts} payouts on record in all rounds none lost or doubled but in rounds: ${bad.join(', ') || 'none'}`,
  );
  return bad.length === 0;
}

/** What is not as it should be after a round. */
export function faultsOf(round: Round): readonly string[] {
  const { lost, doubled, exitCode, mismatched, imbalance } = round;
  return [
    ...lost.map((name) => `lost ${name}`),
    ...doubled.map((name) => `doubled ${name}`),
    ...(exitCode === 0 ? [] : [`adopt ended with ${exitCode}`]),
    ...(mismatched === 0 ? [] : [`${mismatched} users whose chain differs`]),
    ...(imbalance === 0 ? [] : [`the ledger is off by ${imbalance}`]),
    ...round.brokenLaws,
  ];
}

function start(folder: string): Daemon {
  return startDaemon({ PREDICTD_DATA: folder, PREDICTD_INTERNAL_SECRET: SECRET });
}

/** As a power failure, the world beside it going on from its own disk. */
async function end(daemon: Daemon): Promise<void> {
  const family = familyOf(daemon.pid);
  daemon.signal('SIGKILL');
  await daemon.ended;
  await untilGone(family);
}

function aside(home: string, store: string, name: string): string {
  const path = join(home, name);
  rmSync(path, { recursive: true, force: true });
  cpSync(store, path, { recursive: true });
  return path;
}

async function backup(home: string, folder: string, number: number): Promise<string> {
  const copy = join(home, `copy-${number}`);
  const { code, printed } = await run(['backup', copy, '--data', folder]);
  if (code !== 0) throw new Error(`backup ended with ${code}: ${printed}`);
  return copy;
}

interface Lost {
  readonly copy: string;
  readonly from: string;
  readonly number: number;
}

async function restored(home: string, { copy, from, number }: Lost): Promise<string> {
  const folder = join(home, `data-${number}`);
  mkdirSync(folder, { mode: 0o700 });
  cpSync(join(from, 'master.key'), join(folder, 'master.key'));
  const { code, printed } = await run(['restore', copy, folder]);
  if (code !== 0) throw new Error(`restore ended with ${code}: ${printed}`);
  for (const name of WORLD)
    if (existsSync(join(from, name))) renameSync(join(from, name), join(folder, name));
  rmSync(from, { recursive: true, force: true });
  rmSync(copy, { recursive: true, force: true });
  return folder;
}

const adopt = (folder: string): ReturnType<typeof run> => run(['adopt', '--data', folder]);

/** Waits until a run has begun. */
async function traderIsAdopting(daemon: Daemon): Promise<void> {
  for (;;) {
    const answer = await fetch(`${await daemon.url()}/internal/adopt`, {
      headers: { 'x-internal-secret': SECRET },
    });
    const { state, orders } = (await answer.json()) as { state: string; orders: number }; // the route
    if (state !== 'waiting' && (orders > 0 || state !== 'running')) return;
    await turn();
  }
}

/**
 * Waits until no user is counted as mismatched after a round of the reconciler, and returns 0; what
 * so many rounds still count is returned. Wallets have rounds of their own, and one in which money
 * of the user's was moving leaves what the round before it counted.
 */
async function settledMismatch(metric: (name: string) => Promise<number>): Promise<number> {
  const comparedAt = (): Promise<number> => metric('money_reconciled_timestamp_seconds');
  let seenAt = await comparedAt();
  for (let rounds = 0; ; ) {
    await turn();
    const nowAt = await comparedAt();
    if (nowAt > seenAt) rounds += 1;
    seenAt = nowAt;
    const counted =
      (await metric('money_mismatched_users')) + (await metric('wallets_mismatched_users'));
    if (rounds > 0 && (counted === 0 || rounds === ROUNDS_TO_SETTLE)) return counted;
  }
}

function turn(): Promise<void> {
  return new Promise((resolve) => void setTimeout(resolve, 250));
}

function run(
  words: readonly string[],
): Promise<{ readonly code: number; readonly printed: string }> {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, [MAIN, ...words], {
      env: { PATH: process.env['PATH'] ?? '', PREDICTD_INTERNAL_SECRET: SECRET },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let printed = '';
    child.stdout.on('data', (chunk) => (printed += String(chunk)));
    child.stderr.on('data', (chunk) => (printed += String(chunk)));
    child.once('close', (code) => resolve({ code: code ?? -1, printed }));
  });
}
