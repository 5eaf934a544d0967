import { opened } from '../../contracts/venue/fixture.ts';
import { rowContract } from '../../contracts/venue/row.ts';
import { createVenueBWorld } from '../../support/worlds/venue-b-world.ts';

rowContract('venue_b', () => opened(createVenueBWorld()));
rowContract('venue_b over sockets', () => opened(createVenueBWorld({ overSockets: true }), 20));
