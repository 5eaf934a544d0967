import { slotOf } from '../../src/domain/slot.ts';
import { createCaller, type Reported } from '../chaos/caller.ts';
import { bodyOf, openMarkets, requestsOf, type Request } from '../chaos/requests.ts';
import { signUp, type Person } from '../chaos/users.ts';
import { judge, keyOf, type Verdict } from '../chaos/verdict.ts';
import { startCluster, type Cluster, type Control } from './cluster.ts';
import { befall, type Fault } from './faults.ts';
import { recordsOnOtherSides } from './other-sides.ts';
import { openReaders, type ReaderVerdict } from './readers.ts';
import { judgeLog, type LogVerdict } from './log-verdict.ts';

/** How large a run is. */
export interface ProofSize {
  readonly orders: number;
  readonly people: number;
  readonly shards: number;
  /** What befalls the cluster on the way, spread evenly. */
  readonly faults: readonly Fault[];
  /** Another build, which machines run at every other start; undefined: none. */
  readonly otherBuild?: string | undefined;
  /** What is left out of the cluster; undefined: nothing. */
  readonly without?: Control | undefined;
}

/**
 * A fault, and how long it took until another process had taken over, or a book was trusted again;
 * null where none had to.
 */
interface FaultSeen {
  readonly fault: Fault;
  readonly tookMs: number | null;
}

/** What a run left. */
export interface ProofReport {
  readonly verdict: Verdict;
  readonly log: LogVerdict;
  /** Records of people at other shards than theirs: 0. */
  readonly onOtherSides: number;
  readonly readers: ReaderVerdict;
  readonly faults: readonly FaultSeen[];
  /** People of each shard. */
  readonly parted: readonly number[];
  /** Owners there were, of all shards; of one that a split made, those of the one before too. */
  readonly epoch: number;
  /** Calls that brought no answer, and those whose answer was to come back later. */
  readonly unanswered: number;
  readonly later: number;
  /** How the machines ended that were started again. */
  readonly ends: readonly string[];
  readonly seconds: number;
}

/** Requests one person has under way at a time. */
const LANES = 2;
const AGAIN_MS = 500;
const ERRORS_SHOWN = 3;
/** What a machine that was replaced logs of its last commit, as it is to. */
const REPLACED = 'the shard has another owner';

/**
 * Has people trade through the gateways of a real cluster while machines and databases are lost,
 * and compares what they were answered with what the log and the venue have in the end.
 */
export async function proveCluster(
  size: ProofSize,
  print: (line: string) => void,
): Promise<ProofReport> {
  const cluster = await startCluster({
    ports: [0, 0],
    shards: size.shards,
    makers: false,
    print,
    without: size.without,
    otherBuild: size.otherBuild,
  });
  const callers = cluster.urls.map((url) => createCaller(url, async () => url));
  try {
    const markets = openMarkets(cluster.world.venues.venue_a.exchange);
    const [url = ''] = cluster.urls;
    const printed = (): string =>
      cluster.machines.map((machine) => machine.daemon().printed()).join('');
    const people = await signUp({ url: async () => url, printed }, size.people);
    print(`${people.length} people are signed in and have money`);
    const readers = await openReaders(people, cluster.urls);
    const begunAtMs = performance.now();
    const each = Math.ceil(size.orders / people.length);
    const reported = new Map<Request, Reported>();
    const faults = befallAll(cluster, { size, people, reported, print });
    const lanes = people.flatMap((person, who) => {
      const own = [...requestsOf(who, each, markets)];
      return Array.from({ length: LANES }, async (_, lane) => {
        const caller = callers[(who + lane) % callers.length];
        if (caller === undefined) throw new Error('a cluster has gateways');
        for (let request = own.shift(); request !== undefined; request = own.shift()) {
          const said = await caller.place(person, keyOf(request), bodyOf(request));
          if (request.rests && said.kind === 'order') await caller.cancel(person, said.id);
          reported.set(request, said);
        }
        return caller;
      });
    });
    await Promise.race([Promise.all(lanes), cluster.lost]);
    const seconds = (performance.now() - begunAtMs) / 1_000;
    const seen = await Promise.race([faults, cluster.lost]);
    print(`all ${reported.size} orders are answered; waiting until all is settled`);
    for (const person of people)
      for (;;) {
        const { data, cash } = await (callers[0] as (typeof callers)[number]).read<{
          data: readonly { readonly provisionalShares: string }[];
          cash: { readonly provisional: string };
        }>(person, '/api/venue_a/holding/');
        if (
          cash.provisional === '0' &&
          data.every(({ provisionalShares }) => provisionalShares === '0')
        )
          break;
        await new Promise((resolve) => setTimeout(resolve, AGAIN_MS));
      }
    await Promise.race([readers.heard([...reported.values()]), cluster.lost]);
    readers.close();
    const slots = await cluster
      .primary()
      .ask<{ readonly shard: number }>('select shard from slot order by slot');
    const shardOf = ({ userId }: Person): number => slots[slotOf(userId) ?? 0]?.shard ?? 0;
    let epoch = 0;
    for (let id = 0; id < cluster.shards; id += 1) epoch += (await cluster.shard(id)).epoch;
    const log = await judgeLog(cluster.primary());
    const folders = await cluster.end();
    const verdict = await judge({
      exchange: cluster.world.venues.venue_a.exchange,
      folders,
      people,
      reported,
    });
    const counts = callers.map((caller) => caller.counts());
    return {
      verdict: {
        ...verdict,
        errors: verdict.errors.filter((line) => !line.includes(REPLACED)).slice(0, ERRORS_SHOWN),
      },
      log,
      onOtherSides: await recordsOnOtherSides(folders, people, shardOf),
      readers: readers.verdict(),
      faults: seen,
      parted: Array.from(
        { length: cluster.shards },
        (_, id) => people.filter((person) => shardOf(person) === id).length,
      ),
      epoch,
      unanswered: counts.reduce((sum, { unanswered }) => sum + unanswered, 0),
      later: counts.reduce((sum, { later }) => sum + later, 0),
      ends: cluster.machines.flatMap(({ name, ends }) => ends.map((end) => `${name} ${end}`)),
      seconds,
    };
  } finally {
    for (const caller of callers) await caller.close();
    await cluster.close();
  }
}

/** Has each fault come once as many orders are answered as its turn says. */
async function befallAll(
  cluster: Cluster,
  {
    size,
    people,
    reported,
    print,
  }: {
    readonly size: ProofSize;
    readonly people: readonly Person[];
    readonly reported: ReadonlyMap<Request, Reported>;
    readonly print: (line: string) => void;
  },
): Promise<readonly FaultSeen[]> {
  const seen: FaultSeen[] = [];
  const every = size.orders / (size.faults.length + 1);
  for (const [index, fault] of size.faults.entries()) {
    while (reported.size < every * (index + 1)) await new Promise((r) => setTimeout(r, POLL_MS));
    const shard = index % cluster.shards;
    const [person] = people.slice(index % people.length);
    if (person === undefined) throw new Error('someone trades');
    const tookMs = await befall(cluster, fault, { shard, person });
    seen.push({ fault, tookMs });
    print(
      `${reported.size} orders answered: ${fault} of shard ${shard}${tookMs === null ? '' : `, over after ${(tookMs / 1_000).toFixed(1)} s`}`,
    );
  }
  return seen;
}

const POLL_MS = 50;
