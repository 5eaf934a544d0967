import { createReader, type ReadBook, type Reader, type ReaderOptions } from './reader.ts';

/** What the parent asks of a process of readers. */
export type ReadersOrder =
  | { readonly kind: 'open'; readonly readers: readonly ReaderOptions[] }
  /** Cuts all sockets at once and opens them again at once. */
  | { readonly kind: 'reconnect' }
  /** Compares what every reader has with what it should have. */
  | { readonly kind: 'compare'; readonly books: Readonly<Record<string, WireBook>> };

/** A book as text, for comparing: levels sorted by price. */
export interface WireBook {
  readonly seq: number;
  readonly bids: string;
  readonly asks: string;
}

/** What it answers. */
export type ReadersAnswer =
  | { readonly kind: 'opened' }
  /** Milliseconds from the moment all were cut to the moment each had whole books again. */
  | { readonly kind: 'reconnected'; readonly tookMs: readonly number[] }
  | {
      readonly kind: 'compared';
      readonly equal: number;
      readonly holes: number;
      readonly example: string | null;
    };

/** Sockets that are opened at a time when there is no hurry. */
const AT_ONCE = 100;
const AGAIN_AFTER_MS = 200;

let readers: readonly Reader[] = [];

/** Writes a book so that equal books give equal texts. */
export function wireBook({ seq, bids, asks }: ReadBook): WireBook {
  const side = (levels: ReadonlyMap<string, string>): string =>
    [...levels]
      .map(([price, size]) => `${price}:${size}`)
      .sort()
      .join(' ');
  return { seq, bids: side(bids), asks: side(asks) };
}

async function open(options: readonly ReaderOptions[]): Promise<ReadersAnswer> {
  readers = options.map(createReader);
  for (let from = 0; from < readers.length; from += AT_ONCE)
    await Promise.all(readers.slice(from, from + AT_ONCE).map((reader) => reader.open()));
  return { kind: 'opened' };
}

async function reconnect(): Promise<ReadersAnswer> {
  const startedAt = performance.now();
  for (const reader of readers) reader.cut();
  const tookMs = await Promise.all(
    readers.map(async (reader) => {
      await untilOpen(reader);
      return performance.now() - startedAt;
    }),
  );
  return { kind: 'reconnected', tookMs };
}

/** A reader that is refused comes again, as clients do. */
async function untilOpen(reader: Reader): Promise<void> {
  for (;;) {
    const isOpen = await reader.open().then(
      () => true,
      () => false,
    );
    if (isOpen) return;
    await new Promise((resolve) => setTimeout(resolve, AGAIN_AFTER_MS));
  }
}

function compare(books: Readonly<Record<string, WireBook>>): ReadersAnswer {
  const differing = readers.flatMap((reader) =>
    [...reader.books()].flatMap(([topic, book]) => {
      const [has, wanted] = [JSON.stringify(wireBook(book)), JSON.stringify(books[topic])];
      return has === wanted ? [] : [{ reader, text: `${topic}: ${has} instead of ${wanted}` }];
    }),
  );
  const wrong = new Set(differing.map(({ reader }) => reader));
  return {
    kind: 'compared',
    equal: readers.filter((reader) => reader.books().size > 0 && !wrong.has(reader)).length,
    holes: readers.reduce((sum, reader) => sum + reader.holes(), 0),
    example: differing[0]?.text ?? null,
  };
}

process.on('message', (order: ReadersOrder) => {
  const answer = async (): Promise<ReadersAnswer> =>
    order.kind === 'open'
      ? open(order.readers)
      : order.kind === 'reconnect'
        ? reconnect()
        : compare(order.books);
  void answer().then(
    (said) => process.send?.(said),
    (error: unknown) => {
      console.error(error);
      process.exit(1);
    },
  );
});
