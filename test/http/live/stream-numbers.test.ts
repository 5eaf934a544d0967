import { array, assert, asyncProperty, constantFrom, nat, record } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { API } from '../../../config/limits/api.ts';
import { createVirtualClock } from '../../../src/adapters/clock/virtual-clock.ts';
import { createSeededRandom } from '../../../src/adapters/random/seeded-random.ts';
import type { BookView } from '../../../src/domain/book.ts';
import { asId, type TokenId } from '../../../src/domain/ids.ts';
import { priceTicks, shareMicros } from '../../../src/domain/units.ts';
import type { TopicMessage } from '../../../src/http/live/protocol.ts';
import { createEpochs, createStreamNumbers } from '../../../src/http/live/stream-numbers.ts';
import type { SharedTopic } from '../../../src/http/live/topic-feed.ts';
import { createTopicHub, type Subscriber } from '../../../src/http/live/topic-hub.ts';
import { viewBook } from '../../../src/http/views/book.ts';
import { ONE_TIME } from '../../../src/ports/market-time.ts';
import { VENUE_A } from '../../support/venue-ids.ts';
import { aBook } from '../samples.ts';

const START_MS = 1_800_000_000_000;
const TOKENS = ['1', '2'] as const;
type Token = (typeof TOKENS)[number];

const topicOf = (token: Token): Extract<SharedTopic, { kind: 'book' }> => ({
  kind: 'book',
  name: `orderbook:venue_a:${token}`,
  venue: VENUE_A,
  bookId: asId<TokenId>(token),
});

interface Level {
  readonly price: string;
  readonly size: string;
}
interface BookData {
  readonly distrust: string | null;
  readonly bids: readonly Level[];
  readonly asks: readonly Level[];
}

/** Applies the levels of a change, best price last: which side they are of does not matter here. */
function changed(levels: readonly Level[], changes: readonly Level[]): readonly Level[] {
  const byPrice = new Map([...levels, ...changes].map((level) => [level.price, level]));
  return [...byPrice.values()]
    .filter(({ size }) => size !== '0')
    .sort((one, other) => Number(one.price) - Number(other.price));
}

const textOf = ({ distrust, bids, asks }: BookData): string =>
  JSON.stringify([distrust, changed([], bids), changed([], asks)]);

/** A client that folds what it hears as the README says, and notes whatever it may not hear. */
class Client {
  readonly subscriber: Subscriber;
  readonly channels = new Map<Token, string>();
  readonly #books = new Map<Token, { message: TopicMessage; data: BookData | null }>();
  readonly #world: World;

  constructor(world: World) {
    this.#world = world;
    this.subscriber = world.hub.subscriber();
  }

