import { UP, type Fixture } from '../../conformance/venue-a-fixture.ts';

/** What a library tells of an order it has placed or was asked about. */
export interface Reported {
  /** Empty where it names none. */
  readonly id: string;
  /** In the library's own words, lower case. */
  readonly status: string;
  /** The venue's words on what is wrong, where the library hands them on. */
  readonly error: string;
}

/** A book as a library shows it: whole cents to shares, rounded. */
export interface ShownBook {
  readonly bids: readonly (readonly [price: number, shares: number])[];
  readonly asks: readonly (readonly [price: number, shares: number])[];
}

/** One user's caller of a library, as its documents say it is called. */
export interface Caller {
  /** Places a limit order for the first outcome; throws what the library throws. */
  buy(price: number, shares: number): Promise<Reported>;
  /** Places several at once; null where the library has no such call. */
  readonly buyAll: ((prices: readonly number[]) => Promise<readonly Reported[]>) | null;
  cancel(id: string): Promise<unknown>;
  order(id: string): Promise<Reported>;
  /**
   * All the library tells of the user's trades, as text; null where they cannot be had from the
   * sandbox.
   */
  readonly trades: (() => Promise<string>) | null;
  close(): Promise<void>;
}

/** Keeps one book live, as a library's documents say it is kept. */
export interface Reader {
  /** The newest book; null before the first. */
  book(): ShownBook | null;
  /** True once the library says that something is wrong with it. */
  hasComplained(): boolean;
  close(): Promise<void>;
}

/** A library that is compared with. */
export interface Peer {
  readonly name: string;
  readonly version: string;
  open(fixture: Fixture): Promise<Caller>;
  /** Null where it keeps no live books. */
  readonly read: ((fixture: Fixture) => Promise<Reader>) | null;
}

/** The first outcome's book as the venue has it. */
export function venueBook({ exchange }: Fixture): ShownBook {
  const { bids, asks } = exchange.book(UP);
  const rows = (levels: typeof bids) =>
    levels.map(({ price, size }) => [price / 100, Math.round(size / 1_000_000)] as const);
  return { bids: rows(bids), asks: rows(asks) };
}

/** Passes real time. */
export function wait(ms: number): Promise<void> {
  return new Promise((resolve) => void setTimeout(resolve, ms));
}

/** Words of whatever was thrown. */
export function wordsOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
