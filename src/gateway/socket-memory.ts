import { z } from 'zod';
import { GATEWAY } from '../../config/limits/gateway.ts';
import { USER_TOPICS } from '../domain/user-topic.ts';
import { createShownPrices } from './shown-prices.ts';

/**
 * What a client has asked for on its socket: enough to ask another owner for the same, from where
 * the client has heard (`../http/live/README.md`). Each message gets an id of the gateway's, so
 * that each answer is known by what it answers; clients see their own ids.
 */
export interface SocketMemory {
  /** Returns a client's message as the owner gets it. */
  ask(text: string): string;
  /**
   * Returns an owner's message as the client gets it; null for an answer to the gateway itself.
   * `refused` where the owner does not give the client what it had: it is to come back.
   */
  hear(text: string): string | null | 'refused';
  /** Returns what the client is sent once its owner is gone: that books and prices are in doubt. */
  distrust(): readonly string[];
  /** The newest token that an owner has taken after the head's; null without one. */
  newestToken(): string | null;
  /**
   * Returns what a new owner is asked, in this order. One that the client is known to by its head
   * is shown the newest token there.
   */
  rejoin(): readonly string[];
}

/** A message, and whose it is. */
interface Asked {
  readonly isOwn: boolean;
  /** As it goes to an owner; null once it was answered, and of the gateway's own. */
  text: string | null;
  /** The client's id of it; absent where it gave none. */
  readonly id?: unknown;
  readonly token?: string;
  readonly since?: string;
}

/**
 * A place up to which topics of the client's own are heard. One for all that are live: an owner
 * sends what happens in one order over all of them. What is being sent again has one of its own.
 */
interface HeardUpTo {
  cursor: string;
}

const objectSchema = z.record(z.string(), z.unknown());
/** What an owner cannot read has an answer as well, by its id. */
const askedSchema = z.object({
  op: z.unknown().optional(),
  id: z.union([z.string().max(64), z.int()]).optional(),
  token: z.string().optional().catch(undefined),
  since: z.string().optional().catch(undefined),
});
const topics = z.array(z.string()).catch([]);
const heardSchema = z.object({
  op: z.string().optional(),
  id: z.string().optional(),
  topic: z.string().optional(),
  kind: z.string().optional(),
  cursor: z.string().optional(),
  topics: z.unknown().optional(),
  refused: z.array(z.object({ topic: z.string() })).catch([]),
});
/** What is read whole: most messages are changes of books, which are passed on as they are. */
const NOTED = /"(op|cursor|id)":|"kind":"ended"/;
const ANSWERS: readonly (string | undefined)[] = [
  'authenticated',
  'subscribed',
  'unsubscribed',
  'pong',
  'error',
];

/**
 * `isKnownByHead` where the client showed its token in the head of its upgrade; `shows` is called
 * with each one that it shows afterwards.
 */
