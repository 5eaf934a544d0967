import { describeRows } from './describe-rows.ts';
import { MARKET_DATA } from './market-data.ts';

describeRows('market-data', MARKET_DATA);
