import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { ASSESSOR } from '../../config/limits/farming.ts';
import { readVerdict } from '../../src/adapters/risk-assessor/risk-assessor.ts';
import { readListing } from '../../src/venues/venue-a/scan.ts';
import { reportToConsole } from '../../src/app/console-reporter.ts';
import { decisionOut, viewDecision } from '../../src/http/views/agent.ts';
import { notificationOut, viewNotification } from '../../src/http/views/notification.ts';
import { NOTIFICATIONS } from '../../src/services/notifications/tables.ts';
import { BALANCES, POSITIONS, RISK } from '../../src/services/books/tables.ts';
import { nameOf, POISONED_TITLES } from '../fixtures/poisoned-titles/poisoned-titles.ts';
import { aFarmWorld, type FarmProcess, type FarmWorld } from '../support/worlds/farm-world.ts';
import { aFarmMarket } from '../support/worlds/farm-listings.ts';
import { brokenLaws, ordersOf } from '../support/worlds/trading-world.ts';
import { sampled } from '../support/sampled.ts';

const CASES = POISONED_TITLES.map((title, number) => [nameOf(title, number), title.text] as const);
const HARMLESS_LINE = /^[^\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}]*$/u;
const AGENT = 'venue_a_farming';

/** A day of farming. */
interface FarmDay {
  readonly farm: FarmWorld;
  readonly life: FarmProcess;
  readonly story: readonly string[];
}

/**
 * Farms two markets of the given words for an hour, one of which falls below its stop; the
 * assessor's reason is those words too.
 */
async function farmOn(
  text: string | null,
  verdict: 'allowed' | 'blocked' = 'allowed',
): Promise<FarmDay> {
  const farm = aFarmWorld(2, 100_000_000, (number) => {
    const {
      outcomes: [yes, no],
    } = aFarmMarket(number);
    return text === null
      ? {}
      : {
          question: text,
          slug: text,
          outcomes: [
            { ...yes, label: text },
            { ...no, label: text },
          ],
        };
  });
  if (text !== null)
    farm.listings.splice(
      0,
      2,
      ...farm.listings.map((listing) => ({
        ...listing,
        eventTitle: text,
        description: text,
        categories: [text.slice(0, 100).toLowerCase()],
      })),
    );
  farm.assess = async () => ({ kind: verdict, reason: text ?? 'plain' });
  const life = await farm.start();
  const story: string[] = [];
  reportToConsole({
    bus: life.bus,
    store: farm.store,
    clock: farm.world.clock,
    print: (line) => void story.push(line),
    nameOf: () => null,
    marketOf: (marketId) => farm.markets.find((market) => market.marketId === marketId) ?? null,
  });
  await farm.enable(life);
  await farm.world.clock.advance(120_000);
  const [first] = farm.markets;
  if (first !== undefined) farm.quote(first, 1, { bid: 8_000, ask: 8_100 });
  await farm.world.clock.advance(600_000);
  await life.agents.stop();
  await life.orders.stop();
  return { farm, life, story };
}

/**
 * All that moved. Ids of decisions and orders are drawn anew for each reading, so what counts is
 * what they say.
 */
function moneyOf({ farm: { store } }: FarmDay): unknown {
  return {
    orders: ordersOf(store).map(
      ({
        intent: {
          marketId,
          tokenId,
          outcome,
          side,
          life,
          price,
          spendMicros,
          receiveMicros,
          userId,
        },
        state,
        filledShares,
        filledUsdc,
      }) => ({
        marketId,
        tokenId,
        outcome,
        side,
        life,
        price,
        spendMicros,
        receiveMicros,
        userId,
        state,
        filledShares,
        filledUsdc,
      }),
    ),
    balances: store.range(BALANCES),
    risk: store.range(RISK),
    positions: store
      .range(POSITIONS)
      .map(({ value: { question: _question, outcomeLabel: _label, ...position } }) => position),
  };
}

describe('a scan over markets with poisoned words', () => {
  const [recorded] = JSON.parse(
    readFileSync(new URL('../fixtures/venue-a/gamma-event-updown.json', import.meta.url), 'utf8'),
  ) as [{ markets: object[] }]; // the recorded form
  const [row = {}] = recorded.markets;
  const read = (text: string): object => {
    const listing = readListing({
      ...row,
      question: text,
      description: text,
      groupItemTitle: text,
      outcomes: JSON.stringify([text, text]),
      tags: [{ slug: text }],
      events: [{ id: '1', title: text, seriesSlug: text }],
    });
    if (listing === null || listing === 'unreadable') return { listing };
    const {
      market: { question: _question, outcomes, ...market },
      listedTicks,
      isGame,
      description,
      categories,
    } = listing;
    return {
      market: { ...market, tokens: outcomes.map(({ tokenId }) => tokenId) },
      listedTicks,
      isGame,
      areTextsBounded: description.length <= 2_000 && categories.length <= 3,
    };
  };

  it.each(CASES)('reads the same market, figures and facts: %s', (_name, text) => {
    expect(read(text)).toEqual(read('Will it rain?'));
  });
});

