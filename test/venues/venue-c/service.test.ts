import { serviceContract } from '../../contracts/venue/service.ts';
import { createVenueCWorld } from '../../support/worlds/venue-c-world.ts';

serviceContract('venue_c', () => createVenueCWorld());
