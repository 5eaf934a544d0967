import { describeRows } from './describe-rows.ts';
import { HOUSE } from './house.ts';

describeRows('house', HOUSE);
