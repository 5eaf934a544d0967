import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { sharedData } from '../../../support/recordings/shared-data.ts';
import { BOOK_FIGURES } from '../../../../src/sandbox/venues/venue-b/model/book-figures.ts';
import { ladderAt } from '../../../../src/sandbox/venues/venue-b/model/ladder.ts';
import { aModel, marketsIn, NOON_MS } from './a-model.ts';
import type { Wire } from './a-venue.ts';

/** Bids of a book by price in cents, best first. */
type Side = readonly (readonly [cents: number, size: number])[];
interface Sample {
  readonly yes: Side;
  readonly no: Side;
}

const recording = sharedData('data/venue_b-books/depth-2026-07-23.jsonl.gz');

function recorded(path: string): readonly Sample[] {
  const side = (levels: readonly (readonly [number, number])[]): Side =>
    levels.map(([price, size]) => [Math.round(price * 100), size]);
  return gunzipSync(readFileSync(path))
    .toString('utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as { yes: [number, number][]; no: [number, number][] })
    .map(({ yes, no }) => ({ yes: side(yes), no: side(no) }))
    .filter(({ yes, no }) => yes.length > 0 && no.length > 0);
}

/** Modelled books of whole-cent markets, at chances as the recorded ones have them. */
function modelled(chances: readonly number[]): readonly Sample[] {
  const [listing] = marketsIn(aModel().model, 'active').filter(
    ({ structure }) => structure === 'linear_cent',
  );
  if (listing === undefined) throw new Error('nothing is listed');
  const side = (bids: ReadonlyMap<number, number>): Side =>
    [...bids].map(([price, size]) => [price / 100, size]);
  return chances
    .map((chance, index) =>
      ladderAt({
        seed: index,
        listing: { ...listing, ticker: `T${index}`, depth: 1 },
        chance,
        nowMs: 1_000_000 * index,
      }),
    )
    .map(({ yes, no }) => ({ yes: side(yes), no: side(no) }))
    .filter(({ yes, no }) => yes.length > 0 && no.length > 0);
}

function spreadOf({ yes, no }: Sample): number {
  return 100 - (yes[0]?.[0] ?? 0) - (no[0]?.[0] ?? 0);
}

function quantile(values: readonly number[], part: number): number {
  return (
    [...values].sort((one, other) => one - other)[Math.floor(values.length * part)] ?? Number.NaN
  );
}

/** Sizes quoted so many cents behind the best, and in which share of books there are any. */
function behind(samples: readonly Sample[], cents: number) {
  const levels = samples
    .flatMap(({ yes, no }) => [yes, no])
    .filter(([best]) => (best?.[0] ?? 0) - cents > 5)
    .map((side) => side.find(([price]) => price === (side[0]?.[0] ?? 0) - cents)?.[1] ?? 0);
  const quoted = levels.filter((size) => size > 0);
  return { share: quoted.length / levels.length, median: quantile(quoted, 0.5) };
}

describe.runIf(recording !== null)(
  'modelled books of the contract venue beside 2,940 recorded ones',
  () => {
    const real = recorded(recording ?? '');
    const model = modelled(
      real
        .map((sample) => ((sample.yes[0]?.[0] ?? 0) + spreadOf(sample) / 2) / 100)
        .filter((chance) => chance > 0.05 && chance < 0.95),
    );

    it('are as wide in the middle of prices', () => {
      const middle = (samples: readonly Sample[]) =>
        samples
          .filter(({ yes, no }) => (yes[0]?.[0] ?? 0) > 20 && (no[0]?.[0] ?? 0) > 20)
          .map(spreadOf);
      for (const part of [0.25, 0.5])
        expect(
          Math.abs(quantile(middle(model), part) - quantile(middle(real), part)),
        ).toBeLessThanOrEqual(1);
    });

    it('quote as often and as much behind the best', () => {
      for (const cents of [0, 1, 3, 6]) {
        const [as, is] = [behind(real, cents), behind(model, cents)];
        expect(Math.abs(as.share - is.share)).toBeLessThan(0.1);
        expect(is.median / as.median).toBeGreaterThan(0.6);
        expect(is.median / as.median).toBeLessThan(1.7);
      }
    });

    it('hold the figures that are written down', () => {
      for (const cents of [0, 1, 2, 3, 4, 5]) {
        const { share, median } = behind(real, cents);
        expect(Math.abs(share - (BOOK_FIGURES.presence[cents] ?? 0))).toBeLessThan(0.02);
        expect(Math.abs(median / (BOOK_FIGURES.medianSize[cents] ?? 0) - 1)).toBeLessThan(0.02);
      }
      const spreads = real.map((sample) => Math.round(spreadOf(sample)));
      for (const [index, share] of BOOK_FIGURES.spreadShares.entries())
        expect(
          Math.abs(
            spreads.filter((spread) => spread === index + 1).length / spreads.length - share,
          ),
        ).toBeLessThan(0.01);
    });
  },
);

const stream = sharedData('data/venue_b-gold15m-wire/events/KXGOLD15M-26AUG101815-15.ndjson.gz');

/** Best bids of both sides, and the five best of Yes, second by second, as text. */
interface Second {
  readonly top: string;
  readonly near: string;
}

/** Folds the recorded stream of a 15-minute market: the last book of each second. */
function recordedSeconds(path: string): readonly Second[] {
  const book: Record<'yes' | 'no', Map<string, number>> = { yes: new Map(), no: new Map() };
  const seconds = new Map<number, Second>();
  for (const line of gunzipSync(readFileSync(path)).toString('utf8').split('\n')) {
    if (line === '') continue;
    const { recv_ms: atMs, event } = JSON.parse(line) as {
      recv_ms: number;
      event: { type: string; msg: Wire };
    };
    if (event.type === 'orderbook_snapshot')
      for (const side of ['yes', 'no'] as const)
        book[side] = new Map(
          (event.msg[`${side}_dollars_fp`] ?? []).map(([price, size]: [string, string]) => [
            price,
            Number(size),
          ]),
        );
    if (event.type === 'orderbook_delta') {
      const bids = book[event.msg.side as 'yes' | 'no'];
      const size = (bids.get(event.msg.price_dollars) ?? 0) + Number(event.msg.delta_fp);
      if (size > 1e-9) bids.set(event.msg.price_dollars, size);
      else bids.delete(event.msg.price_dollars);
    }
    const [yes, no] = [book.yes, book.no].map((bids) =>
      [...bids].sort(([one], [other]) => (one < other ? 1 : -1)),
    );
    seconds.set(Math.floor(atMs / 1_000), {
      top: `${yes?.[0]?.[0]} ${no?.[0]?.[0]}`,
      near: JSON.stringify(yes?.slice(0, 5)),
    });
  }
  return [...seconds.values()];
}

function changes(seconds: readonly Second[], of: keyof Second): number {
  return (
    seconds.filter((second, index) => index > 0 && second[of] !== seconds[index - 1]?.[of]).length /
    seconds.length
  );
}

describe.runIf(stream !== null)(
  'modelled books of a 15-minute market beside a recorded stream',
  () => {
    it('change as often, at their best prices and near them, within a factor of two', async () => {
      const { model, clock } = aModel({ atMs: NOON_MS - 390_000 });
      const listing = model.market('KXBTC15M-26NOV251215-15');
      if (listing === null) throw new Error('not listed');
      const modelled: Second[] = [];
      for (let second = 0; second < 800; second += 1) {
        const book = model.book(listing);
        const [yes, no] = [[...(book?.yes ?? [])], [...(book?.no ?? [])]];
        modelled.push({
          top: `${yes[0]?.[0]} ${no[0]?.[0]}`,
          near: JSON.stringify(yes.slice(0, 5)),
        });
        await clock.advance(1_000);
      }
      const real = recordedSeconds(stream ?? '');
      for (const of of ['top', 'near'] as const) {
        const factor = changes(modelled, of) / changes(real, of);
        expect(factor).toBeGreaterThan(0.5);
        expect(factor).toBeLessThan(2);
      }
    });
  },
);
