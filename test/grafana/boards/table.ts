import type { Board } from '../panel.ts';
import { AGENTS } from './agents.ts';
import { INTERFACES } from './interfaces.ts';
import { MARKETS } from './markets.ts';
import { MONEY } from './money.ts';
import { ORDER_PATH } from './order-path.ts';
import { OVERVIEW } from './overview.ts';
import { PROCESS } from './process.ts';
import { SHARED_LOG } from './shared-log.ts';

/** Every dashboard of the folder predictd, in the order in which they are read. */
export const BOARDS: readonly Board[] = [
  OVERVIEW,
  ORDER_PATH,
  MARKETS,
  AGENTS,
  MONEY,
  INTERFACES,
  PROCESS,
  SHARED_LOG,
];
