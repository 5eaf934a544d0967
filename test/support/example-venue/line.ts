import type { Clock } from '../../../src/ports/clock.ts';
import type { ExampleExchange, ExampleNews } from './exchange.ts';

const LATENCY_MS = 5;

/** The way to the example venue and back. */
export interface Line {
  readonly exchange: ExampleExchange;
  readonly clock: Clock;
  /** Asks the venue: it is there after the latency, and the answer as long after that. */
  call<T>(run: () => T): Promise<T>;
  /** Has something arrive there, unheard. */
  later(run: () => void): void;
  /**
   * Hears the venue's news as far as they mean something; `opened` comes first. Returns what ends
   * it.
   */
  hear<T>(
    meaning: (news: ExampleNews) => T | null,
    reported: (meant: T) => void,
    opened: () => void,
  ): () => void;
  /** Ends it as a kill does: what has left arrives, nothing else leaves, nothing is heard. */
  cut(): void;
}

/** Makes a line to the venue. */
export function createLine(exchange: ExampleExchange, clock: Clock): Line {
  let isCut = false;
  const stops = new Set<() => void>();
  const back = (run: () => void) =>
    clock.after(LATENCY_MS, () => {
      if (!isCut) run();
    });
  return {
    exchange,
    clock,
    call: (run) =>
      new Promise((resolve) => {
        if (isCut) return;
        clock.after(LATENCY_MS, () => {
          const answer = run();
          back(() => resolve(answer));
        });
      }),
    later(run) {
      if (!isCut) clock.after(LATENCY_MS, run);
    },
    hear(meaning, reported, opened) {
      let isOver = false;
      const say = (run: () => void) =>
        back(() => {
          if (!isOver) run();
        });
      const unsubscribe = exchange.subscribe((news) => {
        const meant = meaning(news);
        if (meant !== null) say(() => reported(meant));
      });
      say(opened);
      const stop = (): void => {
        isOver = true;
        unsubscribe();
        stops.delete(stop);
      };
      stops.add(stop);
      return stop;
    },
    cut() {
      isCut = true;
      for (const stop of stops) stop();
    },
  };
}
