import { booksContract } from '../../contracts/venue/books.ts';
import { opened } from '../../contracts/venue/fixture.ts';
import { createVenueBWorld } from '../../support/worlds/venue-b-world.ts';

booksContract('venue_b', () => opened(createVenueBWorld()));
