// The launch platform's program as far as it is played: `create_v2` of the published interface
// (pump.fun, @pump-fun/pump-sdk 2.0.0, src/idl/pump.json), the curve it leaves and the event it
// tells by a call of itself. Curves are not traded.
#include "program.h"

enum { MINT, MINT_AUTHORITY, CURVE, CURVE_TOKENS, GLOBAL, USER, SYSTEM, TOKEN_PROGRAM, ASSOCIATED_PROGRAM,
       MAYHEM, PARAMS, SOL_VAULT, MAYHEM_STATE, MAYHEM_VAULT, EVENT_AUTHORITY, SELF, ACCOUNTS };
// Anchor's own numbers, then those of the interface.
enum { UNKNOWN_INSTRUCTION = 101, NOT_READABLE = 102, WRONG_SEEDS = 2006, MISSING_ACCOUNTS = 3005,
       WRONG_PROGRAM = 3008, NOT_SIGNED = 3010, NAME_TOO_LONG = 6043, SYMBOL_TOO_LONG = 6044,
       URI_TOO_LONG = 6045, MAYHEM_DISABLED = 6048, CASHBACK_DEPRECATED = 6082, HOLDER_REWARD_DISABLED = 6084 };

static const u8 CREATE_V2[8] = {214, 144, 76, 236, 95, 139, 49, 180};
static const u8 EVENT_CALL[8] = {228, 69, 165, 46, 81, 203, 154, 29};
static const u8 CREATE_EVENT[8] = {27, 114, 169, 77, 222, 235, 99, 118};
static const u8 CURVE_ACCOUNT[8] = {23, 183, 248, 55, 96, 216, 172, 96};
static const u8 INITIALIZE_METADATA[8] = {210, 225, 30, 162, 88, 184, 77, 141};
static const u8 UPDATE_AUTHORITY[8] = {215, 228, 166, 228, 84, 100, 86, 123};
static const u8 SYSTEM_ID[32] = {0};
static const u8 TOKEN_ID[32] = {6, 221, 246, 225, 238, 117, 143, 222, 24, 66, 93, 188, 228, 108, 205, 218, 182,
                                26, 252, 77, 131, 185, 13, 39, 254, 189, 249, 40, 216, 161, 139, 252};
static const u8 ASSOCIATED_ID[32] = {140, 151, 37, 143, 78, 36, 137, 241, 187, 61, 16, 41, 20, 142, 13, 131, 11,
                                     90, 19, 153, 218, 255, 16, 132, 4, 142, 123, 216, 219, 233, 248, 89};

#define SUPPLY 1000000000000000ul
#define VIRTUAL_TOKENS 1073000000000000ul
#define REAL_TOKENS 793100000000000ul
#define VIRTUAL_LAMPORTS 30000000000ul
#define CURVE_BYTES 125

typedef struct { Slice name, symbol, uri; const u8 *creator; u8 curveBump, authorityBump, eventBump; } Launch;

// Reads a text; its length is above the maximum where it does not fit the data.
APART u64 takeText(const u8 **at, const u8 *end, Slice *text) {
  if (*at + 4 > end) return 0;
  u64 length = u32At(*at);
  if (length > (u64)(end - *at) - 4) return 0;
  text->bytes = *at + 4;
  text->length = length;
  *at += 4 + length;
  return 1;
}

APART u64 readArguments(Launch *launch) {
  Program *p = program();
  const u8 *at = p->data + 8, *end = p->data + p->dataLength;
  if (!takeText(&at, end, &launch->name) || !takeText(&at, end, &launch->symbol) || !takeText(&at, end, &launch->uri)) return NOT_READABLE;
  if (at + 33 > end) return NOT_READABLE;
  launch->creator = at;
  if (launch->name.length > 32) return NAME_TOO_LONG;
  if (launch->symbol.length > 13) return SYMBOL_TOO_LONG;
  if (launch->uri.length > 200) return URI_TOO_LONG;
  if (at[32] != 0) return MAYHEM_DISABLED;
  if (at + 33 < end && at[33] != 0) return CASHBACK_DEPRECATED;
  if (at + 42 < end && at[42] != 0) return HOLDER_REWARD_DISABLED;
  return 0;
}

