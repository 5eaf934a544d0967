import { DEGRADED_REPORT } from '../../config/limits/log.ts';
import { AGENT_PROFILES } from '../domain/agent.ts';
import { DEGRADED_SENTENCES, type DegradedCode } from '../domain/degraded.ts';
import { AGENT_IDS } from '../domain/ids.ts';
import { plainText } from '../domain/plain-text.ts';
import type { LogFields } from '../ports/log.ts';
import type { Clock, Timer } from '../ports/clock.ts';
import type { LogLine, ObservedLog } from './observed-log.ts';

/**
 * What a line of the log says of a degradation: that it is there, and in which words, or that it
 * is over.
 */
type Word =
  | { readonly kind: 'is'; readonly key: string; readonly text: string }
  | { readonly kind: 'over'; readonly key: string };

interface Degradation {
  readonly text: string;
  readonly sinceMs: number;
  repeats: number;
  /**
   * When it ended, and the timer that prints so unless it comes back first; null while it lasts.
   */
  ending: { readonly atMs: number; readonly timer: Timer } | null;
}

/**
 * Prints each degradation of the service (inputs missing, connections lost, money that does not
 * match) as one line when it begins and one when it has been over for
 * `DEGRADED_REPORT.overAfterMs`; what is said again meanwhile, and what comes and goes, is counted.
 * Returns what ends it.
 */
export function reportDegraded({
  log,
  print,
  clock,
  marketClock,
}: {
  readonly log: Pick<ObservedLog, 'observe'>;
  readonly print: (line: string) => void;
  /** How long a degradation lasted, and has been over. */
  readonly clock: Pick<Clock, 'nowMs' | 'after'>;
  /** What a line begins with, as the other lines do. */
  readonly marketClock: Pick<Clock, 'nowMs'>;
}): () => Promise<void> {
  const open = new Map<string, Degradation>();
  const line = (kind: string, text: string): void =>
    print(
      `${new Date(marketClock.nowMs()).toISOString().slice(11, 19)}  ${kind.padEnd(10)}${text}`,
    );

  function begin(key: string, text: string): void {
    const known = open.get(key);
    if (known !== undefined) {
      known.ending?.timer.cancel();
      known.ending = null;
      known.repeats += 1;
      return;
    }
    if (open.size >= DEGRADED_REPORT.shownMaximum) return;
    open.set(key, { text, sinceMs: clock.nowMs(), repeats: 0, ending: null });
    line('degraded', text);
  }

  function finish(key: string): void {
    for (const [each, degradation] of open) {
      if ((each !== key && !each.startsWith(`${key} `)) || degradation.ending !== null) continue;
      degradation.ending = {
        atMs: clock.nowMs(),
        timer: clock.after(DEGRADED_REPORT.overAfterMs, () => printEnd(each, degradation)),
      };
    }
  }

  function printEnd(key: string, { text, sinceMs, repeats, ending }: Degradation): void {
    open.delete(key);
    const lastedMs = (ending?.atMs ?? clock.nowMs()) - sinceMs;
    line(
      'over',
      `${text.replace(/[.:].*/s, '')}: over after ${Math.round(lastedMs / 1_000)} s${repeats === 0 ? '' : `, said ${repeats + 1} times`}`,
    );
  }

  const unobserve = log.observe((said) => {
    const word = wordOf(said);
    if (word === null) return;
    if (word.kind === 'is') begin(word.key, word.text);
    else finish(word.key);
  });
  return async () => {
    unobserve();
    for (const { ending } of open.values()) ending?.timer.cancel();
  };
}

/**
 * Names of the fields are those of the places that log them; a key's first word ends all that begin
 * with it.
 */
function wordOf({ event, fields }: LogLine): Word | null {
  switch (event) {
    case 'agents.degraded':
      return {
        kind: 'is',
        key: `agent ${textIn(fields, 'agentId')}`,
        text: `${agentIn(fields)} does not decide: ${sentencesIn(fields['codes'])}`,
      };
    case 'agents.recovered_inputs':
      return { kind: 'over', key: `agent ${textIn(fields, 'agentId')}` };
    case 'user_stream.degraded': {
      const key = `stream ${textIn(fields, 'userId')}`;
      return typeof fields['code'] === 'string'
        ? {
            kind: 'is',
            key,
            text: `orders of ${textIn(fields, 'userId')}: ${sentencesIn([fields['code']])}`,
          }
        : { kind: 'over', key };
    }
    case 'agents.clock_set_back':
      return fields['isSlow'] === true
        ? { kind: 'is', key: 'clock', text: DEGRADED_SENTENCES.clock_set_back }
        : { kind: 'over', key: 'clock' };
    case 'books.reconnecting':
      return {
        kind: 'is',
        key: `books ${textIn(fields, 'venue')}`,
        text: `connection to the order books of ${textIn(fields, 'venue')} lost: ${textIn(fields, 'cause')}`,
      };
    case 'books.reconnected':
      return { kind: 'over', key: `books ${textIn(fields, 'venue')}` };
    case 'feed.reconnecting':
      return {
        kind: 'is',
        key: `feed ${textIn(fields, 'source')}`,
        text: `connection to the prices of ${textIn(fields, 'source')} lost: ${textIn(fields, 'cause')}`,
      };
    case 'feed.reconnected':
      return { kind: 'over', key: `feed ${textIn(fields, 'source')}` };
    case 'money.mismatched':
      return {
        kind: 'is',
        key: `money ${textIn(fields, 'userId')}`,
        text: `ledger and chain of ${textIn(fields, 'userId')} differ: predictd.log says by what`,
      };
    case 'money.reconciled':
      return fields['mismatched'] === 0 ? { kind: 'over', key: 'money' } : null;
    default:
      return null;
  }
}

function agentIn(fields: LogFields): string {
  const agentId = AGENT_IDS.find((each) => each === fields['agentId']);
  return agentId === undefined ? textIn(fields, 'agentId') : AGENT_PROFILES[agentId].title;
}

function textIn(fields: LogFields, name: string): string {
  return plainText(String(fields[name] ?? 'unknown'), DEGRADED_REPORT.causeChars);
}

function sentencesIn(codes: unknown): string {
  const known = Array.isArray(codes)
    ? codes.filter(
        (code): code is DegradedCode =>
          typeof code === 'string' && Object.hasOwn(DEGRADED_SENTENCES, code),
      )
    : [];
  return known.map((code) => DEGRADED_SENTENCES[code]).join(' ');
}
