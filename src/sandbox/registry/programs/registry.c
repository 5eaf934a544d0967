// The agent registry's program as far as it is played (8004-solana 0.8.3, its instruction builder,
// seal and account layouts): entries are made and feedback is left; ATOM stays off.
#include "program.h"

enum { ROOT, CONFIG, AGENT, ASSET, COLLECTION, OWNER, SYSTEM, CORE, REGISTER_ACCOUNTS };
enum { CLIENT, RATED, RATED_ASSET, RATED_COLLECTION, FEEDBACK_ACCOUNTS = 5 };
// Anchor's own numbers, then ours: those of the real program are not published.
enum { UNKNOWN_INSTRUCTION = 101, NOT_READABLE = 102, WRONG_SEEDS = 2006, MISSING_ACCOUNTS = 3005,
       WRONG_OWNER = 3007, WRONG_PROGRAM = 3008, NOT_SIGNED = 3010, TEXT_TOO_LONG = 6000, OUT_OF_RANGE = 6001,
       OWN_AGENT = 6002, WRONG_COLLECTION = 6003, ATOM_NOT_PLAYED = 6004 };

static const u8 REGISTER[8] = {211, 124, 67, 15, 211, 194, 178, 240};
static const u8 REGISTER_WITH_OPTIONS[8] = {177, 175, 96, 41, 59, 166, 13, 6};
static const u8 GIVE_FEEDBACK[8] = {145, 136, 123, 3, 215, 165, 98, 41};
static const u8 AGENT_ACCOUNT[8] = {241, 119, 69, 140, 233, 9, 112, 50};
static const u8 CORE_ID[32] = {175, 84, 171, 16, 189, 151, 165, 66, 160, 158, 247, 179, 152, 137, 221, 12,
                               211, 148, 164, 204, 233, 223, 166, 205, 201, 126, 190, 45, 35, 91, 167, 72};
#define TEXT_MAXIMUM 250
#define NAME_LENGTH 5
#define DIGEST_AT 139 // of feedback: behind the discriminator, four keys, two bytes and no wallet
#define AGENT_BYTES (8 + 128 + 2 + 1 + 3 * 40 + 1 + 2 + 12 + NAME_LENGTH)

APART u64 takeText(const u8 **at, const u8 *end, Slice *text, u64 maximum) {
  if (*at + 4 > end) return NOT_READABLE;
  u64 length = u32At(*at);
  if (length > (u64)(end - *at) - 4) return NOT_READABLE;
  slice(text, *at + 4, length);
  *at += 4 + length;
  return length > maximum ? TEXT_TOO_LONG : 0;
}

// Has the other program make the asset that the entry is, in the registry's collection.
APART u64 makeAsset(const Slice *uri) {
  Slice name; slice(&name, "Agent", NAME_LENGTH);
  begin(64 + uri->length);
  putByte(20); putByte(0); // create, its data in an account
  putText(&name); putText(uri);
  putByte(0); putByte(0); // no plugins, no external ones
  meta(ASSET, 1, 1); meta(COLLECTION, 1, 0); meta(OWNER, 1, 1); meta(OWNER, 0, 1); meta(SYSTEM, 0, 0);
  return invoke(CORE_ID, 0, 0);
}

APART void writeAgent(const Slice *uri, u8 bump) {
  const Account *a = program()->accounts;
  Slice name; slice(&name, "Agent", NAME_LENGTH);
  begin(AGENT_BYTES + uri->length);
  putBytes(AGENT_ACCOUNT, 8);
  putBytes(a[COLLECTION].key, 32); putBytes(a[OWNER].key, 32); putBytes(a[OWNER].key, 32); putBytes(a[ASSET].key, 32);
  putByte(bump); putByte(0); putByte(0); // ATOM off, no wallet of its own
  putZeros(3 * 40 + 3); // three chains that begin, no parent, nothing locked
  putText(uri); putText(&name); putU32(0);
  memcpy(a[AGENT].data, program()->call, program()->callLength);
}

APART u64 registerAgent(u64 hasOptions) {
  Program *p = program();
  const Account *a = p->accounts;
  Slice uri;
  const u8 *at = p->data + 8, *end = p->data + p->dataLength;
  u64 failed = takeText(&at, end, &uri, TEXT_MAXIMUM);
  if (failed) return failed;
  if (hasOptions && (at >= end || *at != 0)) return ATOM_NOT_PLAYED;
  if (p->count < REGISTER_ACCOUNTS) return MISSING_ACCOUNTS;
  if (!a[ASSET].isSigner || !a[OWNER].isSigner) return NOT_SIGNED;
  if (!same(a[CORE].key, CORE_ID)) return WRONG_PROGRAM;
  u8 bump;
  Slice root[1]; slice(&root[0], "root_config", 11);
  if (!isDerived(ROOT, root, 1, p->program, &bump)) return WRONG_SEEDS;
  if (!same(a[ROOT].data + 8, a[COLLECTION].key)) return WRONG_COLLECTION;
  Slice config[2]; slice(&config[0], "registry_config", 15); slice(&config[1], a[COLLECTION].key, 32);
  if (!isDerived(CONFIG, config, 2, p->program, &bump)) return WRONG_SEEDS;
  Slice seeds[3]; slice(&seeds[0], "agent", 5); slice(&seeds[1], a[ASSET].key, 32); slice(&seeds[2], &bump, 1);
  if (!isDerived(AGENT, seeds, 2, p->program, &bump)) return WRONG_SEEDS;
  if ((failed = makeAsset(&uri))) return failed;
  Signer agent = {seeds, 3};
  if ((failed = createAccount(OWNER, AGENT, AGENT_BYTES + uri.length, p->program, &agent))) return failed;
  writeAgent(&uri, bump);
  return 0;
}

