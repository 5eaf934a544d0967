import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openLmdbStore } from '../../src/adapters/lmdb/lmdb-store.ts';
import { isRiskSound } from '../../src/services/recovery.ts';
import { BREAKERS, FILLS } from '../../src/services/books/tables.ts';
import { asId, type UserId } from '../../src/domain/ids.ts';
import { verifyBooks } from '../support/checks/verify-books.ts';
import { createCaller, type Caller } from './caller.ts';
import { signUp, type Person } from './users.ts';
import { keepService, type KeptService } from './service.ts';

/** How long settlements fail, and how fast time runs. */
export interface SettlementHourSize {
  /** Of the market's time. */
  readonly minutes: number;
  readonly speed: number;
  readonly people: number;
}

/** What the hour left. */
export interface SettlementHourReport {
  readonly settled: number;
  readonly reversed: number;
  /** Times a breaker opened and healed, of the operator and of users. */
  readonly broke: number;
  readonly healed: number;
  /** Most breakers that were open at one moment, by the metric that informs operators. */
  readonly openMaximum: number;
  /**
   * Market minutes from the end of the failures until every breaker has closed by itself; null when
   * one did not.
   */
  readonly recoveredAfterMinutes: number | null;
  readonly openBreakers: number;
  /** Users whose cash here is not what their Safe has on the chain. */
  readonly ledgerDiffers: number;
  readonly imbalanceMicros: number;
  readonly brokenLaws: readonly string[];
}

const FAULT = 'reverted-35-percent';
const AGENTS = ['btc_5min', 'eth_15min', 'btc_15min', 'sol_15min'] as const;
/** One order of a person at this pace stays under the 120 writes a minute everybody has. */
const ORDER_EVERY_MS = 1_000;
const MARKETS = 4;
const POLL_MS = 250;
/**
 * Breakers pause for half an hour at most; after that one entry has to come along that a user's
 * signal asks for.
 */
const RECOVERY_MAXIMUM_MINUTES = 180;
/** None is open for so many looks in a row: it is over. */
const LOOKS_IN_ORDER = 20;
const QUIET_MAXIMUM_MS = 240_000;

/**
 * People and agents trade in the sandbox, whose chain refuses a third of all settlements for an
 * hour and then no more.
 */
