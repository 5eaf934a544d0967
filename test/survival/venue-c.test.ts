import { describeRows } from './describe-rows.ts';
import { VENUE_C } from './venue-c.ts';

describeRows('venue_c', VENUE_C);
