import { venueContract } from '../../contracts/venue.ts';
import { startWireVenue } from '../../support/wire-venue.ts';

venueContract('the wire adapter before the sandbox servers', startWireVenue);
