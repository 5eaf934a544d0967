// The exchange Jupiter as far as it is played: `route` of its published interface with the
// accounts of every hop behind its own: the pool's authority, its two accounts, and their tokens.
// Each pool gives by the constant product of what it holds, less three in a thousand; what one pool
// gives goes to the next, and the last one's to the user.
#include "program.h"

enum { TOKEN_PROGRAM, USER, USER_SOURCE, USER_TARGET, TARGET_OTHER, TARGET_MINT, FEE_ACCOUNT, EVENT_AUTHORITY, SELF, HOPS };
enum { AUTHORITY, VAULT_IN, VAULT_OUT, MINT_IN, MINT_OUT, HOP_ACCOUNTS };
// Anchor's own numbers, then those of the interface.
enum { UNKNOWN_INSTRUCTION = 101, NOT_READABLE = 102, WRONG_SEEDS = 2006, MISSING_ACCOUNTS = 3005, NOT_SIGNED = 3010,
       EMPTY_ROUTE = 6000, SLIPPAGE = 6001 };

static const u8 ROUTE[8] = {229, 23, 203, 151, 122, 227, 173, 42};
static const u8 TOKEN_ID[32] = {6, 221, 246, 225, 215, 101, 161, 147, 217, 203, 225, 70, 206, 235, 121, 172,
                                28, 180, 133, 237, 95, 91, 55, 145, 58, 140, 245, 133, 126, 255, 0, 169};
static const u8 ASSOCIATED_ID[32] = {140, 151, 37, 143, 78, 36, 137, 241, 187, 61, 16, 41, 20, 142, 13, 131, 11,
                                     90, 19, 153, 218, 255, 16, 132, 4, 142, 123, 216, 219, 233, 248, 89};

INLINE u64 u64At(const u8 *at) { return u32At(at) | (u64)u32At(at + 4) << 32; }

// one * other / divisor, rounded down; all of it fits in 128 bits and the answer in 64.
APART u64 shareOf(u64 one, u64 other, u64 divisor) {
  u64 low = (one & 0xffffffff) * (other & 0xffffffff);
  u64 left = (one >> 32) * (other & 0xffffffff), right = (one & 0xffffffff) * (other >> 32);
  u64 middle = (low >> 32) + (left & 0xffffffff) + (right & 0xffffffff);
  u64 high = (one >> 32) * (other >> 32) + (left >> 32) + (right >> 32) + (middle >> 32);
  low = (low & 0xffffffff) | middle << 32;
  u64 rest = 0, answer = 0;
  for (int bit = 127; bit >= 0; bit -= 1) {
    u64 carry = rest >> 63;
    rest = rest << 1 | ((bit >= 64 ? high >> (bit - 64) : low >> bit) & 1);
    answer <<= 1;
    if (carry || rest >= divisor) { rest -= divisor; answer |= 1; }
  }
  return answer;
}

typedef struct { Slice pool[3]; u8 bump; } Seeds;

// The pool of a hop is named by the token that is not the dollar, whichever side it is on.
APART u64 checkHop(u64 hop, Seeds *seeds) {
  Program *p = program();
  const Account *a = p->accounts;
  u8 bump;
  slice(&seeds->pool[0], "pool", 4); slice(&seeds->pool[1], a[hop + MINT_IN].key, 32); slice(&seeds->pool[2], &seeds->bump, 1);
  if (!isDerived(hop + AUTHORITY, seeds->pool, 2, p->program, &seeds->bump)) {
    slice(&seeds->pool[1], a[hop + MINT_OUT].key, 32);
    if (!isDerived(hop + AUTHORITY, seeds->pool, 2, p->program, &seeds->bump)) return WRONG_SEEDS;
  }
  Slice vault[3]; slice(&vault[0], a[hop + AUTHORITY].key, 32); slice(&vault[1], TOKEN_ID, 32);
  for (u64 side = 0; side < 2; side += 1) {
    slice(&vault[2], a[hop + MINT_IN + side].key, 32);
    if (!isDerived(hop + VAULT_IN + side, vault, 3, ASSOCIATED_ID, &bump)) return WRONG_SEEDS;
  }
  return 0;
}

APART u64 move(u64 from, u64 to, u64 authority, u64 amount, const Signer *signer) {
  begin(9);
  putByte(3); putU64(amount);
  meta(from, 1, 0); meta(to, 1, 0); meta(authority, 0, 1);
  return invoke(TOKEN_ID, signer, signer == 0 ? 0 : 1);
}

APART u64 outOf(u64 hop, u64 amount) {
  const Account *a = program()->accounts;
  u64 held = u64At(a[hop + VAULT_IN].data + 64), other = u64At(a[hop + VAULT_OUT].data + 64);
  u64 counted = shareOf(amount, 997, 1000);
  return shareOf(other, counted, held + counted);
}

APART u64 route(void) {
  Program *p = program();
  const Account *a = p->accounts;
  if (p->count < HOPS + HOP_ACCOUNTS) return EMPTY_ROUTE;
  if ((p->count - HOPS) % HOP_ACCOUNTS != 0) return MISSING_ACCOUNTS;
  if (!a[USER].isSigner) return NOT_SIGNED;
  if (p->dataLength < 8 + 4 + 19) return NOT_READABLE;
  const u8 *tail = p->data + p->dataLength - 19;
  u64 amount = u64At(tail), quoted = u64At(tail + 8), slippage = tail[16] | tail[17] << 8, failed;
  if (slippage > 10000) return NOT_READABLE;
  u64 from = USER_SOURCE, authority = USER;
  Signer *signer = 0;
  for (u64 hop = HOPS; hop < p->count; hop += HOP_ACCOUNTS) {
    Seeds *seeds = (Seeds *)room(sizeof(Seeds));
    if ((failed = checkHop(hop, seeds))) return failed;
    u64 out = outOf(hop, amount);
    if ((failed = move(from, hop + VAULT_IN, authority, amount, signer))) return failed;
    signer = (Signer *)room(sizeof(Signer));
    signer->seeds = seeds->pool;
    signer->length = 3;
    from = hop + VAULT_OUT;
    authority = hop + AUTHORITY;
    amount = out;
  }
  if (amount < shareOf(quoted, 10000 - slippage, 10000)) return SLIPPAGE;
  return move(from, USER_TARGET, authority, amount, signer);
}

u64 entrypoint(u8 *input) {
  if (enter(input)) return MISSING_ACCOUNTS;
  Program *p = program();
  if (p->dataLength < 8 || !isText(p->data, (const char *)ROUTE, 8)) return UNKNOWN_INSTRUCTION;
  return route();
}