describe('an assessor that was talked into something', () => {
  const answer = (content: string): ReturnType<typeof readVerdict> =>
    readVerdict(
      JSON.stringify({
        choices: [
          { finish_reason: 'stop', message: { role: 'assistant', content, refusal: null } },
        ],
      }),
    );

  it.each(CASES)('allows nothing by words that are no verdict: %s', (_name, text) => {
    expect([answer(text).kind, answer(JSON.stringify(text)).kind, readVerdict(text).kind]).toEqual([
      'none',
      'none',
      'none',
    ]);
  });

  it.each(CASES)('says no more than yes or no, for a short line of a reason: %s', (_name, text) => {
    for (const verdict of ['allow', 'block']) {
      const said = answer(JSON.stringify({ verdict, reason: text }));
      // Too long a reason may be no verdict at all.
      if (said.kind !== 'none')
        expect([
          Object.keys(said).sort(),
          said.kind,
          HARMLESS_LINE.test(said.reason),
          [...said.reason].length <= ASSESSOR.reasonChars,
        ]).toEqual([['kind', 'reason'], verdict === 'allow' ? 'allowed' : 'blocked', true, true]);
    }
    expect(
      answer(
        JSON.stringify({
          verdict: 'allow',
          reason: 'fine',
          size: text,
          market: text,
          recipient: text,
        }),
      ).kind,
    ).toBe('none');
  });
});

describe('farming markets with poisoned words', async () => {
  const plain = await farmOn(null);

  it('would trade the plain ones: the comparison is not of nothing with nothing', () => {
    expect(ordersOf(plain.farm.store).map(({ intent, state }) => [intent.side, state])).toEqual([
      ['buy', 'filled'],
      ['buy', 'filled'],
      ['sell', 'filled'],
    ]);
  });

  it.each(sampled('days of poisoned words', CASES, 12))(
    'moves the same money or none, and shows it harmlessly: %s',
    async (_name, text) => {
      const day = await farmOn(text);
      const { farm, life, story } = day;
      const orders = ordersOf(farm.store);
      // Words may keep a market out, by naming a sport or the price of a coin; nothing else follows
      // from them.
      if (orders.length > 0) expect(moneyOf(day)).toEqual(moneyOf(plain));
      expect(brokenLaws(farm.store, farm.world.user)).toEqual([]);
      expect(
        farm.questions.filter(
          ({ question, description, outcome }) =>
            ![question, description, outcome].every((words) => HARMLESS_LINE.test(words)) ||
            [...question].length > ASSESSOR.questionChars ||
            [...description].length > ASSESSOR.descriptionChars,
        ),
      ).toEqual([]);
      const receipts = life.agents.decisions(farm.world.user, AGENT, {
        limit: 200,
        cursor: null,
      }).data;
      for (const receipt of receipts)
        decisionOut.parse(JSON.parse(JSON.stringify(viewDecision(receipt))));
      const notifications = farm.store
        .range(NOTIFICATIONS)
        .map(({ value }) =>
          notificationOut.parse(
            JSON.parse(JSON.stringify(viewNotification({ notification: value, isRead: false }))),
          ),
        );
      expect(
        notifications.filter(
          ({ body, title }) => !HARMLESS_LINE.test(body) || !HARMLESS_LINE.test(title),
        ),
      ).toEqual([]);
      expect(
        story.flatMap((entry) => entry.split('\n')).filter((line) => !HARMLESS_LINE.test(line)),
      ).toEqual([]);
      expect(
        [...life.metrics.counts.keys()].filter(
          (name) => text.trim().length > 8 && name.includes(text),
        ),
      ).toEqual([]);
    },
  );

  it('is kept out by words in a few cases, and in no more', async () => {
    const kept: string[] = [];
    const titles = sampled('titles that are kept out', POISONED_TITLES, 12);
    for (const { kind, text } of titles)
      if (ordersOf((await farmOn(text)).farm.store).length === 0) kept.push(kind);
    expect(kept.length).toBeLessThan(titles.length / 5);
  });

  it.each(
    sampled(
      'blocked words',
      CASES.filter((_case, index) => index % 10 === 0),
      2,
    ),
  )('buys nothing an assessor blocks, whatever words he says it in: %s', async (_name, text) => {
    const { farm } = await farmOn(text, 'blocked');
    expect(ordersOf(farm.store)).toEqual([]);
  });
});
