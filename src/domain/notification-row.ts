import type { NotificationFacts, NotificationKind, NotificationMarket } from './notification.ts';
import { plainText } from './plain-text.ts';
import type { Reason } from './reason.ts';
import { explainTransaction } from './transaction-reason.ts';

/** Most characters of quoted words. */
export interface NotificationTextLimits {
  readonly titleMaximumChars: number;
  readonly labelMaximumChars: number;
  readonly reasonMaximumChars: number;
}

/** The facts by name, as callers read them, money as decimal text. */
export type NotificationAbout = Readonly<Record<string, string | number | null>>;

/**
 * Where a kind goes: to the list alone; also to the user's browsers, for an hour; or there for a
 * day, since a private key is known to another person or was asked for, or an API key was made.
 */
export type NotificationLevel = 'list' | 'push' | 'security';

/** Facts of one kind. */
export type FactsOf<Kind extends NotificationKind> = OfKind<NotificationFacts, Kind>;

type OfKind<Facts extends NotificationFacts, Kind> = Facts extends NotificationFacts
  ? Kind extends Facts['kind']
    ? Facts
    : never
  : never;

/** All there is to a kind. */
export interface NotificationRow<Facts> {
  readonly level: NotificationLevel;
  /** Our own words and numbers alone. */
  title(facts: Facts): string;
  /** May quote what others wrote, cut and cleaned, as one line of plain text. */
  body(facts: Facts, limits: NotificationTextLimits): string;
  about(facts: Facts): NotificationAbout;
}

/** A row for each kind, over its own facts. */
export type NotificationRows = {
  readonly [Kind in NotificationKind]: NotificationRow<FactsOf<Kind>>;
};

/** Explains why it failed or what came short; what others wrote stays out of messages. */
export function because({ reason }: { readonly reason: string | null }): string {
  return sentenceOf(explainTransaction(reason));
}

/** An explanation as a sentence after another; empty for none. */
export function sentenceOf({ reason }: Reason): string {
  return reason === null ? '' : ` ${reason}`;
}

/** Quotes the outcome of a market. */
export function quoteOutcome(
  { outcomeLabel }: NotificationMarket,
  { labelMaximumChars }: NotificationTextLimits,
): string {
  return `“${plainText(outcomeLabel, labelMaximumChars)}”`;
}

/** Quotes what a market asks, and the event it is a part of where that is known. */
export function quoteMarket(
  { question, eventTitle }: NotificationMarket,
  { titleMaximumChars }: NotificationTextLimits,
): string {
  const event =
    eventTitle === undefined || eventTitle === question
      ? ''
      : ` of “${plainText(eventTitle, titleMaximumChars)}”`;
  return `Market: “${plainText(question, titleMaximumChars)}”${event}`;
}
