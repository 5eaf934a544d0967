/**
 * What a client was shown of books and prices, so that it can be taken back: while their owner is
 * gone or silent nothing says how old they are (L8).
 */
export interface ShownPrices {
  /** Notes a message as the client gets it. */
  hear(text: string): void;
  /**
   * Returns, of each of these topics that the client was shown as trusted, the change that says it
   * is not any more.
   */
  distrust(topics: ReadonlySet<string>): readonly string[];
}

interface Shown {
  readonly epoch: number;
  readonly seq: number;
  readonly ageMs: number | null;
  readonly heardAtMs: number;
  /** As it came. */
  readonly text: string;
}

/** How messages of these topics begin (`../http/live/README.md`). */
const HEAD =
  /^\{"topic":"((?:orderbook|prices):[^"]+)","kind":"(\w+)","epoch":(\d+),"seq":(\d+),"ageMs":(null|\d+),"trusted":(true|false),/;

export function createShownPrices(nowMs: () => number = () => performance.now()): ShownPrices {
  const shown = new Map<string, Shown>();
  return {
    hear(text) {
      const [, topic = '', kind, epoch, seq, ageMs, trusted] = HEAD.exec(text) ?? [];
      if (kind === undefined) return;
      if (kind === 'ended' || trusted === 'false') return void shown.delete(topic);
      shown.set(topic, {
        epoch: Number(epoch),
        seq: Number(seq),
        ageMs: ageMs === 'null' ? null : Number(ageMs),
        heardAtMs: nowMs(),
        text,
      });
    },
    distrust(topics) {
      const messages: string[] = [];
      for (const [topic, { epoch, seq, ageMs, heardAtMs, text }] of shown) {
        shown.delete(topic);
        if (!topics.has(topic)) continue;
        const { data } = JSON.parse(text) as { readonly data: Readonly<Record<string, unknown>> };
        const age = ageMs === null ? null : Math.round(ageMs + nowMs() - heardAtMs);
        messages.push(
          JSON.stringify({
            topic,
            kind: 'change',
            epoch,
            seq: seq + 1,
            ageMs: age,
            trusted: false,
            data: topic.startsWith('orderbook:') ? bookData(data) : priceData(data),
          }),
        );
      }
      return messages;
    },
  };
}

const DISTRUST = 'disconnected';

/** A change of no level. */
function bookData({ venueAtMs }: Readonly<Record<string, unknown>>): object {
  return { venueAtMs: venueAtMs ?? null, distrust: DISTRUST, bids: [], asks: [] };
}

/** A market's price says why it is in doubt; the exchange's has none then. */
function priceData(data: Readonly<Record<string, unknown>>): object {
  return 'distrust' in data ? { ...data, distrust: DISTRUST } : { ...data, price: null };
}
