import { join } from 'node:path';
import { createCaller, type Caller, type Reported } from './caller.ts';
import { signUp, type Person } from './users.ts';
import { openEnvironment, type BlowCount, type Environment } from './environment.ts';
import { judge, keyOf, type Verdict } from './verdict.ts';
import { bodyOf, openMarkets, requestsOf, type Request } from './requests.ts';

/** How large a run is. */
export interface ChaosSize {
  readonly intents: number;
  readonly people: number;
  /** SIGKILLs of the daemon on the way, spread evenly. */
  readonly kills: number;
  readonly seed: string;
}

/** What a run left. */
export interface ChaosReport {
  readonly verdict: Verdict;
  readonly kills: number;
  readonly blows: readonly BlowCount[];
  /** Calls of our callers that brought no answer, and those that were answered "later". */
  readonly unanswered: number;
  readonly later: number;
  /** Gauge of the running daemon at the end: how far its books are off. */
  readonly imbalanceGauge: number;
}

/** Requests one person has under way at a time. */
const LANES = 2;
const POLL_MS = 500;
/**
 * Longer than late bookings, repeated looks and settlement take together; what is undecided then is
 * judged as it is.
 */
const QUIET_MAXIMUM_MS = 180_000;

/**
 * Sends everybody's requests to a real daemon through proxies that misbehave, kills it on the way,
 * waits without faults until all is decided, and compares the answers that callers got with what
 * the daemon stored and the venue has.
 */
export async function liveThroughChaos(
  size: ChaosSize,
  tell: (line: string) => void = () => undefined,
): Promise<ChaosReport> {
  const environment = await openEnvironment(size.seed);
  const caller = createCaller(environment.apiUrl, () => environment.service.url());
  try {
    const markets = openMarkets(environment.world.venues.venue_a.exchange);
    const people = await signUp(environment.service, size.people);
    tell(`${people.length} people are signed in and have money`);
    const each = Math.ceil(size.intents / people.length);
    const requests = people
      .flatMap((_, who) => requestsOf(who, each, markets))
      .filter(({ who, number }) => who + number * people.length < size.intents);
    environment.load();
    const reported = await placeAll({
      environment,
      caller,
      people,
      requests,
      kills: size.kills,
      tell,
    });
    environment.calm();
    tell(`all ${reported.size} requests are answered; waiting until all is decided`);
    await Promise.race([
      Promise.all(people.map((person) => quiet(caller, person))),
      environment.service.lost,
    ]);
    const imbalanceGauge = await gaugeOf(environment, 'ledger_imbalance_usdc');
    await environment.service.end();
    const verdict = await judge({
      exchange: environment.world.venues.venue_a.exchange,
      folders: [join(environment.folder, 'data')],
      people,
      reported,
    });
    return {
      verdict,
      kills: environment.service.lives() - 1,
      blows: environment.blows(),
      ...caller.counts(),
      imbalanceGauge,
    };
  } finally {
    await caller.close();
    await environment.close();
  }
}

interface Load {
  readonly environment: Environment;
  readonly caller: Caller;
  readonly people: readonly Person[];
  readonly requests: readonly Request[];
  readonly kills: number;
  tell(line: string): void;
}

async function placeAll({
  environment,
  caller,
  people,
  requests,
  kills,
  tell,
}: Load): Promise<ReadonlyMap<Request, Reported>> {
  const reported = new Map<Request, Reported>();
  const killEvery = Math.ceil(requests.length / (kills + 1));
  let restarting = Promise.resolve();
  const answered = (request: Request, words: Reported): void => {
    reported.set(request, words);
    if (reported.size % killEvery !== 0 || reported.size === requests.length) return;
    // The others go on calling meanwhile: who is cut off asks again.
    restarting = restarting.then(() => environment.service.restart());
    tell(`${reported.size} requests answered, the daemon is killed`);
  };
  const lane = async (person: Person, own: Request[]): Promise<void> => {
    for (let request = own.shift(); request !== undefined; request = own.shift()) {
      const words = await caller.place(person, keyOf(request), bodyOf(request));
      answered(request, words);
      if (request.rests && words.kind === 'order') await caller.cancel(person, words.id);
    }
  };
  const lanes = people.flatMap((person, who) => {
    const own = requests.filter((request) => request.who === who);
    return Array.from({ length: LANES }, () => lane(person, own));
  });
  await Promise.race([Promise.all(lanes), environment.service.lost]);
  await restarting;
  return reported;
}

/** Waits until nothing of a person's is open, undecided or unsettled, but not for ever. */
async function quiet(caller: Caller, person: Person): Promise<void> {
  const untilMs = performance.now() + QUIET_MAXIMUM_MS;
  while (performance.now() < untilMs) {
    const { data: open } = await caller.read<{ data: readonly unknown[] }>(
      person,
      '/api/venue_a/order/',
    );
    const { data: holdings, cash } = await caller.read<{
      data: readonly { provisionalShares: string }[];
      cash: { provisional: string };
    }>(person, '/api/venue_a/holding/');
    if (
      open.length === 0 &&
      cash.provisional === '0' &&
      holdings.every(({ provisionalShares }) => provisionalShares === '0')
    )
      return;
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}

async function gaugeOf({ service }: Environment, name: string): Promise<number> {
  const text = await (await fetch(`${await service.url()}/metrics`)).text();
  return Number(new RegExp(`^predictd_${name} (\\S+)$`, 'm').exec(text)?.[1] ?? Number.NaN);
}
