import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { PUSH } from '../../config/limits/notification.ts';
import { openLmdbStore } from '../../src/adapters/lmdb/lmdb-store.ts';
import { createPinoLog } from '../../src/adapters/log/pino-log.ts';
import { createPromMetrics } from '../../src/adapters/metrics/prom-metrics.ts';
import { parseListedEvent } from '../../src/venues/venue-a/discovery/gamma-listing.ts';
import { MARKET_WORDS } from '../../config/limits/market-text.ts';
import { verifyJournal } from '../../src/tools/verify/verify-journal.ts';
import type { MarketListing } from '../../src/domain/market-listing.ts';
import { holdingOut, viewHolding } from '../../src/http/views/holding.ts';
import { eventOut, marketOut, viewEvent, viewMarket } from '../../src/http/views/market.ts';
import { notificationOut, viewNotification } from '../../src/http/views/notification.ts';
import type { MarketEvent } from '../../src/ports/catalogue.ts';
import { pricesOf } from '../../src/services/listing-prices.ts';
import { pushMessageOf } from '../../src/services/notifications/push-message.ts';
import { NOTIFICATIONS, PUSH_QUEUE } from '../../src/services/notifications/tables.ts';
import {
  AGENT_MARKETS,
  BALANCES,
  DECISIONS,
  FILLS,
  ORDERS,
  POSITIONS,
  RISK,
} from '../../src/services/books/tables.ts';
import { nameOf, POISONED_TITLES } from '../fixtures/poisoned-titles/poisoned-titles.ts';
import { HOLDING } from '../http/samples.ts';
import { aUserId } from '../support/builders.ts';
import { liveOn, type LivedDay } from '../support/worlds/poisoned-day.ts';
import { brokenLaws } from '../support/worlds/trading-world.ts';

const CASES = POISONED_TITLES.map((title, number) => [nameOf(title, number), title.text] as const);
/**
 * Controls, what turns text around, what cannot be seen: nothing a person is shown may hold them.
 */
const HARMLESS_LINE = /^[^\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}]*$/u;

it('the corpus holds at least 100 different texts of many kinds', () => {
  expect([
    new Set(POISONED_TITLES.map(({ text }) => text)).size >= 100,
    new Set(POISONED_TITLES.map(({ kind }) => kind)).size >= 15,
  ]).toEqual([true, true]);
});

describe('discovery of a market with poisoned words', () => {
  const [recorded] = JSON.parse(
    readFileSync(new URL('../fixtures/venue-a/gamma-event-updown.json', import.meta.url), 'utf8'),
  ) as [{ markets: object[] }]; // the recorded form
  const found = (words: { readonly text: string; readonly slug?: string }): MarketEvent =>
    parseListedEvent({
      ...recorded,
      title: words.text,
      description: words.text,
      ticker: words.text,
      markets: recorded.markets.map((market) => ({
        ...market,
        question: words.text,
        description: words.text,
        groupItemTitle: words.text,
        outcomes: JSON.stringify([words.text, words.text]),
        ...(words.slug === undefined ? {} : { slug: words.slug }),
      })),
    });
  const wordless = ({
    market: { question: _question, slug: _slug, outcomes, ...market },
    groupTitle: _group,
    eventTitle: _title,
    description: _rules,
    ...listing
  }: MarketListing) => ({ ...listing, market, tokens: outcomes.map(({ tokenId }) => tokenId) });
  const facts = ({ title: _title, description: _rules, markets, ...event }: MarketEvent) => ({
    ...event,
    markets: markets.map(wordless),
  });
  const plain = found({ text: 'Bitcoin Up or Down' });

  it.each(CASES)('finds the same market, ids, figures and times: %s', (_name, text) => {
    const event = found({ text });
    expect(facts(event)).toEqual(facts(plain));
    const words = [
      event.title,
      ...event.markets.flatMap(({ market: { question, outcomes } }) => [
        question,
        ...outcomes.map(({ label }) => label),
      ]),
    ];
    expect(
      words.every((word) => word.length <= MARKET_WORDS.wordsMaximumChars && !/\p{Cs}/u.test(word)),
    ).toBe(true);
    const markets = event.markets.map((listing) => ({
      listing,
      prices: pricesOf(listing, () => null, listing.prices?.statedAtMs ?? 0),
    }));
    expect([
      eventOut.safeParse(viewEvent({ event, markets })).success,
      markets.every(
        (market) => marketOut.safeParse(JSON.parse(JSON.stringify(viewMarket(market)))).success,
      ),
    ]).toEqual([true, true]);
    const rules = [
      event.description,
      ...event.markets.map(({ description }) => description),
    ].flatMap((text) => text.split('\n'));
    expect(rules.every((line) => HARMLESS_LINE.test(line))).toBe(true);
  });
});

