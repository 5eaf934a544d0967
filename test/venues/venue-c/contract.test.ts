import { booksContract } from '../../contracts/venue/books.ts';
import { opened } from '../../contracts/venue/fixture.ts';
import { rowContract } from '../../contracts/venue/row.ts';
import { tradingContract } from '../../contracts/venue/trading.ts';
import { withLinkedBooks, withLinkedCatalogue } from '../../support/fixtures/linked-feed.ts';
import { createVenueCWorld } from '../../support/worlds/venue-c-world.ts';

rowContract('venue_c', () => opened(createVenueCWorld()));
tradingContract('venue_c', () => opened(createVenueCWorld()));
booksContract('venue_c', () => opened(createVenueCWorld()));

tradingContract('venue_c, a market of a group', () => opened(createVenueCWorld([], 'of a group')));
booksContract('venue_c over a link', () => withLinkedBooks(opened(createVenueCWorld())));
rowContract('venue_c over a link', () => withLinkedCatalogue(opened(createVenueCWorld())));
