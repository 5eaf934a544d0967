import { describeRows } from './describe-rows.ts';
import { SUBMITTING } from './submitting.ts';

describeRows('submitting', SUBMITTING);