describe('an agent on a market with poisoned words', async () => {
  const plain = await liveOn({
    question: 'Bitcoin Up or Down',
    labels: ['Up', 'Down'],
    slug: 'btc-updown-5m-1767268800',
  });

  it('would trade on the plain one: the comparison is not of nothing with nothing', () => {
    expect(plain.store.range(ORDERS).map(({ value }) => [value.intent.side, value.state])).toEqual([
      ['buy', 'filled'],
      ['sell', 'filled'],
      ['buy', 'filled'],
    ]);
    expect(plain.store.range(NOTIFICATIONS).map(({ value }) => value.facts.kind)).toEqual([
      'deposit_booked',
      'trade',
      'trade',
      'trade',
      'position_redeemed',
    ]);
  });

  it.each(CASES)('moves the same money, and shows it harmlessly: %s', async (_name, text) => {
    const day = await liveOn({ question: text, labels: [text, text], slug: text });
    expect(moneyOf(day)).toEqual(moneyOf(plain));
    expect(brokenLaws(day.store, day.world.user)).toEqual([]);
    expect(shownTo(day)).toEqual(shownTo(plain));
    expect(linesOf(day)).toEqual({
      story: plain.story.length,
      unruly: [],
      log: day.life.log.lines.length,
    });
    expect([...day.life.metrics.counts.keys()].sort()).toEqual(
      [...plain.life.metrics.counts.keys()].sort(),
    );
  });
});

/**
 * All that moved or decided about money: bytes at the venue, decisions, records. Words are no part
 * of it.
 */
function moneyOf({ world, store }: LivedDay): unknown {
  return {
    sent: [...world.venue.bodies],
    decisions: store.range(DECISIONS),
    orders: store.range(ORDERS),
    fills: store.range(FILLS),
    balances: store.range(BALANCES),
    risk: store.range(RISK),
    markets: store.range(AGENT_MARKETS),
    positions: store
      .range(POSITIONS)
      .map(({ value: { question: _question, outcomeLabel: _label, ...position } }) => position),
    queue: store.range(PUSH_QUEUE),
  };
}

/**
 * What people are shown, as far as it must not depend on words; throws where a view or a message is
 * broken.
 */
function shownTo({ store, life, world }: LivedDay): unknown {
  const notifications = store.range(NOTIFICATIONS).map(({ value }) => value);
  const views = notifications.map((notification) =>
    notificationOut.parse(
      JSON.parse(JSON.stringify(viewNotification({ notification, isRead: false }))),
    ),
  );
  const messages = notifications.map((notification) => pushMessageOf(notification, 60_000));
  const holdings = life.portfolio
    .holdings(world.user)
    .map((holding) => holdingOut.parse(JSON.parse(JSON.stringify(viewHolding(holding)))));
  return {
    titles: views.map(({ title }) => title),
    bodies: views.map(({ body }) => HARMLESS_LINE.test(body) && body.length < 600),
    messages: messages.map(({ payload, topic }) => [
      topic,
      Buffer.byteLength(payload) <= PUSH.payloadMaximumBytes,
      Object.keys(JSON.parse(payload) as object),
      HARMLESS_LINE.test(payload),
    ]),
    holdings: holdings.map(({ marketId, state, realizedPnl }) => [marketId, state, realizedPnl]),
  };
}

