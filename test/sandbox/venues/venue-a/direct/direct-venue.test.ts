import { booksContract } from '../../../../contracts/venue/books.ts';
import { rowContract } from '../../../../contracts/venue/row.ts';
import { opened } from '../../../../contracts/venue/fixture.ts';
import { tradingContract } from '../../../../contracts/venue/trading.ts';
import { createVenueAWorld } from '../../../../support/worlds/venue-a-world.ts';

tradingContract('venue_a before its model', () => opened(createVenueAWorld()));
booksContract('venue_a before its model, by frames', () => opened(createVenueAWorld()));
booksContract('venue_a before its model, directly', () => opened(createVenueAWorld('direct')));
rowContract('venue_a', () => opened(createVenueAWorld()));
