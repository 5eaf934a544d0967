import { FEED_LINK } from '../../../config/limits/feed-link.ts';
import { AppError } from '../../domain/errors.ts';
import type { Clock, Timer } from '../../ports/clock.ts';
import type { Runtime } from '../../ports/runtime.ts';
import type { Metrics } from '../../ports/metrics.ts';
import { openSocket, type SocketHandle } from '../wire/socket-frames.ts';
import { isProof, proofOf } from './proof.ts';
import {
  LINK_PATH,
  LINK_PROTOCOL,
  errorOf,
  feedMessage,
  type FeedMessage,
  type Question,
  type ReaderMessage,
  type Subject,
} from './protocol.ts';

/** What a feed says of something that is followed. */
export type News = Extract<FeedMessage, { readonly op: 'tick' | 'book' | 'change' | 'event' }>;

/** Hears of what it follows; after `lost` nothing more comes. */
export interface Follower {
  hear(news: News): void;
  lost(cause: AppError): void;
}

/** Something that is followed. */
interface Following {
  /** Asks for the whole of a book; it comes as all else does. */
  whole(tokenId: string): void;
  stop(): void;
}

/** The way to the feeds: one of them at a time. */
export interface FeedLink {
  /**
   * Follows a subject at the feed of the moment. `lost` comes with a retryable `venue_unavailable`
   * when the feed is lost, or none has answered for FEED_LINK.followWaitMs, and with the source's
   * own error where that has failed: follow it again for a fresh start.
   */
  follow(subject: Subject, follower: Follower): Following;
  /** Errors: those of the port behind the question; `venue_unavailable` without a feed. */
  ask(question: Question): Promise<unknown>;
  /** Ms since a feed that has proven itself gave a sign of life, or since the start before one. */
  silentMs(): number;
  close(): void;
}

interface Followed {
  readonly subject: Subject;
  readonly follower: Follower;
  /** Gives it up; null once the feed follows. */
  waiting: Timer | null;
  /** Null until the feed follows. */
  channel: number | null;
}

interface Asked {
  readonly question: Question;
  readonly timer: Timer;
  readonly answered: (value: unknown) => void;
  readonly failed: (cause: AppError) => void;
}

/** A connection to one feed. */
interface Joint {
  readonly socket: SocketHandle;
  readonly host: string;
  readonly nonce: string;
  /** What it said at its start; null before. */
  theirs: string | null;
  isProven: boolean;
  /** When it was proven, steady ms. */
  provenAtMs: number;
  /** When the newest sign of life that came back was asked for, steady ms. */
  aliveAtMs: number;
  timer: Timer;
}

/**
 * Joins one feed of a list and, whenever it is silent for FEED_LINK.silentMs or ends, the next one.
 * A sign of life is one that was asked for: what arrives is at most as late as the newest of them,
 * so a connection that delivers late counts as silent, and so does what a process finds in its
 * buffers that was itself held up.
 */
