import { describeRows } from './describe-rows.ts';
import { SERVICE } from './service.ts';

describeRows('service', SERVICE);
