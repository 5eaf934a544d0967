// The bridge Across on Solana as far as it is played: `deposit` of its published program
// (across-protocol/contracts, programs/svm-spoke): what is bridged goes from the depositor's
// account to the vault by the right that a derived delegate was given over exactly it. Who fills
// reads the arguments; nothing is filled or refunded here.
#include "program.h"

enum { SIGNER, STATE, DELEGATE, FROM, VAULT, MINT, TOKEN_PROGRAM, ASSOCIATED_PROGRAM, SYSTEM, EVENT_AUTHORITY, SELF, ACCOUNTS };
// Anchor's own numbers, then those of the program.
enum { UNKNOWN_INSTRUCTION = 101, NOT_READABLE = 102, WRONG_SEEDS = 2006, MISSING_ACCOUNTS = 3005, NOT_SIGNED = 3010,
       PASSED_DEADLINE = 6002, WRONG_MINT = 6006 };

static const u8 DEPOSIT[8] = {242, 35, 198, 137, 82, 225, 242, 182};
static const u8 TOKEN_ID[32] = {6, 221, 246, 225, 215, 101, 161, 147, 217, 203, 225, 70, 206, 235, 121, 172,
                                28, 180, 133, 237, 95, 91, 55, 145, 58, 140, 245, 133, 126, 255, 0, 169};
static const u8 ASSOCIATED_ID[32] = {140, 151, 37, 143, 78, 36, 137, 241, 187, 61, 16, 41, 20, 142, 13, 131, 11,
                                     90, 19, 153, 218, 255, 16, 132, 4, 142, 123, 216, 219, 233, 248, 89};

// Where the arguments are; the message comes last, its length before it.
#define INPUT_TOKEN 72
#define INPUT_AMOUNT 136
#define FILL_DEADLINE 220
#define MESSAGE 228

INLINE u64 u64At(const u8 *at) { return u32At(at) | (u64)u32At(at + 4) << 32; }

APART u64 checkAccounts(void) {
  Program *p = program();
  const Account *a = p->accounts;
  u8 bump;
  if (p->count < ACCOUNTS) return MISSING_ACCOUNTS;
  if (!a[SIGNER].isSigner) return NOT_SIGNED;
  if (!same(a[MINT].key, p->data + INPUT_TOKEN)) return WRONG_MINT;
  u8 *zeros = room(8); memset(zeros, 0, 8);
  Slice state[2]; slice(&state[0], "state", 5); slice(&state[1], zeros, 8);
  if (!isDerived(STATE, state, 2, p->program, &bump)) return WRONG_SEEDS;
  Slice vault[3]; slice(&vault[0], a[STATE].key, 32); slice(&vault[1], TOKEN_ID, 32); slice(&vault[2], a[MINT].key, 32);
  if (!isDerived(VAULT, vault, 3, ASSOCIATED_ID, &bump)) return WRONG_SEEDS;
  return 0;
}

APART u64 ensureVault(void) {
  if (program()->accounts[VAULT].length > 0) return 0;
  begin(1);
  putByte(1);
  meta(SIGNER, 1, 1); meta(VAULT, 1, 0); meta(STATE, 0, 0); meta(MINT, 0, 0); meta(SYSTEM, 0, 0); meta(TOKEN_PROGRAM, 0, 0);
  return invoke(ASSOCIATED_ID, 0, 0);
}

APART u64 deposit(void) {
  Program *p = program();
  u8 clock[40], digest[32], bump;
  if (p->dataLength < MESSAGE + 4 || p->dataLength - MESSAGE - 4 != u32At(p->data + MESSAGE)) return NOT_READABLE;
  u64 failed = checkAccounts();
  if (failed) return failed;
  sol_get_clock_sysvar(clock);
  if (u32At(p->data + FILL_DEADLINE) < u64At(clock + 32)) return PASSED_DEADLINE;
  Slice arguments[1]; slice(&arguments[0], p->data + 8, p->dataLength - 8);
  sol_keccak256(arguments, 1, digest);
  Slice seeds[3]; slice(&seeds[0], "delegate", 8); slice(&seeds[1], digest, 32);
  if (!isDerived(DELEGATE, seeds, 2, p->program, &bump)) return WRONG_SEEDS;
  slice(&seeds[2], &bump, 1);
  if ((failed = ensureVault())) return failed;
  Signer delegate = {seeds, 3};
  begin(10);
  putByte(12); putU64(u64At(p->data + INPUT_AMOUNT)); putByte(p->accounts[MINT].data[44]);
  meta(FROM, 1, 0); meta(MINT, 0, 0); meta(VAULT, 1, 0); meta(DELEGATE, 0, 1);
  return invoke(TOKEN_ID, &delegate, 1);
}

u64 entrypoint(u8 *input) {
  if (enter(input)) return MISSING_ACCOUNTS;
  Program *p = program();
  if (p->dataLength < 8 || !isText(p->data, (const char *)DEPOSIT, 8)) return UNKNOWN_INSTRUCTION;
  return deposit();
}