/**
 * Lines of the terminal that are not lines of this service, and lines of the log that hold more or
 * less than one fact.
 */
function linesOf({ story, life }: LivedDay): unknown {
  const unruly = story.flatMap((entry) =>
    entry
      .split('\n')
      .filter(
        (line, index) =>
          !HARMLESS_LINE.test(line) ||
          !(index === 0 ? /^\d\d:\d\d:\d\d {2}[a-z]+ +\S/ : /^ {12}[✓✗] /).test(line),
      ),
  );
  const written: string[] = [];
  const log = createPinoLog({ level: 'debug', write: (line) => void written.push(line) });
  for (const { level, event, fields } of life.log.lines) log[level](fields, event);
  for (const line of written) {
    expect(line.indexOf('\n')).toBe(line.length - 1);
    JSON.parse(line);
  }
  return { story: story.length, unruly, log: written.length };
}

describe('poisoned words that do reach a log or a metric', () => {
  it.each(CASES)('stay one line of one fact: %s', (_name, text) => {
    const written: string[] = [];
    createPinoLog({ level: 'info', write: (line) => void written.push(line) }).info(
      { question: text, nested: { [text.slice(0, 100)]: text }, cause: new Error(text) },
      'market.seen',
    );
    expect(
      written.map((line) => [
        line.indexOf('\n') === line.length - 1,
        (JSON.parse(line) as { event: string }).event,
        line.length < 50_000,
      ]),
    ).toEqual([[true, 'market.seen', true]]);
  });

  it.each(CASES)('make no sample of another metric: %s', async (_name, text) => {
    const metrics = createPromMetrics();
    metrics.count('notifications_total', { kind: text });
    metrics.count('notifications_total', { kind: 'trade' });
    const samples = (await metrics.renderMetrics())
      .split('\n')
      .filter(
        (line) =>
          line !== '' &&
          !line.startsWith('#') &&
          !line.startsWith('predictd_metric_series_dropped_total{') &&
          line.includes('notifications_total'),
      );
    const foreign = (await metrics.renderMetrics())
      .split('\n')
      .filter((line) => /^predictd_(orders_total\{state="filled"\} 999999|fake)/.test(line));
    expect([
      foreign,
      samples.filter(
        (line) => !/^predictd_notifications_total\{kind="(?:[^"\\\n]|\\.)*"\} [01]$/s.test(line),
      ),
    ]).toEqual([[], []]);
  });
});

describe('poisoned words on the disk', () => {
  it('come back as they were written, and the journal that holds them verifies', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'poisoned-'));
    const path = join(folder, 'store');
    try {
      const words = POISONED_TITLES.map(({ text }) =>
        text.slice(0, MARKET_WORDS.wordsMaximumChars).replace(/\p{Cs}/gu, '\ufffd'),
      );
      const first = await openLmdbStore({ path });
      const { position } = HOLDING(aUserId(1));
      for (const [number, question] of words.entries()) {
        await first.write((tx) => {
          tx.put(POSITIONS, [aUserId(1), String(number)], { ...position, question });
          tx.append({
            type: 'position.changed',
            userId: aUserId(1),
            atMs: number,
            position: { ...position, question, outcomeLabel: question },
          });
        });
      }
      await first.flushed();
      await first.close();
      const second = await openLmdbStore({ path });
      const kept = words.map(
        (_word, number) => second.get(POSITIONS, [aUserId(1), String(number)])?.value.question,
      );
      await second.close();
      expect(kept).toEqual(words);
      expect((await verifyJournal(path)).findings).toEqual([]);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
});
