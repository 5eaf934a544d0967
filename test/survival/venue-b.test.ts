import { describeRows } from './describe-rows.ts';
import { VENUE_B } from './venue-b.ts';

describeRows('venue_b', VENUE_B);
