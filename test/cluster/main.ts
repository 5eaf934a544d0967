// A cluster on this machine: three nodes of PostgreSQL, the sandbox's world, two feeds, machines
// of which one owns the shard, two gateways, a demo user. `npm run sim -- cluster` takes commands
// until Ctrl-C; `npm run sim -- cluster prove [--orders 2000] [--people 20] [--rounds 1]` has
// people trade through it while machines, databases and feeds are lost, and prints what came of it.
import { createInterface } from 'node:readline';
import { parseArgs } from 'node:util';
import { FEED_LINK } from '../../config/limits/feed-link.ts';
import { readReport } from '../../src/app/shards-cli.ts';
import { signUp } from '../chaos/users.ts';
import { isClean } from '../chaos/verdict.ts';
import { killDaemons } from '../crash/support/daemon.ts';
import { NO_POSTGRES } from '../support/fixtures/postgres.ts';
import { CONTROLS, INTERNAL_SECRET, startCluster, type Cluster, type Control } from './cluster.ts';
import { befall, FAULTS, OVERTAKE, TORN_SPLIT, type Fault } from './faults.ts';
import { proveCluster } from './proof.ts';

/** What shows that something was left out. */
const UNSAFE: Readonly<Record<Control, Fault>> = { epoch: 'pause', quorum: OVERTAKE };

/** What is to be proven. */
interface Proof {
  readonly orders: number;
  readonly people: number;
  readonly rounds: number;
  readonly shards: number;
  /** What happens instead of all faults in turn. */
  readonly fault: Fault | undefined;
  readonly otherBuild: string | undefined;
  readonly without: Control | undefined;
}

const USAGE = `usage: npm run sim -- cluster [prove [--orders <count>] [--people <count>] [--rounds <of all faults>] [--shards <count>] [--fault <one of them>] [--other-build <a built clone>] [--without epoch|quorum]]`;
const PORTS = [8787, 8788] as const;
const SHARDS = 2;
const CODES_SHOWN_MS = 300;
/** Longer than readers wait for a feed that is silent. */
const FEED_STOPPED_MS = 5 * FEED_LINK.silentMs;
/** Two machines each are as many as this one bears. */
const SHARDS_MAXIMUM = 4;

const print = (line: string): void =>
  console.log(`${new Date().toISOString().slice(11, 19)} ${line}`);

if (NO_POSTGRES !== null)
  end(2, `${NO_POSTGRES}; a database of your own goes into PREDICTD_LOG_URLS.`);
const order = readOrder(process.argv.slice(2));
if (order === null) end(2, USAGE);
let starting: Promise<Cluster> | null = null;
// The machines lead groups of their own, which a Ctrl-C does not reach. What is still being started
// is ended once it is there: a part that nothing knows yet would stay.
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(
    signal,
    () =>
      void (starting?.then((running) => running.close(), killDaemons) ?? killDaemons()).then(() =>
        process.exit(0),
      ),
  );
if (order === 'run')
  await runCluster().catch((cause: unknown) => end(2, cause instanceof Error ? cause.message : ''));
else process.exit((await prove(order).finally(killDaemons)) ? 0 : 1);

function end(code: number, why: string): never {
  console.error(`cluster: ${why}`);
  process.exit(code);
}

function readOrder(args: readonly string[]): 'run' | Proof | null {
  try {
    const { values, positionals } = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        orders: { type: 'string', default: '2000' },
        people: { type: 'string', default: '20' },
        rounds: { type: 'string', default: '1' },
        shards: { type: 'string', default: '2' },
        fault: { type: 'string' },
        'other-build': { type: 'string' },
        without: { type: 'string' },
      },
    });
    if (positionals.length === 0 && args.length === 0) return 'run';
    if (positionals.join(' ') !== 'prove') return null;
    const [orders, people, rounds, shards] = [
      values.orders,
      values.people,
      values.rounds,
      values.shards,
    ].map((text) => (/^\d{1,6}$/.test(text) ? Number(text) : null));
    const without = CONTROLS.find((one) => one === values.without);
    if (values.without !== undefined && without === undefined) return null;
    const known: readonly Fault[] = [...FAULTS, TORN_SPLIT];
    const fault = known.find((one) => one === values.fault);
    if (values.fault !== undefined && fault === undefined) return null;
    const otherBuild = values['other-build'];
    return orders && people && rounds && shards && shards <= SHARDS_MAXIMUM
      ? { orders, people, rounds, shards, fault, otherBuild, without }
      : null;
  } catch {
    return null;
  }
}

