import { booksContract } from '../../contracts/venue/books.ts';
import { opened } from '../../contracts/venue/fixture.ts';
import { tradingContract } from '../../contracts/venue/trading.ts';
import { createVenueBWorld } from '../../support/worlds/venue-b-world.ts';

const AT_ONCE = { restsAt: 'service' } as const;

booksContract('venue_b', () => opened(createVenueBWorld()));
tradingContract('venue_b', () => opened(createVenueBWorld(), 20), AT_ONCE);