APART u64 checkAccounts(Launch *launch) {
  Program *p = program();
  const Account *a = p->accounts;
  if (p->count < ACCOUNTS) return MISSING_ACCOUNTS;
  if (!a[MINT].isSigner || !a[USER].isSigner) return NOT_SIGNED;
  if (!same(a[SYSTEM].key, SYSTEM_ID) || !same(a[TOKEN_PROGRAM].key, TOKEN_ID) ||
      !same(a[ASSOCIATED_PROGRAM].key, ASSOCIATED_ID) || !same(a[SELF].key, p->program)) return WRONG_PROGRAM;
  Slice curve[2]; slice(&curve[0], "bonding-curve", 13); slice(&curve[1], a[MINT].key, 32);
  if (!isDerived(CURVE, curve, 2, p->program, &launch->curveBump)) return WRONG_SEEDS;
  Slice authority[1]; slice(&authority[0], "mint-authority", 14);
  if (!isDerived(MINT_AUTHORITY, authority, 1, p->program, &launch->authorityBump)) return WRONG_SEEDS;
  Slice event[1]; slice(&event[0], "__event_authority", 17);
  if (!isDerived(EVENT_AUTHORITY, event, 1, p->program, &launch->eventBump)) return WRONG_SEEDS;
  u8 bump;
  Slice tokens[3]; slice(&tokens[0], a[CURVE].key, 32); slice(&tokens[1], TOKEN_ID, 32); slice(&tokens[2], a[MINT].key, 32);
  if (!isDerived(CURVE_TOKENS, tokens, 3, ASSOCIATED_ID, &bump)) return WRONG_SEEDS;
  return 0;
}

// The mint with its metadata inside; nobody may change it afterwards.
APART u64 makeMint(Launch *launch, const Signer *authority) {
  const Account *a = program()->accounts;
  u64 textLength = launch->name.length + launch->symbol.length + launch->uri.length;
  begin(52);
  putU32(0);
  putU64(rent(234 + 4 + 64 + 12 + 4 + textLength));
  putU64(234);
  putBytes(TOKEN_ID, 32);
  meta(USER, 1, 1);
  meta(MINT, 1, 1);
  u64 failed = invoke(SYSTEM_ID, 0, 0);
  if (failed) return failed;
  begin(66); // metadata pointer: no authority, and the mint itself
  putByte(39); putByte(0); putZeros(32); putBytes(a[MINT].key, 32);
  meta(MINT, 1, 0);
  if ((failed = invoke(TOKEN_ID, 0, 0))) return failed;
  begin(35); // six decimals, no freeze authority
  putByte(20); putByte(6); putBytes(a[MINT_AUTHORITY].key, 32); putByte(0);
  meta(MINT, 1, 0);
  if ((failed = invoke(TOKEN_ID, 0, 0))) return failed;
  begin(8 + 12 + textLength);
  putBytes(INITIALIZE_METADATA, 8); putText(&launch->name); putText(&launch->symbol); putText(&launch->uri);
  meta(MINT, 1, 0); meta(MINT_AUTHORITY, 0, 0); meta(MINT, 0, 0); meta(MINT_AUTHORITY, 0, 1);
  if ((failed = invoke(TOKEN_ID, authority, 1))) return failed;
  begin(40);
  putBytes(UPDATE_AUTHORITY, 8); putZeros(32);
  meta(MINT, 1, 0); meta(MINT_AUTHORITY, 0, 1);
  return invoke(TOKEN_ID, authority, 1);
}

