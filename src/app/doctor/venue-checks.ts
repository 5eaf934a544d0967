import { asId, type Address, type TokenId } from '../../domain/ids.ts';
import type { ClosedVenue } from '../../services/venues.ts';
import type { PositionsView } from '../../ports/positions-view.ts';
import type { OrderSponsor, Venue } from '../../ports/venue.ts';
import { check, fail, ok, skipped, skippedCheck, warn, type Check, type Finding } from './check.ts';

type CheckedVenue = Pick<Venue, 'id' | 'browsing' | 'books' | 'access' | 'prices' | 'sponsor'>;

/** Markets that are asked for; the first of them with a book is the one that is followed. */
const MARKETS_ASKED = 5;

/** Checks of each venue by the ports that orders go by, none of which is a write. */
export function venueChecks(
  venues: readonly CheckedVenue[],
  closed: readonly Pick<ClosedVenue, 'id' | 'reason'>[],
): readonly Check[] {
  return [
    ...closed.map(({ id, reason }) =>
      check(id, { level: 'warn', remedy: 'run doctor again' }, async () =>
        warn(`it is not opened: ${reason}`, 'set what is missing, or do without this venue'),
      ),
    ),
    ...venues.flatMap(checksOf),
  ];
}

/** An account that no key opens. */
const NO_ACCOUNT = asId<Address>(`0x${'0'.repeat(40)}`);

/** Checks of each view-only venue: the portfolio of an account that is no user's. */
export function viewChecks(views: readonly Omit<PositionsView, 'close'>[]): readonly Check[] {
  return views.map(({ id, positions }) => {
    const remedy = `see whether ${id} is down, and whether its address and key are right; all else goes on without it`;
    return check(`${id} portfolio`, { level: 'warn', remedy }, async () => {
      await positions(NO_ACCOUNT, new AbortController().signal);
      return ok('it answers with the positions of an account');
    });
  });
}

function checksOf(venue: CheckedVenue): readonly Check[] {
  const { id, access, prices, sponsor } = venue;
  const found = once(() => findTokens(venue));
  const lost = {
    level: 'fail',
    remedy: `see whether ${id} is down, and whether its addresses and keys are right`,
  } as const;
  return [
    check(`${id} markets`, lost, async () => {
      const { markets, tokenIds } = await found();
      return tokenIds.length === 0
        ? warn(
            `it lists ${markets} open markets, none of which has a book`,
            'see its status page: it may be closed for maintenance',
          )
        : ok(`it lists open markets, and one of them has a book`);
    }),
    check(`${id} live book`, lost, () => liveBook(venue, found)),
    check(`${id} region`, lost, async () => {
      if (access === null) return skipped('it cannot be asked whether it takes orders from here');
      return (await access.isBlocked())
        ? fail(
            'it takes no orders from where this machine calls from',
            'move the machine to where it does; never send orders through a proxy',
          )
        : ok('its website says that it takes orders from here');
    }),
    sponsor === undefined
      ? skippedCheck(`${id} sponsor`, 'no account of the service pays the network for its orders')
      : check(`${id} sponsor`, { ...lost, level: 'warn' }, () => sponsorFinding(sponsor)),
    ...(prices === null
      ? []
      : [
          check(`${id} prices`, { ...lost, level: 'warn' }, async () => {
            const tick = await firstOf<{ readonly asset: string }>((next, error) =>
              prices.watch(['BTC'], { next, error }),
            );
            return ok(`a price of ${tick.asset} came by its socket`);
          }),
        ]),
  ];
}

async function sponsorFinding(sponsor: OrderSponsor): Promise<Finding> {
  const { address, dailyLamports } = sponsor;
  const held = await sponsor.lamports();
  const text = `${address} holds ${held} lamports, and pays ${dailyLamports} a day at most`;
  return held < BigInt(dailyLamports)
    ? warn(`${text}: without them each user pays`, `send SOL to ${address}`)
    : ok(text);
}

interface FoundTokens {
  readonly markets: number;
  /** Both outcomes of the first market that has a book; empty without one. */
  readonly tokenIds: readonly TokenId[];
}

async function findTokens({ browsing }: CheckedVenue): Promise<FoundTokens> {
  const { data } = await browsing.directory.markets({
    limit: MARKETS_ASKED,
    cursor: null,
    state: 'active',
    sort: 'volume',
  });
  for (const { market } of data) {
    const [first, second] = market.outcomes;
    if ((await browsing.books.snapshot(first.tokenId)) !== null)
      return { markets: data.length, tokenIds: [first.tokenId, second.tokenId] };
  }
  return { markets: data.length, tokenIds: [] };
}

async function liveBook(
  { books }: CheckedVenue,
  found: () => Promise<FoundTokens>,
): Promise<Finding> {
  if (books === null) return skipped('it streams no books');
  const { tokenIds } = await found();
  if (tokenIds.length === 0) return skipped('no market with a book was found to follow');
  await firstOf<unknown>((next, error) => {
    const watch = books.watch(tokenIds, {
      next: (change) => void (change.kind === 'book' && change.epoch > 0 && next(change)),
      error,
    });
    return () => watch.stop();
  });
  return ok('its socket takes the subscription and sends the book');
}

/** Resolves with the first value of a source, which is stopped then. */
export function firstOf<T>(
  watch: (next: (value: T) => void, error: (cause: unknown) => void) => () => void,
): Promise<T> {
  return new Promise((resolve, reject) => {
    let stop: (() => void) | null = null;
    let isOver = false;
    const over = (): void => {
      isOver = true;
      stop?.();
    };
    stop = watch(
      (value) => {
        over();
        resolve(value);
      },
      (cause) => {
        over();
        reject(cause instanceof Error ? cause : new Error(String(cause)));
      },
    );
    if (isOver) stop();
  });
}

/** Makes what is done once, however often its answer is wanted. */
export function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | null = null;
  return () => (made ??= make());
}