export function createSocketMemory(
  isKnownByHead: boolean,
  shows: (token: string) => void,
): SocketMemory {
  /** By the gateway's id, oldest first. */
  const asked = new Map<string, Asked>();
  /** Topics that are read; null for those that begin with a snapshot. */
  const read = new Map<string, HeardUpTo | null>();
  /** Of what is live; null before the first snapshot. */
  let live: HeardUpTo | null = null;
  const shown = createShownPrices();
  let token: string | null = null;
  let count = 0;
  let greetings = 0;

  function note(entry: Asked): string {
    const id = `g${(count += 1)}`;
    asked.set(id, entry);
    if (asked.size > GATEWAY.messagesKnownMaximum) {
      const [oldest = ''] = asked.keys();
      asked.delete(oldest);
    }
    return id;
  }

  function own(message: object): string {
    return JSON.stringify({ ...message, id: note({ isOwn: true, text: null }) });
  }

  return {
    ask(text) {
      const value = objectIn(text);
      const message = askedSchema.safeParse(value).data;
      // What the owner cannot read either it says so itself.
      if (value === null || message === undefined) return text;
      const id = `g${count + 1}`;
      const sent = JSON.stringify({ ...value, id });
      note({
        isOwn: false,
        text: sent,
        ...('id' in value ? { id: value['id'] } : {}),
        ...(message.token === undefined ? {} : { token: message.token }),
        ...(message.since === undefined ? {} : { since: message.since }),
      });
      if (message.op === 'auth' && message.token !== undefined) shows(message.token);
      return sent;
    },

    hear(text) {
      shown.hear(text);
      if (!NOTED.test(text)) return text;
      const value = objectIn(text);
      const message = heardSchema.safeParse(value).data;
      if (value === null || message === undefined) return text;
      const entry = message.id === undefined ? undefined : asked.get(message.id);
      if (message.op === 'authenticated' && message.id === undefined && isKnownByHead) {
        greetings += 1;
        return greetings === 1 ? text : null;
      }
      follow(message, entry);
      if (entry === undefined) return text;
      const isAnswer = ANSWERS.includes(message.op);
      if (isAnswer) entry.text = null;
      if (entry.isOwn && isAnswer)
        return message.op === 'error' || message.refused.length > 0 ? 'refused' : null;
      const { id: _own, ...rest } = value;
      return JSON.stringify('id' in entry ? { ...rest, id: entry.id } : rest);
    },

    distrust: () => shown.distrust(new Set(read.keys())),

    newestToken: () => token,

    rejoin() {
      const groups = new Map<HeardUpTo, string[]>();
      const anew: string[] = [];
      for (const [topic, heard] of read)
        if (heard === null) anew.push(topic);
        else groups.set(heard, [...(groups.get(heard) ?? []), topic]);
      const unanswered = [...asked.values()].flatMap(({ text }) => text ?? []);
      // What was live is live again once the new owner has sent what was missed.
      live = null;
      for (const [{ cursor }, names] of groups) readSince(cursor, names);
      return [
        ...(token === null || isKnownByHead ? [] : [own({ op: 'auth', token })]),
        ...[...groups].map(([{ cursor }, names]) =>
          own({ op: 'subscribe', topics: names, since: cursor }),
        ),
        // A snapshot is newer than what is sent again, so it comes behind it.
        ...(anew.length === 0 ? [] : [own({ op: 'subscribe', topics: anew })]),
        ...unanswered,
      ];
    },
  };

  /** Notes what a message says of the topics that are read. */
  function follow(message: z.output<typeof heardSchema>, entry: Asked | undefined): void {
    const { op, topic, kind, cursor } = message;
    if (op === 'authenticated') token = entry?.token ?? token;
    if (op === 'subscribed') {
      const names = topics.parse(message.topics);
      for (const name of names) if (!read.has(name)) read.set(name, null);
      if (entry?.since !== undefined) readSince(entry.since, names.filter(isUserTopic));
    }
    if (op === 'unsubscribed') for (const name of topics.parse(message.topics)) read.delete(name);
    if (op === 'error') for (const { topic: name } of message.refused) read.delete(name);
    if (topic !== undefined && kind === 'ended') read.delete(topic);
    if (cursor === undefined) return;
    const heard = topic === undefined ? undefined : read.get(topic);
    if (topic !== undefined && (kind === 'snapshot' || heard === null)) goesOn(cursor, [topic]);
    else if (heard) heard.cursor = cursor;
    if (op === 'caught_up' && Array.isArray(message.topics))
      goesOn(
        cursor,
        caughtUp.parse(message.topics).map(({ topic: name }) => name),
      );
  }

  /** Topics are sent again from a cursor on, together. */
  function readSince(cursor: string, names: readonly string[]): void {
    const heard = { cursor };
    for (const name of names) read.set(name, heard);
  }

  /** Topics are live from a cursor on, up to which all that are live are heard. */
  function goesOn(cursor: string, names: readonly string[]): void {
    live ??= { cursor };
    live.cursor = cursor;
    for (const name of names) if (read.has(name)) read.set(name, live);
  }
}

const isUserTopic = (name: string): boolean => USER_TOPICS.some((known) => known === name);

const caughtUp = z.array(z.object({ topic: z.string() })).catch([]);

function objectIn(text: string): Readonly<Record<string, unknown>> | null {
  try {
    return objectSchema.safeParse(JSON.parse(text)).data ?? null;
  } catch {
    return null;
  }
}