async function prove({
  orders,
  people,
  rounds,
  shards,
  fault,
  otherBuild,
  without,
}: Proof): Promise<boolean> {
  // A split makes a shard more, and is in the first round alone.
  const lasting = FAULTS.filter((one) => one !== 'split');
  const faults: readonly Fault[] =
    without === undefined
      ? Array.from({ length: rounds }, (_, round) =>
          fault === undefined ? (round === 0 ? FAULTS : lasting) : [fault],
        ).flat()
      : [UNSAFE[without]];
  const report = await proveCluster(
    { orders, people, shards, faults, otherBuild, without },
    print,
  ).catch((cause: unknown) => print(String(cause)));
  if (report === undefined) return false;
  const { verdict, log, onOtherSides, readers } = report;
  console.log(JSON.stringify(report, null, 2));
  const isHeard = readers.cut === 0 && readers.repeated === 0 && readers.disordered === 0;
  return (
    isClean(verdict) &&
    log.missing === 0 &&
    log.afterReplaced === 0 &&
    onOtherSides === 0 &&
    isHeard
  );
}

async function runCluster(): Promise<void> {
  starting = startCluster({ ports: PORTS, shards: SHARDS, makers: true, print });
  const running = await starting;
  const [url = ''] = running.urls;
  const printed = (): string =>
    running.machines.map((machine) => machine.daemon().printed()).join('');
  const [demo] = await signUp({ url: async () => url, printed }, 1);
  if (demo === undefined) throw new Error('the demo user did not sign in');
  print(`gateways answer at ${running.urls.join(' and ')}; open one in a browser`);
  print(`the demo user is person_0 (${demo.userId}); token ${demo.token}`);
  print(`calls of the operator show X-Internal-Secret: ${INTERNAL_SECRET}`);
  const commands = [...FAULTS, 'status'].join(', ');
  print(
    `commands: ${commands}, each with the number of a shard or without; kill feed 0, pause feed 1; Ctrl-C ends everything`,
  );
  showCodes(running);
  running.lost.catch((cause: unknown) => print(`${String(cause)}: people are to decide`));
  for await (const line of createInterface({ input: process.stdin })) {
    const [word = '', ...rest] = line.trim().split(/\s+/);
    if (rest[0] === 'feed') {
      print(hitFeed(running, word, Number(rest[1] ?? '0')));
      continue;
    }
    const [number = '0'] = rest;
    const fault = FAULTS.find((known) => known === word);
    const shard = Number(number);
    if (!(shard >= 0 && shard < running.shards)) print(`there is no shard ${number}`);
    else if (fault !== undefined)
      void hit(running, fault, { shard, person: demo }).catch((cause: unknown) =>
        print(String(cause)),
      );
    else if (word === 'status') await status(running);
    else if (word !== '') print(`there is no command ${word}: ${commands}`);
  }
}

/** Shows the codes that machines print, for people who sign in through a gateway. */
function showCodes({ machines }: Cluster): void {
  const shown = new Set<string>();
  setInterval(() => {
    for (const machine of machines)
      for (const [line] of machine
        .daemon()
        .printed()
        .matchAll(/code for .*/g)) {
        if (!shown.has(line)) print(line);
        shown.add(line);
      }
  }, CODES_SHOWN_MS).unref();
}

/** Kills or stops the process of a feed; returns what came of it. */
function hitFeed({ feeds }: Cluster, word: string, number: number): string {
  const feed = feeds[number];
  if (feed === undefined) return `there is no feed ${number}`;
  const daemon = feed.daemon();
  if (word === 'kill') daemon.signalGroup('SIGKILL');
  else if (word === 'pause') {
    daemon.signal('SIGSTOP');
    setTimeout(() => daemon.signal('SIGCONT'), FEED_STOPPED_MS);
  } else return `there is no command ${word} feed: kill, pause`;
  return `${word}: feed ${number} at ${feed.url}`;
}

async function hit(
  running: Cluster,
  fault: Fault,
  befallen: Parameters<typeof befall>[2],
): Promise<void> {
  const tookMs = await befall(running, fault, befallen);
  print(
    tookMs === null
      ? `${fault}: the owner stays`
      : `${fault}: over after ${(tookMs / 1_000).toFixed(1)} s`,
  );
}

async function status(running: Cluster): Promise<void> {
  const { lines } = await readReport({ urls: running.postgres.urls, tls: null });
  for (const line of lines) print(line);
  for (const [number, feed] of running.feeds.entries())
    print(`feed ${number} at ${feed.url}: ${await feed.readers()} read from it`);
  for (const node of running.postgres.nodes)
    print(`database ${node.name}: ${node === running.primary() ? 'takes writes' : 'follows'}`);
}
