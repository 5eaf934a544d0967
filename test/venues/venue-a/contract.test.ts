import { booksContract } from '../../contracts/venue/books.ts';
import { tradingContract } from '../../contracts/venue/trading.ts';
import { withLinkedBooks } from '../../support/fixtures/linked-feed.ts';
import { startWireVenue } from '../../support/fixtures/wire-venue.ts';

const WIRE = 'venue_a before the sandbox servers, with the funds of';

tradingContract(`${WIRE} a Safe`, () => startWireVenue(2));
tradingContract(`${WIRE} a deposit wallet`, () => startWireVenue(3));
tradingContract(`${WIRE} the key itself`, () => startWireVenue(0));
booksContract('venue_a before the sandbox servers', () => startWireVenue());
booksContract('venue_a before the sandbox servers, over a link', () =>
  withLinkedBooks(startWireVenue()),
);
