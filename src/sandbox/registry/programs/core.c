// Of the asset program (Metaplex Core, @metaplex-foundation/mpl-core 1.10.0) what the agent
// registry calls: an asset without plugins is made in a collection and belongs to its owner.
#include "program.h"

enum { ASSET, COLLECTION, PAYER, OWNER, SYSTEM, ACCOUNTS };
enum { NOT_PLAYED = 0, NOT_READABLE = 2, MISSING_ACCOUNTS = 3, NOT_SIGNED = 4 };

u64 entrypoint(u8 *input) {
  if (enter(input)) return MISSING_ACCOUNTS;
  Program *p = program();
  const Account *a = p->accounts;
  if (p->count < ACCOUNTS) return MISSING_ACCOUNTS;
  if (p->dataLength < 12 || p->data[0] != 20 || p->data[1] != 0) return NOT_READABLE;
  if (!a[ASSET].isSigner || !a[PAYER].isSigner) return NOT_SIGNED;
  // name and uri follow each other as they are stored; two bytes say that there are no plugins
  u64 texts = p->dataLength - 4;
  u64 failed = createAccount(PAYER, ASSET, 1 + 32 + 33 + texts + 1, p->program, 0);
  if (failed) return failed;
  begin(1 + 32 + 33 + texts + 1);
  putByte(1); putBytes(a[OWNER].key, 32);
  putByte(2); putBytes(a[COLLECTION].key, 32); // whoever may change the collection may change it
  putBytes(p->data + 2, texts);
  putByte(0); // no sequence number
  memcpy(a[ASSET].data, p->call, p->callLength);
  return 0;
}
