// Loaded before the daemon: kills it at its durable steps. A step is one change of the store, named
// by the facts it adds, or by the tables it writes when it adds none, and by the order, the Safe's
// action or the caller's key it is about. Each step is killed once, whatever life it comes in: the
// file CRASH_DONE remembers across lives. Nothing of the daemon knows about this.
import { appendFileSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const {
  CRASH_DIST: dist,
  CRASH_BEFORE: deadlyBefore = '',
  CRASH_AFTER: deadlyAfter = '',
  CRASH_DONE: doneFile = '',
} = process.env;
// Limits of the product, for a day of many starts in little time: who waits for what stays as it
// is.
const { RESOLUTION, SYNC } = await import(pathToFileURL(join(dist, 'config/limits.js')).href);
const { VENUE_A_TRAITS } = await import(pathToFileURL(join(dist, 'config/limits/venue-a.js')).href);
const { ONBOARDING, SAFE_RAIL } = await import(
  pathToFileURL(join(dist, 'config/limits/funds.js')).href
);
const { DEPOSITS } = await import(pathToFileURL(join(dist, 'config/limits/bridge.js')).href);
const { OTP } = await import(pathToFileURL(join(dist, 'config/limits/identity.js')).href);
// A request stays fresh for longer than several starts take: a stale one is rightly not sent.
override(VENUE_A_TRAITS, { sendWindowMs: 60_000 });
override(RESOLUTION, { checkIntervalMs: 500 });
override(OTP, {
  resendFirstMs: 0,
  sendsPerPhonePerHour: 100,
  sendsPerPhonePerDay: 100,
  sendsPerAddressPerHour: 100,
  sendsPerAddressPerDay: 100,
  sendsPerUserPerHour: 100,
  sendsPerUserPerDay: 100,
});
override(SAFE_RAIL, { askFirstMs: 100, askMaximumMs: 500 });
override(ONBOARDING, { retryFirstMs: 100 });
override(DEPOSITS, { scanIntervalMs: 300 });
override(SYNC, { intervalMs: 300, depositsIntervalMs: 1_000 });

/**
 * A limit that is renamed or moved must not leave the day with the product's own: the days hang on
 * busy machines then.
 */
function override(limits, values) {
  for (const name of Object.keys(values))
    if (!(name in limits)) throw new Error(`there is no limit ${name} to override`);
  Object.assign(limits, values);
}

// A test that dies takes its daemon along: its end of this pipe closes with it.
process.stdin.on('end', () => process.kill(process.pid, 'SIGKILL')).resume();

const { openLmdbStore } = await import(
  pathToFileURL(join(dist, 'src/adapters/lmdb/lmdb-store.js')).href
);

/** The class is not exported, so a store of our own lends its prototype. */
async function storePrototype() {
  const folder = mkdtempSync(join(tmpdir(), 'predictd-prototype-'));
  const store = await openLmdbStore({ path: folder });
  await store.close();
  rmSync(folder, { recursive: true, force: true });
  return Object.getPrototypeOf(store);
}

const done = new Set(
  existsSync(doneFile)
    ? readFileSync(doneFile, 'utf8')
        .split('\n')
        .flatMap((line) => line.replace(/^killed /, '').split(' & '))
    : [],
);
/** The steps this day's lives end before, and after; none where the word is empty. */
const deadly = { before: patternOf(deadlyBefore), after: patternOf(deadlyAfter) };

function patternOf(source) {
  return source === '' ? null : new RegExp(source);
}

/**
 * How long a process lives on, its store dead, once it came to a step it does not survive: what
 * leaves before its step is stored has left by then.
 */
const LAST_GASP_MS = 40;
const forever = new Promise(() => undefined);
/** The moments this life ends with: changes that share a commit are durable together. */
const ends = [];
const isDying = () => ends.length > 0;

function meet(moment, step) {
  if (step === null) return;
  const line = `${moment} ${step}`;
  if (done.has(line)) return;
  done.add(line);
  if (deadly[moment]?.test(step)) die(moment, line);
  else appendFileSync(doneFile, `${line}\n`);
}

function die(moment, line) {
  ends.push(line);
  if (ends.length > 1) return;
  const kill = () => {
    appendFileSync(doneFile, `killed ${ends.join(' & ')}\n`);
    process.kill(process.pid, 'SIGKILL');
  };
  if (moment === 'before') setTimeout(kill, LAST_GASP_MS);
  else setImmediate(kill);
}

/** Tables whose changes happen by themselves, at no particular moment. */
const UNTIMED = new Set(['risk']);

function nameOf({ events, tables, subjects }) {
  if (tables.size === 0 && events.length === 0) return null;
  const facts = events.map((event) => wordOf(event));
  const what =
    facts.length > 0
      ? facts.join('+')
      : [...tables]
          .filter((table) => !UNTIMED.has(table))
          .sort()
          .join('+');
  return what === '' ? null : `${what} of ${[...new Set(subjects)].sort().join(',') || 'the user'}`;
}

function wordOf(event) {
  switch (event.type) {
    case 'transaction.changed':
      return `${event.transaction.purpose.kind}:${event.from ?? 'none'}->${event.transaction.state}`;
    case 'audit.recorded':
      return `audit:${event.action}`;
    case 'order.changed':
      return `${event.from}->${event.to}`;
    case 'ledger.posted':
      return `ledger:${event.entry.kind}`;
    case 'position.changed':
      return `position:${event.position.state}:${event.position.shares}`;
    case 'fill.recorded':
      return `fill.recorded:${event.fill.shares}`;
    default:
      return event.type;
  }
}

/** An order by what was asked for: ids differ between lives. */
function labelOf({ side, spendMicros, receiveMicros, life }) {
  return `${side} ${spendMicros}/${receiveMicros} ${life}`;
}

function spyOn(tx, seen) {
  const orderOf = (userId, intentId) => {
    const intent = tx.get({ name: 'orders' }, [userId, intentId])?.value.intent;
    return intent === undefined ? [] : [labelOf(intent)];
  };
  return {
    get: tx.get,
    range: tx.range,
    put(table, key, value, expectedVersion) {
      seen.tables.add(table.name);
      tx.put(table, key, value, expectedVersion);
      if (table.name === 'orders') seen.subjects.push(labelOf(value.intent));
      if (table.name === 'transactions') seen.subjects.push(value.purpose.kind);
      if (table.name === 'idempotency_keys') seen.subjects.push(`key ${key[1]}`);
    },
    remove(table, key) {
      seen.tables.add(table.name);
      tx.remove(table, key);
    },
    append(event) {
      seen.events.push(event);
      if ('intentId' in event) seen.subjects.push(...orderOf(event.userId, event.intentId));
      return tx.append(event);
    },
  };
}

const prototype = await storePrototype();
const write = prototype.write;
prototype.write = function (change) {
  if (isDying()) return forever;
  let step = null;
  const written = write.call(this, (tx) => {
    // A commit takes several changes along: those behind the one that was its end are not made
    // either.
    if (isDying()) throw dying();
    const seen = { events: [], tables: new Set(), subjects: [] };
    const result = change(spyOn(tx, seen));
    step = nameOf(seen);
    meet('before', step);
    if (isDying()) throw dying();
    return result;
  });
  return written.then(
    (result) => {
      meet('after', step);
      return isDying() ? forever : result;
    },
    (error) => {
      if (isDying()) return forever;
      throw error;
    },
  );
};

function dying() {
  return new Error('the process dies before this step');
}