typedef struct { const u8 *value; u8 decimals, hasScore, score; const u8 *fileHash; Slice texts[4]; } Feedback;

APART u64 readFeedback(Feedback *feedback) {
  Program *p = program();
  const u8 *at = p->data + 8, *end = p->data + p->dataLength;
  if (at + 18 > end) return NOT_READABLE;
  feedback->value = at;
  feedback->decimals = at[16];
  feedback->hasScore = at[17];
  at += 18;
  if (feedback->hasScore > 1) return NOT_READABLE;
  feedback->score = feedback->hasScore ? *at++ : 0;
  if (feedback->decimals > 18 || feedback->score > 100) return OUT_OF_RANGE;
  if (at >= end) return NOT_READABLE;
  u8 hasHash = *at++;
  if (hasHash > 1 || (hasHash && at + 32 > end)) return NOT_READABLE;
  feedback->fileHash = hasHash ? at : 0;
  if (hasHash) at += 32;
  for (u64 index = 0; index < 4; index += 1) {
    u64 failed = takeText(&at, end, &feedback->texts[index], index < 2 ? 32 : TEXT_MAXIMUM);
    if (failed) return failed;
  }
  return 0;
}

// The digest of what was said ("SEAL v1").
APART void seal(const Feedback *feedback, u8 *digest) {
  begin(36 + 32 + 4 * 2 + 2 * 32 + 2 * TEXT_MAXIMUM);
  putBytes((const u8 *)"8004_SEAL_V1____", 16);
  putBytes(feedback->value, 16);
  putByte(feedback->decimals); putByte(feedback->hasScore); putByte(feedback->score);
  putByte(feedback->fileHash != 0);
  if (feedback->fileHash) putBytes(feedback->fileHash, 32);
  for (u64 index = 0; index < 4; index += 1) {
    u64 length = feedback->texts[index].length;
    putByte(length); putByte(length >> 8);
    putBytes(feedback->texts[index].bytes, length);
  }
  Slice whole[1]; slice(&whole[0], program()->call, program()->callLength);
  sol_keccak256(whole, 1, digest);
}

// Appends it to the agent's chain of feedback, with who said it, its number and the slot.
APART void append(const u8 *sealed) {
  const Account *a = program()->accounts;
  u8 *digest = a[RATED].data + DIGEST_AT, *count = digest + 32;
  u8 clock[40], leaf[32];
  sol_get_clock_sysvar(clock);
  Slice parts[6];
  slice(&parts[0], "8004_LEAF_V1____", 16); slice(&parts[1], a[RATED_ASSET].key, 32); slice(&parts[2], a[CLIENT].key, 32);
  slice(&parts[3], count, 8); slice(&parts[4], sealed, 32); slice(&parts[5], clock, 8);
  sol_keccak256(parts, 6, leaf);
  Slice link[3];
  slice(&link[0], digest, 32); slice(&link[1], "8004_FEEDBACK_V1", 16); slice(&link[2], leaf, 32);
  u8 next[32];
  sol_keccak256(link, 3, next);
  memcpy(digest, next, 32);
  *(u64 *)leaf = 0;
  memcpy(leaf, count, 8);
  *(u64 *)leaf += 1;
  memcpy(count, leaf, 8);
}

APART u64 giveFeedback(Feedback *feedback) {
  Program *p = program();
  const Account *a = p->accounts;
  u64 failed = readFeedback(feedback);
  if (failed) return failed;
  if (p->count < FEEDBACK_ACCOUNTS) return MISSING_ACCOUNTS;
  if (!a[CLIENT].isSigner) return NOT_SIGNED;
  u8 bump;
  Slice seeds[2]; slice(&seeds[0], "agent", 5); slice(&seeds[1], a[RATED_ASSET].key, 32);
  if (!isDerived(RATED, seeds, 2, p->program, &bump)) return WRONG_SEEDS;
  if (!same(a[RATED].owner, p->program)) return WRONG_OWNER;
  if (!same(a[RATED].data + 8, a[RATED_COLLECTION].key)) return WRONG_COLLECTION;
  if (same(a[RATED].data + 72, a[CLIENT].key)) return OWN_AGENT;
  u8 digest[32];
  seal(feedback, digest);
  append(digest);
  return 0;
}

u64 entrypoint(u8 *input) {
  if (enter(input)) return MISSING_ACCOUNTS;
  Program *p = program();
  if (p->dataLength < 8) return UNKNOWN_INSTRUCTION;
  if (isText(p->data, (const char *)REGISTER, 8)) return registerAgent(0);
  if (isText(p->data, (const char *)REGISTER_WITH_OPTIONS, 8)) return registerAgent(1);
  if (isText(p->data, (const char *)GIVE_FEEDBACK, 8)) return giveFeedback((Feedback *)room(sizeof(Feedback)));
  return UNKNOWN_INSTRUCTION;
}
