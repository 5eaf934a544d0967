import { AppError } from '../../src/domain/errors.ts';
import type { Clock } from '../../src/ports/clock.ts';
import type { SimulatedService } from './life.ts';

/** What a user asks of the service. */
export type Request = (service: SimulatedService) => Promise<unknown>;

/** A life that is asked. */
export interface Asked {
  readonly number: number;
  readonly clock: Clock;
  readonly service: SimulatedService;
  /** True as long as it is the one that answers users. */
  isAsked(): boolean;
}

/** What users want until they are answered, whichever life does. */
export interface Requests {
  readonly size: number;
  /** Asks the life that runs, if any, and again the next one. */
  want(request: Request, asked: Asked | null): void;
  /** Asks a life that has just begun all that is unanswered. */
  askAll(asked: Asked): void;
}

/** A user asks again after this long when the store was full, or the venue out of reach. */
export const AGAIN_MS = 5_000;

/** Makes the requests of a day; what no refusal is goes to `complain`. */
export function createRequests(complain: (text: string) => void): Requests {
  const waiting = new Set<Request>();

  function ask(asked: Asked, request: Request): void {
    if (!asked.isAsked()) return;
    request(asked.service).then(
      () => waiting.delete(request),
      (error: unknown) => {
        if (!asked.isAsked()) return;
        if (!(error instanceof AppError))
          complain(`life ${asked.number}: a user was answered ${String(error)}`);
        // A refusal is an answer; a store that cannot write just now, or a venue out of reach,
        // gives none.
        if (
          error instanceof AppError &&
          (error.code === 'store_unavailable' || error.code === 'venue_unavailable')
        )
          asked.clock.after(AGAIN_MS, () => ask(asked, request));
        else waiting.delete(request);
      },
    );
  }

  return {
    get size() {
      return waiting.size;
    },
    want(request, asked) {
      waiting.add(request);
      if (asked !== null) ask(asked, request);
    },
    askAll(asked) {
      for (const request of waiting) ask(asked, request);
    },
  };
}
