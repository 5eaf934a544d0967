// What every program of the sandbox shares: the machine's calls, the accounts it is entered with,
// derived addresses and calls of other programs. Compiled for BPF: at most five arguments and 512
// bytes of stack a function, no globals that are written, no pointers in constants.
#ifndef PREDICTD_PROGRAM_H
#define PREDICTD_PROGRAM_H

typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned int u32;
typedef unsigned long u64;

#define INLINE static inline __attribute__((always_inline))
#define APART static __attribute__((noinline, unused))
#define ACCOUNTS_MAXIMUM 24
#define HEAP 0x300000000ul

typedef struct { const u8 *key; u64 *lamports; u64 length; u8 *data; const u8 *owner; u64 rentEpoch;
                 u8 isSigner, isWritable, isExecutable; } Account;
typedef struct { const u8 *key; u8 isWritable, isSigner; } Meta;
typedef struct { const u8 *program; const Meta *metas; u64 metasLength; const u8 *data; u64 dataLength; } Call;
typedef struct { const u8 *bytes; u64 length; } Slice;
typedef struct { const Slice *seeds; u64 length; } Signer;

void sol_log_(const char *text, u64 length);
u64 sol_invoke_signed_c(const Call *call, const Account *accounts, u64 length, const Signer *signers, u64 signersLength);
u64 sol_try_find_program_address(const Slice *seeds, u64 length, const u8 *program, u8 *address, u8 *bump);
u64 sol_get_clock_sysvar(u8 *clock);
u64 sol_keccak256(const Slice *parts, u64 length, u8 *digest);
u64 sol_memcmp_(const u8 *one, const u8 *other, u64 length, int *result);
void *memcpy(void *to, const void *from, u64 length);
void *memset(void *to, int value, u64 length);

// Everything a program works with, at the start of its heap.
typedef struct {
  Account accounts[ACCOUNTS_MAXIMUM];
  u64 count;
  const u8 *data;
  u64 dataLength;
  const u8 *program;
  u8 *free;       // where the heap has room
  Meta metas[8];  // of the call that is being made
  u64 metasLength;
  u8 *call;       // its data
  u64 callLength;
} Program;

INLINE Program *program(void) { return (Program *)HEAP; }
INLINE int same(const u8 *one, const u8 *other) { int differs; sol_memcmp_(one, other, 32, &differs); return differs == 0; }
INLINE int isText(const u8 *at, const char *text, u64 length) { int differs; sol_memcmp_(at, (const u8 *)text, length, &differs); return differs == 0; }
// A table that held the pointer as a constant could not be relocated.
APART void slice(Slice *at, const void *bytes, u64 length) { at->bytes = bytes; at->length = length; }
INLINE u8 *room(u64 length) { u8 *at = program()->free; program()->free = at + ((length + 7) & ~7ul); return at; }
INLINE u32 u32At(const u8 *at) { return at[0] | at[1] << 8 | at[2] << 16 | (u32)at[3] << 24; }
INLINE u64 rent(u64 bytes) { return (128 + bytes) * 6960; }

// Reads what the machine hands over. Returns 0, or 1 where there are more accounts than fit.
APART u64 enter(u8 *at) {
  Program *p = program();
  p->free = (u8 *)(HEAP + ((sizeof(Program) + 7) & ~7ul));
  u64 count = *(u64 *)at;
  if (count > ACCOUNTS_MAXIMUM) return 1;
  p->count = count;
  at += 8;
  for (u64 index = 0; index < count; index += 1) {
    Account *account = &p->accounts[index];
    if (at[0] != 0xff) { *account = p->accounts[at[0]]; at += 8; continue; }
    account->isSigner = at[1];
    account->isWritable = at[2];
    account->isExecutable = at[3];
    account->key = at + 8;
    account->owner = at + 40;
    account->lamports = (u64 *)(at + 72);
    account->length = *(u64 *)(at + 80);
    account->data = at + 88;
    at = (u8 *)(((u64)at + 88 + account->length + 10240 + 7) & ~7ul);
    account->rentEpoch = *(u64 *)at;
    at += 8;
  }
  p->dataLength = *(u64 *)at;
  p->data = at + 8;
  p->program = p->data + p->dataLength;
  return 0;
}

// The length of an account's data as it is now: other programs may have changed it.
INLINE u64 lengthNow(u64 index) { return *(u64 *)(program()->accounts[index].data - 8); }

// Begins the data of a call; `put*` add to it, `meta` names its accounts, `invoke` makes it.
APART void begin(u64 maximum) { Program *p = program(); p->call = room(maximum); p->callLength = 0; p->metasLength = 0; }
APART void putByte(u8 value) { Program *p = program(); p->call[p->callLength++] = value; }
APART void putBytes(const u8 *from, u64 length) { Program *p = program(); memcpy(p->call + p->callLength, from, length); p->callLength += length; }
APART void putZeros(u64 length) { Program *p = program(); memset(p->call + p->callLength, 0, length); p->callLength += length; }
APART void putU32(u32 value) { for (int shift = 0; shift < 32; shift += 8) putByte(value >> shift); }
APART void putU64(u64 value) { for (int shift = 0; shift < 64; shift += 8) putByte(value >> shift); }
APART void putText(const Slice *text) { putU32(text->length); putBytes(text->bytes, text->length); }
APART void meta(u64 index, u8 isWritable, u8 isSigner) {
  Program *p = program();
  Meta *at = &p->metas[p->metasLength++];
  at->key = p->accounts[index].key;
  at->isWritable = isWritable;
  at->isSigner = isSigner;
}
APART u64 invoke(const u8 *target, const Signer *signers, u64 signersLength) {
  Program *p = program();
  Call call = { target, p->metas, p->metasLength, p->call, p->callLength };
  return sol_invoke_signed_c(&call, p->accounts, p->count, signers, signersLength);
}

// Makes an account at `index`, paid for by `payer`, for a program.
APART u64 createAccount(u64 payer, u64 index, u64 bytes, const u8 *owner, const Signer *signer) {
  static const u8 SYSTEM[32] = {0};
  begin(52);
  putU32(0);
  putU64(rent(bytes));
  putU64(bytes);
  putBytes(owner, 32);
  meta(payer, 1, 1);
  meta(index, 1, 1);
  return invoke(SYSTEM, signer, signer == 0 ? 0 : 1);
}

// Checks that an account lies where these seeds lead; its bump goes to `bump`.
APART u64 isDerived(u64 index, const Slice *seeds, u64 length, const u8 *owner, u8 *bump) {
  u8 address[32];
  return sol_try_find_program_address(seeds, length, owner, address, bump) == 0 &&
         same(address, program()->accounts[index].key);
}
#endif
