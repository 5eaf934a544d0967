import { REALTIME } from '../../../config/limits/tokens.ts';
import { AppError } from '../../domain/errors.ts';
import type { Asset, UserId } from '../../domain/ids.ts';
import type { TokenPrice } from '../../domain/token-price.ts';
import type { Clock, Timer } from '../../ports/clock.ts';
import type { PricedToken, TokenPrices } from './token-prices.ts';

/** What a price is asked of. */
export type RealtimeSubject =
  | { readonly kind: 'asset'; readonly asset: Asset }
  | ({ readonly kind: 'token' } & PricedToken);

/** A price as it was at one moment. */
export interface RealtimePrice {
  readonly subject: RealtimeSubject;
  /** However old: its age is given beside it. Null before there was one. */
  readonly price: TokenPrice | null;
  readonly source: 'exchange' | 'token_data' | 'par';
}

/** One event of a stream. */
export interface RealtimeEvent extends RealtimePrice {
  readonly id: string;
  /** When it was published, epoch ms. */
  readonly atMs: number;
}

/** Prices as they come, for many readers over one set of upstreams. */
export interface Realtime {
  /**
   * Errors: `limit_reached` where the user, or all together, read as many streams as there may be.
   */
  assertRoom(userId: UserId): void;
  /** The newest of each, read now where it must be. */
  newest(subjects: readonly RealtimeSubject[]): Promise<readonly RealtimePrice[]>;
  /**
   * Sends what is new of the subjects: first what a reader missed since `lastEventId`, or where
   * that is no longer known each newest one; then each change, at most four a second of one
   * subject. What it gives ends it. Errors: `limit_reached`.
   */
  follow(
    reader: {
      readonly userId: UserId;
      readonly subjects: readonly RealtimeSubject[];
      readonly lastEventId: string | null;
    },
    send: (event: RealtimeEvent) => void,
  ): () => void;
  stop(): void;
}

/** Calls for each change of an asset's price on the exchange; what it gives ends that. */
export type WatchAsset = (asset: Asset, onChange: (price: TokenPrice | null) => void) => () => void;

interface Followed {
  readonly subject: RealtimeSubject;
  price: TokenPrice | null;
  /** A change that has not been sent. */
  isDue: boolean;
  readers: number;
  /** When its last reader left; null while it has one. */
  leftAtMs: number | null;
  stop: () => void;
}

