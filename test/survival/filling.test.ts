import { describeRows } from './describe-rows.ts';
import { FILLING } from './filling.ts';

describeRows('filling', FILLING);