// All there will ever be goes to the curve.
APART u64 mintSupply(const Signer *authority) {
  begin(1);
  putByte(0);
  meta(USER, 1, 1); meta(CURVE_TOKENS, 1, 0); meta(CURVE, 0, 0); meta(MINT, 0, 0); meta(SYSTEM, 0, 0); meta(TOKEN_PROGRAM, 0, 0);
  u64 failed = invoke(ASSOCIATED_ID, 0, 0);
  if (failed) return failed;
  begin(9);
  putByte(7); putU64(SUPPLY);
  meta(MINT, 1, 0); meta(CURVE_TOKENS, 1, 0); meta(MINT_AUTHORITY, 0, 1);
  if ((failed = invoke(TOKEN_ID, authority, 1))) return failed;
  begin(3);
  putByte(6); putByte(0); putByte(0);
  meta(MINT, 1, 0); meta(MINT_AUTHORITY, 0, 1);
  return invoke(TOKEN_ID, authority, 1);
}

APART u64 makeCurve(Launch *launch, const Signer *curve) {
  Program *p = program();
  u64 failed = createAccount(USER, CURVE, CURVE_BYTES, p->program, curve);
  if (failed) return failed;
  begin(CURVE_BYTES);
  putBytes(CURVE_ACCOUNT, 8);
  putU64(VIRTUAL_TOKENS); putU64(VIRTUAL_LAMPORTS); putU64(REAL_TOKENS); putU64(0); putU64(SUPPLY);
  putByte(0); putBytes(launch->creator, 32); putByte(0); putByte(0); putZeros(32); putU64(0); putByte(0); putByte(0);
  memcpy(p->accounts[CURVE].data, p->call, CURVE_BYTES);
  return 0;
}

APART u64 tell(Launch *launch, const Signer *event) {
  Program *p = program();
  const Account *a = p->accounts;
  u8 clock[40];
  sol_get_clock_sysvar(clock);
  begin(16 + 12 + 245 + 128 + 64 + 128);
  putBytes(EVENT_CALL, 8); putBytes(CREATE_EVENT, 8);
  putText(&launch->name); putText(&launch->symbol); putText(&launch->uri);
  putBytes(a[MINT].key, 32); putBytes(a[CURVE].key, 32); putBytes(a[USER].key, 32); putBytes(launch->creator, 32);
  putBytes(clock + 32, 8);
  putU64(VIRTUAL_TOKENS); putU64(VIRTUAL_LAMPORTS); putU64(REAL_TOKENS); putU64(SUPPLY);
  putBytes(TOKEN_ID, 32); putByte(0); putByte(0); putZeros(32); putU64(VIRTUAL_LAMPORTS); putU64(0); putByte(0);
  meta(EVENT_AUTHORITY, 0, 1);
  return invoke(p->program, event, 1);
}

APART u64 create(Launch *launch) {
  u64 failed = readArguments(launch);
  if (failed || (failed = checkAccounts(launch))) return failed;
  const Account *a = program()->accounts;
  Slice authoritySeeds[2]; slice(&authoritySeeds[0], "mint-authority", 14); slice(&authoritySeeds[1], &launch->authorityBump, 1);
  Signer authority = {authoritySeeds, 2};
  if ((failed = makeMint(launch, &authority)) || (failed = mintSupply(&authority))) return failed;
  Slice curveSeeds[3]; slice(&curveSeeds[0], "bonding-curve", 13); slice(&curveSeeds[1], a[MINT].key, 32); slice(&curveSeeds[2], &launch->curveBump, 1);
  Signer curve = {curveSeeds, 3};
  if ((failed = makeCurve(launch, &curve))) return failed;
  Slice eventSeeds[2]; slice(&eventSeeds[0], "__event_authority", 17); slice(&eventSeeds[1], &launch->eventBump, 1);
  Signer event = {eventSeeds, 2};
  return tell(launch, &event);
}

u64 entrypoint(u8 *input) {
  if (enter(input)) return MISSING_ACCOUNTS;
  Program *p = program();
  if (p->dataLength < 8) return UNKNOWN_INSTRUCTION;
  // its own event: a call of nobody but itself
  if (isText(p->data, (const char *)EVENT_CALL, 8)) return p->count == 1 && p->accounts[0].isSigner ? 0 : NOT_SIGNED;
  if (!isText(p->data, (const char *)CREATE_V2, 8)) return UNKNOWN_INSTRUCTION;
  return create((Launch *)room(sizeof(Launch)));
}