  subscribe(token: Token): void {
    const isFirst = this.#world.clients.every(({ channels }) => !channels.has(token));
    const topic = topicOf(token);
    if (!this.channels.has(token)) {
      const channel = this.subscriber.join(topic) ?? expect.unreachable('the topic is followed');
      this.channels.set(token, channel);
    }
    const message = this.subscriber.snapshot(topic);
    if (isFirst && this.#world.epochs.has(message.epoch))
      this.#world.faults.push(`epoch ${message.epoch} is used again`);
    this.#hear(token, message);
  }

  leave(token: Token): void {
    if (this.channels.delete(token)) this.subscriber.leave(topicOf(token));
  }

  hearPublished(channel: string, message: TopicMessage): void {
    for (const [token, joined] of this.channels) {
      if (joined !== channel) continue;
      const last = this.#books.get(token)?.message ?? expect.unreachable('a snapshot came first');
      const follows = message.epoch === last.epoch && message.seq === last.seq + 1;
      const begins = message.kind === 'snapshot' && !this.#world.epochs.has(message.epoch);
      if (!follows && !(begins || this.#world.begun === message.epoch))
        this.#world.faults.push(`${message.epoch}/${message.seq} after ${last.epoch}/${last.seq}`);
      if (begins) this.#world.begun = message.epoch;
      this.#hear(token, message);
    }
  }

  /** Takes a book asked for over HTTP in the place of its own, as the recipe says. */
  splice(token: Token, book: BookView): void {
    const { message } = this.#books.get(token) ?? {};
    const view = viewBook(book, START_MS);
    this.#world.note(token, book, textOf(view));
    if (this.channels.has(token) && message?.epoch === book.epoch && book.seq >= message.seq)
      this.#books.set(token, { message: { ...message, seq: book.seq }, data: view });
  }

  #hear(token: Token, message: TopicMessage): void {
    const before = this.#books.get(token)?.data ?? null;
    const said = message.data as BookData | null;
    const data =
      said === null || message.kind === 'snapshot'
        ? said
        : {
            distrust: said.distrust,
            bids: changed(before?.bids ?? [], said.bids),
            asks: changed(before?.asks ?? [], said.asks),
          };
    this.#books.set(token, { message, data });
    this.#world.note(token, message, data === null ? 'none' : textOf(data));
  }
}

/** A hub, books that change, and all that was ever heard of any number. */
class World {
  readonly clock = createVirtualClock(START_MS);
  readonly numbers = createStreamNumbers(createEpochs(this.clock, createSeededRandom(1)));
  readonly views = new Map<string, BookView>();
  readonly listeners = new Map<string, () => void>();
  readonly epochs = new Map<number, Token>();
  readonly faults: string[] = [];
  readonly #states = new Map<string, string>();
  readonly clients: Client[] = [];
  begun = 0;
  readonly hub = createTopicHub({
    clock: this.clock,
    publish: (channel, bytes) => {
      const message = JSON.parse(Buffer.from(bytes).toString()) as TopicMessage;
      for (const client of this.clients) client.hearPublished(channel, message);
    },
    sources: {
      nowMs: () => this.clock.nowMs(),
      marketTime: ONE_TIME,
      numbers: this.numbers,
      watchMarketPrice: () => null,
      watchPrice: () => expect.unreachable(),
      watchBook: (token, _venue, onChange) => {
        this.listeners.set(token, onChange);
        return {
          current: () => this.views.get(token) ?? null,
          stop: () => void this.listeners.delete(token),
        };
      },
    },
  });

  /** One number is one state of one book, whoever hears it and wherever. */
  note(token: Token, { epoch, seq }: { epoch: number; seq: number }, state: string): void {
    if ((this.epochs.get(epoch) ?? token) !== token)
      this.faults.push(`epoch ${epoch} is of two books`);
    this.epochs.set(epoch, token);
    const known = this.#states.get(`${epoch}/${seq}`) ?? state;
    if (known !== state) this.faults.push(`${epoch}/${seq} is ${known} and ${state}`);
    this.#states.set(`${epoch}/${seq}`, state);
  }

  change(token: Token, figure: number): void {
    const before = this.views.get(token);
    if (figure === 0) this.views.delete(token);
    else
      this.views.set(
        token,
        aBook({
          tokenId: asId<TokenId>(token),
          // now and then a whole book after a doubt, and now and then a doubt
          epoch: (before?.epoch ?? 0) + (figure % 5 === 0 ? 1 : 0),
          distrust: figure % 7 === 0 ? 'stale' : null,
          bids: [{ price: priceTicks(4_000 + figure), size: shareMicros(1_000_000 * figure) }],
        }),
      );
    this.listeners.get(token)?.();
  }

  ask(client: Client, token: Token): void {
    const live = this.views.get(token);
    // an untrusted book is fetched from the venue instead
    if (live === undefined || live.distrust !== null) return;
    client.splice(token, this.numbers.answer(live));
  }
}

const step = record({
  act: constantFrom('subscribe', 'leave', 'change', 'change', 'ask', 'reconnect', 'wait'),
  client: nat(2),
  token: constantFrom(...TOKENS),
  figure: nat(20),
});

describe('the numbers of topics', () => {
  it('never use an epoch again, leave no hole in one, and are the same over HTTP and sockets', async () => {
    await assert(
      asyncProperty(array(step, { maxLength: 60 }), async (steps) => {
        const world = new World();
        for (let index = 0; index < 3; index += 1) world.clients.push(new Client(world));
        for (const { act, client: index, token, figure } of steps) {
          const client = world.clients[index] ?? expect.unreachable();
          if (act === 'subscribe') client.subscribe(token);
          else if (act === 'leave') client.leave(token);
          else if (act === 'change') world.change(token, figure);
          else if (act === 'ask') world.ask(client, token);
          else if (act === 'wait') await world.clock.advance(figure * API.socketGatherMs);
          else {
            for (const each of TOKENS) client.leave(each);
            client.subscriber.close();
            world.clients[index] = new Client(world);
          }
        }
        await world.clock.advance(1_000);
        world.hub.close();
        expect(world.faults).toEqual([]);
      }),
      { numRuns: 200, seed: 24 },
    );
  });

  it('go on above those before a restart, and elsewhere where the clock was set back to the same second', () => {
    const epochAfter = (nowMs: number, seed: number) =>
      createEpochs({ nowMs: () => nowMs }, createSeededRandom(seed))();
    expect(epochAfter(START_MS + 1_000, 1)).toBeGreaterThan(epochAfter(START_MS, 2));
    expect(epochAfter(START_MS, 1)).not.toBe(epochAfter(START_MS, 2));
    expect(Number.isSafeInteger(epochAfter(Date.UTC(2240, 0), 1))).toBe(true);
  });

  it('answer a book that no topic shows in an epoch of its own, the same while it does not change', () => {
    const numbers = createStreamNumbers(createEpochs({ nowMs: () => 0 }, createSeededRandom(1)));
    const [one, other] = [aBook(), aBook()];
    expect(numbers.answer(one)).toEqual(numbers.answer(one));
    expect(numbers.answer(one).epoch).not.toBe(numbers.answer(other).epoch);
  });

  it('answer a book whose topic has lost it as it is now, in an epoch of its own', () => {
    const numbers = createStreamNumbers(createEpochs({ nowMs: () => 0 }, createSeededRandom(1)));
    numbers.show({ epoch: 7, seq: 3, state: aBook({ distrust: 'stale' }) }, 'a topic');
    const live = aBook({ bids: [] });
    expect(numbers.answer(live)).toMatchObject({ seq: 0, bids: [], distrust: null });
    expect(numbers.answer(live).epoch).not.toBe(7);
  });
});
