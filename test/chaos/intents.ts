import { join } from 'node:path';
import type { Caller, Told } from './caller.ts';
import { createCaller } from './caller.ts';
import type { Person } from './people.ts';
import { signUp } from './people.ts';
import type { BlowCount, Town } from './town.ts';
import { openTown } from './town.ts';
import type { Verdict } from './verdict.ts';
import { judge, keyOf } from './verdict.ts';
import type { Wish } from './wishes.ts';
import { openMarkets, wishesOf } from './wishes.ts';

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
  /** Calls of our callers that brought no answer, and those that were told "later". */
  readonly unanswered: number;
  readonly later: number;
  /** Gauge of the running daemon at the end: how far its books are off. */
  readonly imbalanceGauge: number;
}

/** Wishes one person has under way at a time. */
const LANES = 2;
const LOOK_AGAIN_MS = 500;
/** Longer than late bookings, repeated looks and settlement take together; what is undecided then is judged as it is. */
const QUIET_MAXIMUM_MS = 180_000;

/**
 * Sends everybody's wishes to a real daemon through proxies that misbehave, kills it on the way, waits in fair weather until all
 * is decided, and compares what callers were told with what the daemon stored and the venue has.
 */
export async function liveThroughChaos(
  size: ChaosSize,
  tell: (line: string) => void = () => undefined,
): Promise<ChaosReport> {
  const town = await openTown(size.seed);
  const caller = createCaller(town.apiUrl, () => town.service.url());
  try {
    const markets = openMarkets(town.world.venues.venue_a.exchange);
    const people = await signUp(town.service, size.people);
    tell(`${people.length} people are signed in and have money`);
    const each = Math.ceil(size.intents / people.length);
    const wishes = people
      .flatMap((_, who) => wishesOf(who, each, markets))
      .filter(({ who, number }) => who + number * people.length < size.intents);
    town.storm();
    const told = await placeAll({ town, caller, people, wishes, kills: size.kills, tell });
    town.calm();
    tell(`all ${told.size} wishes are answered; waiting until all is decided`);
    await Promise.race([
      Promise.all(people.map((person) => quiet(caller, person))),
      town.service.lost,
    ]);
    const imbalanceGauge = await gaugeOf(town, 'ledger_imbalance_usdc');
    await town.service.end();
    const verdict = await judge({
      exchange: town.world.venues.venue_a.exchange,
      folder: join(town.folder, 'data'),
      people,
      told,
    });
    return {
      verdict,
      kills: town.service.lives() - 1,
      blows: town.blows(),
      ...caller.counts(),
      imbalanceGauge,
    };
  } finally {
    await caller.close();
    await town.close();
  }
}

interface Load {
  readonly town: Town;
  readonly caller: Caller;
  readonly people: readonly Person[];
  readonly wishes: readonly Wish[];
  readonly kills: number;
  tell(line: string): void;
}

async function placeAll({
  town,
  caller,
  people,
  wishes,
  kills,
  tell,
}: Load): Promise<ReadonlyMap<Wish, Told>> {
  const told = new Map<Wish, Told>();
  const killEvery = Math.ceil(wishes.length / (kills + 1));
  let restarting = Promise.resolve();
  const answered = (wish: Wish, words: Told): void => {
    told.set(wish, words);
    if (told.size % killEvery !== 0 || told.size === wishes.length) return;
    // The others go on calling meanwhile: who is cut off asks again.
    restarting = restarting.then(() => town.service.restart());
    tell(`${told.size} wishes answered, the daemon is killed`);
  };
  const lane = async (person: Person, own: Wish[]): Promise<void> => {
    for (let wish = own.shift(); wish !== undefined; wish = own.shift()) {
      const words = await caller.place(person, keyOf(wish), bodyOf(wish));
      answered(wish, words);
      if (wish.rests && words.kind === 'order') await caller.cancel(person, words.id);
    }
  };
  const lanes = people.flatMap((person, who) => {
    const own = wishes.filter((wish) => wish.who === who);
    return Array.from({ length: LANES }, () => lane(person, own));
  });
  await Promise.race([Promise.all(lanes), town.service.lost]);
  await restarting;
  return told;
}

function bodyOf({ market, shareMicros, price }: Wish): object {
  return {
    marketId: market.marketId,
    side: 'yes',
    amount: String(shareMicros / 1_000_000),
    orderMode: 'shares',
    orderType: 'limit',
    price: String(price / 10_000),
  };
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
    await new Promise((resolve) => setTimeout(resolve, LOOK_AGAIN_MS));
  }
}

async function gaugeOf({ service }: Town, name: string): Promise<number> {
  const text = await (await fetch(`${await service.url()}/metrics`)).text();
  return Number(new RegExp(`^predictd_${name} (\\S+)$`, 'm').exec(text)?.[1] ?? Number.NaN);
}
