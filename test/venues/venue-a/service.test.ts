import { serviceContract } from '../../contracts/venue/service.ts';
import { createVenueAWorld } from '../../support/worlds/venue-a-world.ts';

serviceContract('venue_a', () => createVenueAWorld());