export async function liveThroughSettlementHour(
  { minutes, speed, people: count }: SettlementHourSize,
  tell: (line: string) => void = () => undefined,
): Promise<SettlementHourReport> {
  const folder = mkdtempSync(join(tmpdir(), 'predictd-chaos-'));
  const service = keepService({
    PREDICTD_DATA: folder,
    PREDICTD_SANDBOX_SPEED: String(speed),
    PREDICTD_SANDBOX_SEED: '7',
  });
  const url = await service.url();
  const caller = createCaller(url, () => service.url());
  try {
    const people = await signUp(service, count);
    await Promise.all(people.map((person) => enableAgents(url, person)));
    tell(`${people.length} people have money and agents`);
    const control = /faults +are listed at (http:\S+)\/faults/.exec(service.printed())?.[1] ?? '';
    const trade = startTrading(caller, people, await tradableMarkets(caller, people));
    await fetch(`${control}/faults`, { method: 'POST', body: JSON.stringify({ name: FAULT }) });
    const startedAtMs = await marketTime(control);
    let openMaximum = 0;
    while ((await marketTime(control)) < startedAtMs + minutes * 60_000) {
      openMaximum = Math.max(openMaximum, await breakersOpen(service));
      await pause(POLL_MS);
    }
    await fetch(`${control}/faults/${FAULT}`, { method: 'DELETE' });
    tell(
      `settlements have failed for ${minutes} minutes of the market's time; ${openMaximum} breakers were open at most`,
    );
    const recoveredAfterMinutes = await recovery(service, control);
    await trade.stop();
    await Promise.all(people.map((person) => send(url, person, 'POST', '/api/agents/stop-all')));
    const differing = await untilSettled(caller, people);
    await service.end();
    return {
      openMaximum,
      recoveredAfterMinutes,
      ledgerDiffers: differing,
      ...(await atRest(folder, people)),
    };
  } finally {
    await caller.close();
    await service.kill();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function enableAgents(url: string, person: Person): Promise<void> {
  for (const agent of AGENTS) {
    await send(url, person, 'PUT', `/api/agents/${agent}/settings`, {
      avgPositionSize: 2,
      strategy: 'up_down',
    });
    await send(url, person, 'POST', `/api/agents/${agent}/enable`, {});
  }
}

async function send(
  url: string,
  { token }: Person,
  method: string,
  path: string,
  body?: object,
): Promise<void> {
  for (;;) {
    const response = await fetch(`${url}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${token}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (response.ok) return;
    // The Safe comes by itself.
    if (response.status !== 429 && response.status !== 409)
      throw new Error(`${method} ${path} answered ${response.status}: ${text}`);
    await pause(ORDER_EVERY_MS);
  }
}

/** Markets that are about no round: they go on for days. */
async function tradableMarkets(
  caller: Caller,
  [person]: readonly Person[],
): Promise<readonly string[]> {
  if (person === undefined) throw new Error('a user trades');
  const { data } = await caller.read<{
    data: readonly { marketId: string; window: object | null; acceptingOrders: boolean }[];
  }>(person, '/api/venue_a/markets/?limit=200');
  const lasting = data
    .filter(({ window, acceptingOrders }) => window === null && acceptingOrders)
    .map(({ marketId }) => marketId);
  if (lasting.length === 0) throw new Error('the sandbox lists markets that are about no round');
  return lasting.slice(0, MARKETS);
}

/** Everybody buys for a few dollars, again and again; what is refused is left. */
function startTrading(
  caller: Caller,
  people: readonly Person[],
  markets: readonly string[],
): { stop(): Promise<void> } {
  const state = { isOver: false };
  const lanes = people.map(async (person, who) => {
    for (let number = 0; !state.isOver; number += 1) {
      const marketId = markets[(number + who) % markets.length] ?? '';
      const next = pause(ORDER_EVERY_MS);
      await caller.place(person, `hour-${who}-${number}`, {
        marketId,
        side: number % 2 === 0 ? 'yes' : 'no',
        amount: '4',
        orderType: 'market',
      });
      await next;
    }
  });
  return {
    async stop() {
      state.isOver = true;
      await Promise.all(lanes);
    },
  };
}

async function marketTime(control: string): Promise<number> {
  // the switchboard's own answer
  const { nowMs } = (await (await fetch(`${control}/time`)).json()) as { nowMs: number };
  return nowMs;
}

/** Breakers that are open, by the metric that informs operators. */
async function breakersOpen(service: KeptService): Promise<number> {
  const text = await (await fetch(`${await service.url()}/metrics`)).text();
  return [...text.matchAll(/^predictd_settlement_breakers_open\{[^}]*\} (\d+)$/gm)].reduce(
    (sum, [, value]) => sum + Number(value),
    0,
  );
}

async function recovery(service: KeptService, control: string): Promise<number | null> {
  const fromMs = await marketTime(control);
  let lastBadMs = fromMs;
  for (let looks = 0; looks < LOOKS_IN_ORDER; looks += 1) {
    const nowMs = await marketTime(control);
    if ((await breakersOpen(service)) > 0) {
      looks = 0;
      lastBadMs = nowMs;
    }
    if (nowMs > fromMs + RECOVERY_MAXIMUM_MINUTES * 60_000) return null;
    await pause(POLL_MS);
  }
  return (lastBadMs - fromMs) / 60_000;
}

/**
 * Waits until nothing is on its way and every Safe holds what its owner's ledger says; gives how
 * many never came to it.
 */
async function untilSettled(caller: Caller, people: readonly Person[]): Promise<number> {
  const untilMs = performance.now() + QUIET_MAXIMUM_MS;
  for (;;) {
    const settled = await Promise.all(people.map((person) => isSettled(caller, person)));
    const differing = settled.filter((isSame) => !isSame).length;
    if (differing === 0 || performance.now() > untilMs) return differing;
    await pause(ORDER_EVERY_MS);
  }
}

async function isSettled(caller: Caller, person: Person): Promise<boolean> {
  const { data: open } = await caller.read<{ data: readonly unknown[] }>(
    person,
    '/api/venue_a/order/',
  );
  const { cash } = await caller.read<{ cash: { settled: string; provisional: string } }>(
    person,
    '/api/venue_a/holding/',
  );
  const { balance } = await caller.read<{ balance: string }>(person, '/api/web3/safe-balance');
  return open.length === 0 && cash.provisional === '0' && cash.settled === balance;
}

async function atRest(
  folder: string,
  people: readonly Person[],
): Promise<Omit<SettlementHourReport, 'openMaximum' | 'recoveredAfterMinutes' | 'ledgerDiffers'>> {
  const store = await openLmdbStore({ path: join(folder, 'store') });
  try {
    const fills = store.range(FILLS).map(({ value }) => value.settlement);
    const events = store.readJournal(0, 10_000_000).map(({ event }) => event.type);
    const books = verifyBooks(store);
    const unsound = people.filter(({ userId }) => !isRiskSound(store, asId<UserId>(userId)));
    return {
      settled: fills.filter((settlement) => settlement === 'settled').length,
      reversed: fills.filter((settlement) => settlement === 'reversed').length,
      broke: events.filter((type) => type === 'settlement.broke').length,
      healed: events.filter((type) => type === 'settlement.healed').length,
      openBreakers: store.range(BREAKERS).filter(({ value }) => value.openedAtMs !== null).length,
      imbalanceMicros: books.imbalanceMicros,
      brokenLaws: [
        ...books.differing.map((name) => `the journal replays to another balance of ${name}`),
        ...unsound.map(
          ({ userId }) => `what is kept of the risk of ${userId} differs from its records`,
        ),
      ],
    };
  } finally {
    await store.close();
  }
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