/** Makes the streams; nothing is followed before there is a reader. */
export function createRealtime({
  watchAsset,
  prices,
  clock,
  epoch,
}: {
  readonly watchAsset: WatchAsset;
  readonly prices: TokenPrices;
  readonly clock: Clock;
  /** Tells this run's events from those of others. */
  readonly epoch: string;
}): Realtime {
  const followed = new Map<string, Followed>();
  const log: { readonly seq: number; readonly name: string; readonly event: RealtimeEvent }[] = [];
  const readers = new Set<{
    readonly userId: UserId;
    readonly names: ReadonlySet<string>;
    readonly send: (event: RealtimeEvent) => void;
  }>();
  const lastOfAssets = new Map<Asset, TokenPrice>();
  let seq = 0;
  let timer: Timer | null = null;
  let polledAtMs = Number.NEGATIVE_INFINITY;

  /** What is absent now is shown as it was last, with its age (L8). */
  function remember(asset: Asset, price: TokenPrice | null): void {
    if (price !== null) lastOfAssets.set(asset, price);
  }

  function publish(name: string, entry: Followed): void {
    entry.isDue = false;
    seq += 1;
    const event = { id: `${epoch}.${seq}`, atMs: clock.nowMs(), ...viewOf(entry) };
    log.push({ seq, name, event });
    if (log.length > REALTIME.eventsKept) log.shift();
    for (const reader of readers) if (reader.names.has(name)) reader.send(event);
  }

  function tick(): void {
    timer = null;
    const nowMs = clock.nowMs();
    if (nowMs - polledAtMs >= REALTIME.tokenPollMs) pollTokens(nowMs);
    for (const [name, entry] of followed) {
      if (entry.isDue) publish(name, entry);
      if (entry.leftAtMs !== null && nowMs - entry.leftAtMs > REALTIME.lingerMs) {
        entry.stop();
        followed.delete(name);
      }
    }
    schedule();
  }

  function pollTokens(nowMs: number): void {
    polledAtMs = nowMs;
    const tokens = [...followed.values()].flatMap(({ subject }) =>
      subject.kind === 'token' ? [subject] : [],
    );
    if (tokens.length === 0) return;
    void prices.warm(tokens, 0);
    for (const entry of followed.values())
      if (entry.subject.kind === 'token')
        take(entry, prices.last(entry.subject.chain, entry.subject.address));
  }

  function schedule(): void {
    if (timer === null && followed.size > 0) timer = clock.after(REALTIME.conflateMs, tick);
  }

  function follow(subject: RealtimeSubject): string {
    const name = nameOf(subject);
    const known = followed.get(name);
    if (known !== undefined) {
      known.readers += 1;
      known.leftAtMs = null;
      return name;
    }
    if (followed.size >= REALTIME.subjectsMaximum)
      throw new AppError(
        'limit_reached',
        `${REALTIME.subjectsMaximum} prices are followed already`,
        {
          retryable: true,
        },
      );
    const entry: Followed = {
      subject,
      price: subject.kind === 'token' ? prices.last(subject.chain, subject.address) : null,
      isDue: false,
      readers: 1,
      leftAtMs: null,
      stop: () => undefined,
    };
    if (subject.kind === 'asset') {
      const { asset } = subject;
      entry.price = lastOfAssets.get(asset) ?? null;
      entry.stop = watchAsset(asset, (price) => {
        remember(asset, price);
        if (price !== null) take(entry, price);
      });
      // what was there already goes out as the newest, not as a change
      entry.isDue = false;
    }
    followed.set(name, entry);
    return name;
  }

  function leave(name: string): void {
    const entry = followed.get(name);
    if (entry === undefined) return;
    entry.readers -= 1;
    if (entry.readers === 0) entry.leftAtMs = clock.nowMs();
  }

  /** What a reader missed; null where that is no longer known. */
  function missed(
    lastEventId: string | null,
    names: ReadonlySet<string>,
  ): readonly RealtimeEvent[] | null {
    const [, of = '', number = ''] = /^(\w{1,40})\.(\d{1,15})$/.exec(lastEventId ?? '') ?? [];
    const last = Number(number);
    if (of !== epoch || last > seq || last < (log[0]?.seq ?? seq + 1) - 1) return null;
    if ([...names].some((name) => followed.get(name)?.readers === 1 && isNew(name, last)))
      return null;
    return log.filter((row) => row.seq > last && names.has(row.name)).map(({ event }) => event);
  }

  /** A subject that was not followed meanwhile has no events to miss. */
  function isNew(name: string, last: number): boolean {
    return !log.some((row) => row.name === name && row.seq <= last);
  }

  function assertRoom(userId: UserId): void {
    const own = [...readers].filter((reader) => reader.userId === userId).length;
    if (own < REALTIME.readersPerUserMaximum && readers.size < REALTIME.readersMaximum) return;
    const whose =
      own >= REALTIME.readersPerUserMaximum
        ? `you read ${own} streams already`
        : `${readers.size} streams are read already`;
    throw new AppError('limit_reached', whose, { retryable: true });
  }

  return {
    assertRoom,
    async newest(subjects) {
      const tokens = subjects.flatMap((subject) => (subject.kind === 'token' ? [subject] : []));
      await prices.warm(tokens, REALTIME.waitMs);
      return subjects.map((subject) => {
        if (subject.kind === 'token')
          return viewOf({ subject, price: prices.last(subject.chain, subject.address) });
        watchAsset(subject.asset, (price) => remember(subject.asset, price))();
        return viewOf({ subject, price: lastOfAssets.get(subject.asset) ?? null });
      });
    },
    follow({ userId, subjects, lastEventId }, send) {
      assertRoom(userId);
      const names = new Set(subjects.map(follow));
      const reader = { userId, names, send };
      const events =
        missed(lastEventId, names) ??
        [...names].flatMap((name) => {
          const entry = followed.get(name);
          return entry === undefined
            ? []
            : [{ id: `${epoch}.${seq}`, atMs: clock.nowMs(), ...viewOf(entry) }];
        });
      readers.add(reader);
      for (const event of events) send(event);
      polledAtMs = Number.NEGATIVE_INFINITY;
      schedule();
      return () => {
        if (!readers.delete(reader)) return;
        for (const name of names) leave(name);
      };
    },
    stop() {
      timer?.cancel();
      for (const { stop } of followed.values()) stop();
      followed.clear();
      readers.clear();
    },
  };
}

function take(entry: Followed, price: TokenPrice | null): void {
  if (entry.price?.priceE18 === price?.priceE18 && entry.price?.atMs === price?.atMs) return;
  entry.price = price;
  entry.isDue = true;
}

function viewOf({ subject, price }: Pick<Followed, 'subject' | 'price'>): RealtimePrice {
  const isPar = price !== null && price.atMs === null;
  return {
    subject,
    price,
    source: isPar ? 'par' : subject.kind === 'asset' ? 'exchange' : 'token_data',
  };
}

function nameOf(subject: RealtimeSubject): string {
  return subject.kind === 'asset' ? subject.asset : `${subject.chain}:${subject.address ?? ''}`;
}
