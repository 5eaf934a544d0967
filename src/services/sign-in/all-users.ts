import type { UserId } from '../../domain/ids.ts';
import type { StoreReader } from '../../ports/store.ts';
import { USERS } from './tables.ts';

/** Users read from the store at a time. */
const PAGE = 500;

/** Gives users page by page: one who comes while it runs is given too, or is not. */
export function* allUsers(reader: StoreReader): Generator<UserId> {
  for (
    let page = reader.range(USERS, { limit: PAGE });
    page.length > 0;
    page = reader.range(USERS, { after: page.at(-1)?.key ?? [], limit: PAGE })
  )
    for (const { value } of page) yield value.userId;
}