export function openFeedLink(
  options: Pick<Runtime, 'random' | 'log'> & {
    /** Feeds in any order, http or https; who begins is drawn, so that readers are spread. */
    readonly urls: readonly string[];
    readonly secret: string;
    /** Carries timers. */
    readonly wallClock: Clock;
    /** Ms since some moment on a clock that never jumps; the machine's where absent. */
    readonly steadyMs?: () => number;
    readonly metrics: Pick<Metrics, 'count' | 'gauge' | 'beforeRead'>;
  },
): FeedLink {
  const { urls, secret, wallClock, random, metrics, log } = options;
  const steadyMs = options.steadyMs ?? (() => performance.now());
  const followed = new Map<number, Followed>();
  const asked = new Map<number, Asked>();
  let place = random.integer(urls.length);
  let failures = 0;
  let ids = 0;
  let joint: Joint | null = null;
  let pause: Timer | null = null;
  let isClosed = false;
  let aliveAtMs = steadyMs();
  metrics.beforeRead(() => metrics.gauge('link_silent_seconds', silentMs() / 1_000));

  function silentMs(): number {
    return Math.max(0, steadyMs() - (joint?.isProven === true ? joint.aliveAtMs : aliveAtMs));
  }

  function join(): void {
    const url = urls[place] ?? '';
    const next: Joint = {
      host: new URL(url).host,
      nonce: Buffer.from(random.bytes(24)).toString('base64url'),
      theirs: null,
      isProven: false,
      provenAtMs: 0,
      aliveAtMs: steadyMs(),
      timer: wallClock.after(FEED_LINK.joinMs, () => lose(next, 'did not take us in time')),
      socket: openSocket(
        {
          url: `${url.replace(/^http/, 'ws')}${LINK_PATH}`,
          clock: wallClock,
          maximumBytes: FEED_LINK.frameMaximumBytes,
          handshakeTimeoutMs: FEED_LINK.joinMs,
          idleMs: null,
        },
        {
          next: (frame) => hear(next, frame),
          error: (cause) => lose(next, cause instanceof Error ? cause.message : String(cause)),
        },
      ),
    };
    joint = next;
  }

  function hear(from: Joint, frame: Buffer): void {
    if (from !== joint) return;
    const parsed = feedMessage.safeParse(parseJson(frame));
    if (!parsed.success) return lose(from, 'said what cannot be read');
    const message = parsed.data;
    if (message.op === 'beat')
      from.aliveAtMs = Math.max(from.aliveAtMs, Math.min(message.atMs, steadyMs()));
    else if (!from.isProven) return greet(from, message);
    // What waited in a buffer is older than it says it is (L8).
    if (steadyMs() - from.aliveAtMs > FEED_LINK.silentMs) return lose(from, SILENT);
    take(message);
  }

  function greet(from: Joint, message: FeedMessage): void {
    if (message.op === 'hello' && from.theirs === null) {
      if (message.protocol !== LINK_PROTOCOL)
        return lose(from, `speaks protocol ${message.protocol}, not ${LINK_PROTOCOL}`);
      from.theirs = message.nonce;
      from.aliveAtMs = steadyMs();
      const proof = proofOf('reader', secret, { feed: message.nonce, reader: from.nonce });
      return say({ op: 'prove', nonce: from.nonce, proof });
    }
    const right =
      from.theirs === null
        ? null
        : proofOf('feed', secret, { feed: from.theirs, reader: from.nonce });
    if (message.op !== 'welcome' || right === null || !isProof(message.proof, right))
      return lose(from, 'has not proven that it knows the secret');
    from.isProven = true;
    from.provenAtMs = steadyMs();
    from.timer.cancel();
    log.info({ feed: from.host }, 'feed_link.joined');
    beat(from);
    for (const [id, { subject }] of followed) say({ op: 'follow', id, subject });
    for (const [id, { question }] of asked) say({ op: 'ask', id, question });
  }

  function beat(to: Joint): void {
    if (to !== joint) return;
    if (steadyMs() - to.aliveAtMs > FEED_LINK.silentMs) return lose(to, SILENT);
    say({ op: 'beat', atMs: Math.floor(steadyMs()) });
    to.timer = wallClock.after(FEED_LINK.beatMs, () => beat(to));
  }

  function take(message: FeedMessage): void {
    switch (message.op) {
      case 'tick':
      case 'book':
      case 'change':
      case 'event':
        for (const { channel, follower } of followed.values())
          if (channel === message.channel) follower.hear(message);
        return;
      case 'following': {
        const one = followed.get(message.id);
        if (one === undefined) return;
        one.channel = message.channel;
        one.waiting?.cancel();
        one.waiting = null;
        return;
      }
      case 'ended':
        return giveUp(({ channel }) => channel === message.channel, errorOf(message.failure));
      case 'refused':
        return giveUp((_, id) => id === message.id, errorOf(message.failure));
      case 'answer':
        return finish(message.id)?.answered(message.value);
      case 'failed':
        return finish(message.id)?.failed(errorOf(message.failure));
      default:
    }
  }

  function lose(from: Joint, why: string): void {
    if (from !== joint) return;
    aliveAtMs = from.isProven ? from.aliveAtMs : aliveAtMs;
    joint = null;
    from.timer.cancel();
    from.socket.close();
    place = (place + 1) % urls.length;
    // One that takes readers and ends at once is as good as one that takes none.
    const hasLived = from.isProven && steadyMs() - from.provenAtMs > FEED_LINK.silentMs;
    failures = hasLived ? 0 : failures + 1;
    if (from.isProven) metrics.count('link_lost_total');
    if (from.isProven || failures <= urls.length)
      log.warn({ feed: from.host, cause: why }, 'feed_link.lost');
    const isRound = failures > 0 && failures % urls.length === 0;
    pause = wallClock.after(isRound ? FEED_LINK.againMs : 0, join);
    if (!from.isProven) return;
    const cause = unavailable(`the feed ${from.host} is lost: ${why}`);
    for (const id of asked.keys()) finish(id)?.failed(cause);
    giveUp(() => true, cause);
  }

  function giveUp(which: (one: Followed, id: number) => boolean, cause: AppError): void {
    const lost = [...followed].filter(([id, one]) => which(one, id));
    for (const [id, { waiting }] of lost) {
      waiting?.cancel();
      followed.delete(id);
    }
    for (const [, { follower }] of lost) follower.lost(cause);
  }

  function finish(id: number): Asked | undefined {
    const one = asked.get(id);
    asked.delete(id);
    one?.timer.cancel();
    return one;
  }

  function say(message: ReaderMessage): void {
    joint?.socket.send(JSON.stringify(message));
  }
  const sayProven = (message: ReaderMessage): void => {
    if (joint?.isProven === true) say(message);
  };

  join();
  return {
    follow(subject, follower) {
      const id = (ids += 1);
      const one: Followed = {
        subject,
        follower,
        channel: null,
        waiting: wallClock.after(FEED_LINK.followWaitMs, () =>
          giveUp((_, each) => each === id, unavailable('no feed answers')),
        ),
      };
      followed.set(id, one);
      sayProven({ op: 'follow', id, subject });
      return {
        whole(tokenId) {
          const { channel } = one;
          if (channel !== null && followed.has(id)) sayProven({ op: 'whole', channel, tokenId });
        },
        stop() {
          one.waiting?.cancel();
          if (followed.delete(id)) sayProven({ op: 'leave', id });
        },
      };
    },
    ask(question) {
      if (asked.size >= FEED_LINK.questionsMaximum)
        return Promise.reject(
          new AppError('overloaded', 'too many questions to the feed are under way', {
            retryable: true,
          }),
        );
      const id = (ids += 1);
      return new Promise((answered, failed) => {
        const waitMs = joint?.isProven === true ? FEED_LINK.answerMs : FEED_LINK.followWaitMs;
        const timer = wallClock.after(waitMs, () =>
          finish(id)?.failed(unavailable('no feed has answered in time')),
        );
        asked.set(id, { question, timer, answered, failed });
        sayProven({ op: 'ask', id, question });
      });
    },
    silentMs,
    close() {
      if (isClosed) return;
      isClosed = true;
      const open = joint;
      joint = null;
      pause?.cancel();
      open?.timer.cancel();
      open?.socket.close();
      for (const { waiting } of followed.values()) waiting?.cancel();
      followed.clear();
      for (const id of asked.keys()) finish(id)?.failed(unavailable('the link is closed'));
    },
  };
}

const SILENT = `silent for ${FEED_LINK.silentMs} ms`;

function unavailable(why: string): AppError {
  return new AppError('venue_unavailable', why, { retryable: true });
}

function parseJson(frame: Buffer): unknown {
  try {
    return JSON.parse(frame.toString('utf8'));
  } catch {
    return null;
  }
}
