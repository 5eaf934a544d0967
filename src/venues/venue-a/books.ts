import { VENUE_A } from '../../../config/limits/venue-a.ts';
import { BookFold } from '../../domain/book-fold.ts';
import { AppError } from '../../domain/errors.ts';
import type { TokenId } from '../../domain/ids.ts';
import type { Runtime } from '../../ports/runtime.ts';
import type { Listener } from '../../ports/listener.ts';
import type { BookChange, BookSnapshot, BookSource, BookWatch } from '../../ports/venue-books.ts';
import { createLongest, type Longest } from '../../adapters/wire/longest.ts';
import { openSocket } from '../../adapters/wire/socket-frames.ts';
import { createHashCheck, type HashCheck } from './market-data/book-hash.ts';
import { readBook } from './market-data/book-levels.ts';
import type { VenueClient } from './client.ts';
import { VENUE_A_ID } from './id.ts';
import { createMarketFrames } from './market-data/market-frames.ts';
import { bookSchema } from './market-data/market-schema.ts';

export interface BookSourceParts extends Pick<Runtime, 'clock' | 'metrics'> {
  readonly url: string;
  readonly client: VenueClient;
  /** Takes the place of a real socket: a venue within the process. */
  readonly open?: typeof openSocket;
}

/**
 * Makes the venue's book source: one socket for each watch, folded into books by
 * `market-data/market-frames.ts`. The socket is never opened again inside: its loss is an error of
 * the watch.
 * Missing first books are the reader's to fetch and put in place.
 */
export function createBookSource(parts: BookSourceParts): BookSource {
  const hashes = createHashCheck((result) =>
    parts.metrics.count('venue_book_hashes_total', { venue: 'venue_a', result }),
  );
  const applying = createLongest((seconds) =>
    parts.metrics.observe('frame_apply_seconds', seconds, { venue: VENUE_A_ID }),
  );
  return {
    snapshot: (tokenId) => readSnapshot(parts.client, tokenId, hashes),
    watch: (tokenIds, listener) => watchBooks({ ...parts, hashes, applying, tokenIds, listener }),
  };
}

interface Watching extends BookSourceParts {
  readonly hashes: HashCheck;
  readonly applying: Longest;
  readonly tokenIds: readonly TokenId[];
  readonly listener: Listener<BookChange>;
}

function watchBooks({
  url,
  clock,
  metrics,
  hashes,
  applying,
  tokenIds,
  listener,
  open = openSocket,
}: Watching): BookWatch {
  if (tokenIds.length > VENUE_A.tokensPerSocketMaximum) {
    throw new AppError(
      'limit_reached',
      `${tokenIds.length} tokens on one market socket, ${VENUE_A.tokensPerSocketMaximum} at most`,
    );
  }
  const books = new Map([...new Set(tokenIds)].map((tokenId) => [tokenId, new BookFold(tokenId)]));
  const frames = createMarketFrames([...books.values()], {
    isDamaged: (book) => hashes.verdict(book) === 'wrong',
    changed: (change) => listener.next(change),
    dropped: (reason, count) =>
      metrics.count('venue_dropped_total', { venue: 'venue_a', channel: 'market', reason }, count),
  });
  const subscription = JSON.stringify({
    assets_ids: [...books.keys()],
    type: 'market',
    custom_feature_enabled: true,
  });
  const socket = open(
    {
      url,
      clock,
      maximumBytes: VENUE_A.frameMaximumBytes,
      handshakeTimeoutMs: VENUE_A.handshakeTimeoutMs,
      idleMs: VENUE_A.marketSilenceMs,
      ping: {
        text: 'PING',
        everyMs: VENUE_A.pingEveryMs,
        answer: 'PONG',
        answerWithinMs: VENUE_A.pongWithinMs,
      },
      opened: (opened) => opened.send(subscription),
    },
    {
      next(frame) {
        const begunMs = applying.begun();
        frames.take(frame, clock.nowMs());
        applying.ended(begunMs);
      },
      error: (cause) => listener.error(cause),
    },
  );
  return {
    book: (tokenId) => books.get(tokenId) ?? null,
    replace(fetched) {
      const book = books.get(fetched.tokenId);
      if (book === undefined || !book.replaceFetched(fetched, clock.nowMs())) return false;
      listener.next(book);
      return true;
    },
    stop: () => socket.close(),
  };
}

/**
 * Errors: `venue_protocol` for a book of an unexpected format, or that is not what its hash says.
 */
async function readSnapshot(
  client: VenueClient,
  tokenId: TokenId,
  hashes: HashCheck,
): Promise<BookSnapshot | null> {
  const value = await client.read({
    family: 'public',
    method: 'GET',
    path: '/book',
    query: { token_id: tokenId },
  });
  if (value === null) return null;
  const wire = bookSchema.safeParse(value);
  const read = wire.success && wire.data.asset_id === tokenId ? readBook(wire.data) : null;
  if (read === null)
    throw new AppError('venue_protocol', `unexpected format of the book of token ${tokenId}`);
  if (wire.data !== undefined && hashes.verdict(wire.data) === 'wrong')
    throw new AppError('venue_protocol', `the book of token ${tokenId} differs from its hash`);
  return read.snapshot;
}
