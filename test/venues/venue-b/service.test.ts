import { serviceContract } from '../../contracts/venue/service.ts';
import { createVenueBWorld } from '../../support/worlds/venue-b-world.ts';

serviceContract('venue_b', () => createVenueBWorld());
