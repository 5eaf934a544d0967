import { describeRows } from './describe-rows.ts';
import { ENDING } from './ending.ts';

describeRows('ending', ENDING);
