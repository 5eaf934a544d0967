import { z } from 'zod';
import { API } from '../../../config/limits/api.ts';
import { AppError } from '../../domain/errors.ts';
import { asId, type Asset, type MarketId, type TokenId, type VenueId } from '../../domain/ids.ts';
import { USER_TOPICS, type UserTopic } from '../../domain/user-topic.ts';
import { CURSOR } from '../../services/missed-events.ts';
import { parseJson } from '../json.ts';
import { faultSentence } from '../fault-sentence.ts';
import { fieldErrors } from '../route-input.ts';
import type { VenueApi } from '../venue-api.ts';

/** Where sockets are opened. */
export const SOCKET_PATHS = ['/ws', '/ws/'] as const;

/** Reports whether a path is one where sockets are opened. */
export function isSocketPath(path: string): boolean {
  return SOCKET_PATHS.some((known) => known === path);
}

/** Codes a socket is closed with (RFC 6455 leaves 4000–4999 to us). */
export const CLOSE_CODES = {
  /** The service is going down; come back. */
  goingAway: 1001,
  /** A message over API.socketPayloadMaximumBytes. */
  tooLarge: 1009,
  /** Too many faulty messages. */
  faults: 4400,
  /** The token is missing, not valid, or has expired. */
  unauthenticated: 4401,
  /**
   * The token is good and may not: no username yet, a key without the scope `read`, another user's
   * socket.
   */
  forbidden: 4403,
  /** No token within API.socketAuthMs. */
  authTimeout: 4408,
  /** Too many sockets or messages. */
  tooMany: 4429,
} as const;

/** Returns what a close code means, as metrics count it; `other` for one that is not listed. */
export function closeReason(code: number): string {
  const name = Object.entries(CLOSE_CODES).find(([, known]) => known === code)?.[0] ?? 'other';
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** What names an order book: a token, or at some venues the market. */
export type BookId = TokenId | MarketId;

/** What a client may subscribe to. */
export type Topic =
  | {
      readonly kind: 'book';
      readonly name: string;
      readonly venue: VenueId;
      readonly bookId: BookId;
    }
  | {
      readonly kind: 'market_price';
      readonly name: string;
      readonly venue: VenueId;
      readonly bookId: BookId;
    }
  | { readonly kind: 'price'; readonly name: string; readonly asset: Asset }
  | { readonly kind: 'user'; readonly name: UserTopic };

const idField = z.union([z.string().max(64), z.int()], {
  error: 'must be a text of up to 64 characters, or a whole number',
});
const topicsField = z.array(z.string().max(128)).min(1).max(API.subscriptionsMaximum);
const messageSchema = z.discriminatedUnion(
  'op',
  [
    z.strictObject({
      op: z.literal('auth'),
      id: idField.optional(),
      token: z.string().min(1).max(2_048),
    }),
    z.strictObject({
      op: z.literal('subscribe'),
      id: idField.optional(),
      topics: topicsField,
      since: z.string().regex(CURSOR, 'must be the cursor of a message').optional(),
    }),
    z.strictObject({ op: z.literal('unsubscribe'), id: idField.optional(), topics: topicsField }),
    z.strictObject({ op: z.literal('ping'), id: idField.optional() }),
  ],
  {
    error: ({ code }) =>
      code === 'invalid_union' ? 'must be auth, subscribe, unsubscribe or ping' : undefined,
  },
);

/** Names a message of a client; every message that answers it carries the same. */
export type MessageId = z.output<typeof idField>;

/** What clients say. */
export type ClientMessage = z.output<typeof messageSchema>;

/** A message as far as it can be read. Errors: `invalid_json`, `invalid_request` with paths. */
export type ReadMessage = { readonly id: MessageId | undefined } & (
  | { readonly message: ClientMessage }
  | { readonly error: unknown }
);

/** Returns a client's message, or what is wrong with it, with its id where one can be made out. */
export function readMessage(text: string): ReadMessage {
  let value: unknown;
  try {
    value = parseJson(text);
  } catch (error) {
    return { id: undefined, error };
  }
  const id = idField.safeParse(
    typeof value === 'object' && value !== null && 'id' in value ? value.id : undefined,
  ).data;
  const parsed = messageSchema.safeParse(value, { error: faultSentence });
  if (parsed.success) return { id, message: parsed.data };
  const fields = fieldErrors(parsed.error, '');
  return {
    id,
    error: new AppError(
      'invalid_request',
      fields.map(({ path, message }) => `${path === '' ? 'message' : path}: ${message}`).join('; '),
      { fields },
    ),
  };
}

const ASSETS: readonly Asset[] = ['BTC', 'ETH', 'SOL'];

/** A venue whose books may be followed, and how it names what has one. */
export type BookVenue = Pick<VenueApi, 'venue' | 'ids'>;

/** Reads a topic's name; null for an unknown one. */
export function parseTopic(name: string, venues: readonly BookVenue[]): Topic | null {
  const userTopic = USER_TOPICS.find((known) => known === name);
  if (userTopic !== undefined) return { kind: 'user', name: userTopic };
  const [kind, rest = ''] = name.split(/:(.*)/s);
  const book = bookNamed(rest, venues);
  if (kind === 'orderbook') return book && { kind: 'book', name, ...book };
  if (kind !== 'prices') return null;
  if (book !== null) return { kind: 'market_price', name, ...book };
  const asset = ASSETS.find((known) => known === rest);
  return asset === undefined ? null : { kind: 'price', name, asset };
}

function bookNamed(
  name: string,
  venues: readonly BookVenue[],
): { readonly venue: VenueId; readonly bookId: BookId } | null {
  const [, venue, bookId = ''] = /^([^:]*):(.*)$/s.exec(name) ?? [];
  const found = venues.find((known) => known.venue === venue);
  return found !== undefined && new RegExp(`^${found.ids[found.ids.book].pattern}$`).test(bookId)
    ? { venue: found.venue, bookId: asId<BookId>(bookId) }
    : null;
}

/** A stream of messages, and the number of its newest. */
export interface StreamPlace {
  readonly epoch: number;
  readonly seq: number;
}

/**
 * A message of a topic. `seq` has no holes within an epoch; after one, or when the epoch changes
 * without a snapshot, subscribe again.
 */
export interface TopicMessage {
  readonly topic: string;
  /** After `ended` nothing follows: the topic is over, and no longer subscribed to. */
  readonly kind: 'snapshot' | 'change' | 'ended';
  readonly epoch: number;
  readonly seq: number;
  /** How old the newest input is; null where nothing has come yet. */
  readonly ageMs: number | null;
  readonly trusted: boolean;
  /** True of a change that its reader missed and is sent now. */
  readonly again?: true;
  /** Of a user's own topics: the place in the journal behind which to go on. */
  readonly cursor?: string;
  readonly data: unknown;
  /** Of the subscribe that brought a snapshot. */
  readonly id?: MessageId;
}
