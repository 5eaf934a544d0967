import { moment } from './time.ts';

/** What a market is called: its question alone may be "By June?". */
interface NamedMarket {
  readonly question: string;
  readonly eventTitle: string | null;
}

/** Returns the event to show beside a question; null where it is not known, or is the question. */
export function eventBeside({ question, eventTitle }: NamedMarket): string | null {
  return eventTitle === null || eventTitle === '' || plain(question).includes(plain(eventTitle))
    ? null
    : eventTitle;
}

/** Writes when a market ends, since several may ask the same: `ends 14:05`, `ended 3 Dec 14:05`. */
export function marketEnd(endsAtMs: number, nowMs: number): string {
  return `${endsAtMs > nowMs ? 'ends' : 'ended'} ${moment(endsAtMs, nowMs)}`;
}

/** Writes a market in one line: its event before its question. */
export function marketLine(market: NamedMarket): string {
  const event = eventBeside(market);
  return event === null ? market.question : `${event}: ${market.question}`;
}

function plain(text: string): string {
  return text.toLowerCase().replace(/[?!.\s]+$/, '');
}
