// Links one object of clang's BPF target into a program that Solana's first loader takes: a shared
// object laid out as the network's own early programs are (local-stack.md, "Programs of our own").
// Only what such objects hold is known here; anything else is refused.

const SECTION_BYTES = 64;
const NAMES = '.text .rodata .dynamic .dynsym .dynstr .rel.dyn .shstrtab'.split(' ');
/** The machine's own names of what the compiler calls by the standard ones. */
const RENAMED = { memcpy: 'sol_memcpy_', memset: 'sol_memset_', memmove: 'sol_memmove_' };

/** Returns the linked program of an object file. Throws on what it does not know. */
export function linkProgram(object) {
  const sections = readSections(object);
  const text = sections.find(({ name }) => name === '.text');
  const constants = sections.filter(({ name }) => name.startsWith('.rodata'));
  const foreign = sections.filter(
    ({ name, size }) => size > 0 && /^\.(data|bss|text\.)/.test(name),
  );
  if (foreign.length > 0) throw new Error(`no room for ${foreign.map(({ name }) => name)}`);
  const pointing = sections.filter(
    ({ type, info }) => type === 9 && constants.some(({ index }) => index === info),
  );
  if (pointing.length > 0) throw new Error('constants hold pointers, which are not relocated');
  const code = Buffer.from(object.subarray(text.offset, text.offset + text.size));
  const textAt = SECTION_BYTES + 4 * 56;
  const places = new Map([[text.index, textAt]]);
  let end = align(textAt + code.length);
  const constantsAt = end;
  for (const section of constants) {
    places.set(section.index, align(end, 16));
    end = align(end, 16) + section.size;
  }
  const constantBytes = Buffer.alloc(end - constantsAt);
  for (const { index, offset, size } of constants)
    object.copy(constantBytes, places.get(index) - constantsAt, offset, offset + size);
  const symbols = readSymbols(object, sections);
  const entry = symbols.find(({ name }) => name === 'entrypoint');
  const dynamic = relocate({ object, sections, symbols, text, places, code });
  return write({
    code,
    textAt,
    constantBytes,
    constantsAt,
    entryAt: textAt + entry.value,
    dynamic,
  });
}

function readSections(object) {
  const [table, count, namesIndex] = [
    Number(object.readBigUInt64LE(40)),
    object.readUInt16LE(60),
    object.readUInt16LE(62),
  ];
  const rows = Array.from({ length: count }, (_, index) => {
    const at = table + index * SECTION_BYTES;
    return {
      index,
      nameAt: object.readUInt32LE(at),
      type: object.readUInt32LE(at + 4),
      offset: Number(object.readBigUInt64LE(at + 24)),
      size: Number(object.readBigUInt64LE(at + 32)),
      link: object.readUInt32LE(at + 40),
      info: object.readUInt32LE(at + 44),
    };
  });
  return rows.map((row) => ({
    ...row,
    name: textAt(object, rows[namesIndex].offset + row.nameAt),
  }));
}

function readSymbols(object, sections) {
  const table = sections.find(({ type }) => type === 2);
  return Array.from({ length: table.size / 24 }, (_, index) => {
    const at = table.offset + index * 24;
    return {
      name: textAt(object, sections[table.link].offset + object.readUInt32LE(at)),
      section: object.readUInt16LE(at + 6),
      value: Number(object.readBigUInt64LE(at + 8)),
    };
  });
}

/** Puts addresses and distances into the code. Returns what is left to the loader. */
function relocate({ object, sections, symbols, text, places, code }) {
  const relative = [];
  const calls = [];
  for (const section of sections.filter(({ type, info }) => type === 9 && info === text.index))
    for (let at = section.offset; at < section.offset + section.size; at += 16) {
      const offset = Number(object.readBigUInt64LE(at));
      const type = object.readUInt32LE(at + 8);
      const symbol = symbols[object.readUInt32LE(at + 12)];
      if (type === 1) {
        const target = places.get(symbol.section) + symbol.value + code.readUInt32LE(offset + 4);
        code.writeUInt32LE(target, offset + 4);
        code.writeUInt32LE(0, offset + 12);
        relative.push(offset);
      } else if (type === 10 && symbol.section === 0) {
        code.writeUInt8((code.readUInt8(offset + 1) & 0x0f) | 0x10, offset + 1);
        code.writeInt32LE(-1, offset + 4);
        calls.push({ offset, name: RENAMED[symbol.name] ?? symbol.name });
      } else if (type === 10) {
        const target = symbol.value + (code.readInt32LE(offset + 4) + 1) * 8;
        code.writeInt32LE((target - offset - 8) / 8, offset + 4);
      } else throw new Error(`relocation ${type} is not known`);
    }
  return { relative, calls };
}

function write({
  code,
  textAt,
  constantBytes,
  constantsAt,
  entryAt,
  dynamic: { relative, calls },
}) {
  const names = ['entrypoint', ...new Set(calls.map(({ name }) => name))];
  const strings = Buffer.from(`\0${names.map((name) => `${name}\0`).join('')}`);
  const dynamicAt = align(constantsAt + constantBytes.length);
  const symbolsAt = dynamicAt + 11 * 16;
  const stringsAt = symbolsAt + 24 * (names.length + 1);
  const relocationsAt = align(stringsAt + strings.length);
  const relocations = Buffer.alloc(16 * (relative.length + calls.length));
  const row = (index, offset, info) => {
    relocations.writeBigUInt64LE(BigInt(textAt + offset), 16 * index);
    relocations.writeBigUInt64LE(info, 16 * index + 8);
  };
  relative.forEach((offset, index) => row(index, offset, 8n));
  calls.forEach(({ offset, name }, index) =>
    row(relative.length + index, offset, (BigInt(names.indexOf(name) + 1) << 32n) | 10n),
  );
  const symbols = Buffer.alloc(24 * (names.length + 1));
  names.forEach((name, index) => {
    symbols.writeUInt32LE(strings.indexOf(`\0${name}\0`) + 1, 24 * (index + 1));
    symbols.writeUInt8(index === 0 ? 0x12 : 0x10, 24 * (index + 1) + 4);
    if (index === 0) symbols.writeUInt16LE(1, 24 + 6);
    if (index === 0) symbols.writeBigUInt64LE(BigInt(entryAt), 24 + 8);
  });
  const dynamic = Buffer.alloc(11 * 16);
  [
    [0x1e, 4],
    [17, relocationsAt],
    [18, relocations.length],
    [19, 16],
    [0x6ffffffa, relative.length],
    [6, symbolsAt],
    [11, 24],
    [5, stringsAt],
    [10, strings.length],
    [22, 0],
    [0, 0],
  ].forEach(([tag, value], index) => {
    dynamic.writeBigUInt64LE(BigInt(tag), 16 * index);
    dynamic.writeBigUInt64LE(BigInt(value), 16 * index + 8);
  });
  const nameBytes = Buffer.from(`\0${NAMES.map((name) => `${name}\0`).join('')}`);
  const relocationsEnd = relocationsAt + relocations.length;
  const headersAt = align(relocationsEnd + nameBytes.length);
  // type, flags, address, size, link, info, alignment, size of an entry
  const table = [
    [1, 6, textAt, code.length, 0, 0, 8, 0],
    [1, 2, constantsAt, constantBytes.length, 0, 0, 8, 0],
    [6, 3, dynamicAt, dynamic.length, 5, 0, 8, 16],
    [11, 2, symbolsAt, symbols.length, 5, 1, 8, 24],
    [3, 2, stringsAt, strings.length, 0, 0, 1, 0],
    [9, 2, relocationsAt, relocations.length, 4, 0, 8, 16],
    [3, 0, relocationsEnd, nameBytes.length, 0, 0, 1, 0],
  ];
  const file = Buffer.alloc(headersAt + SECTION_BYTES * (table.length + 1));
  writeHead(file, { entryAt, headersAt, sections: table.length + 1 });
  [
    [1, 5, textAt, code.length],
    [1, 4, constantsAt, constantBytes.length],
    [1, 4, symbolsAt, relocationsEnd - symbolsAt],
    [2, 6, dynamicAt, dynamic.length],
  ].forEach(([type, flags, at, size], index) => {
    const start = SECTION_BYTES + 56 * index;
    file.writeUInt32LE(type, start);
    file.writeUInt32LE(flags, start + 4);
    [at, at, at, size, size, 0x1000].forEach((value, place) =>
      file.writeBigUInt64LE(BigInt(value), start + 8 + 8 * place),
    );
  });
  const parts = [code, constantBytes, dynamic, symbols, strings, relocations, nameBytes];
  table.forEach(([type, flags, at, size, link, info, alignment, entrySize], index) => {
    parts[index].copy(file, at);
    const start = headersAt + SECTION_BYTES * (index + 1);
    file.writeUInt32LE(nameBytes.indexOf(`\0${NAMES[index]}\0`) + 1, start);
    file.writeUInt32LE(type, start + 4);
    const values = [flags, index === 6 ? 0 : at, at, size];
    values.forEach((value, place) => file.writeBigUInt64LE(BigInt(value), start + 8 + 8 * place));
    file.writeUInt32LE(link, start + 40);
    file.writeUInt32LE(info, start + 44);
    file.writeBigUInt64LE(BigInt(alignment), start + 48);
    file.writeBigUInt64LE(BigInt(entrySize), start + 56);
  });
  return file;
}

function writeHead(file, { entryAt, headersAt, sections }) {
  Buffer.from('7f454c46020101', 'hex').copy(file);
  file.writeUInt16LE(3, 16);
  file.writeUInt16LE(0x107, 18);
  file.writeUInt32LE(1, 20);
  file.writeBigUInt64LE(BigInt(entryAt), 24);
  file.writeBigUInt64LE(BigInt(SECTION_BYTES), 32);
  file.writeBigUInt64LE(BigInt(headersAt), 40);
  [SECTION_BYTES, 56, 4, SECTION_BYTES, sections, sections - 1].forEach((value, index) =>
    file.writeUInt16LE(value, 52 + 2 * index),
  );
}

function align(value, step = 8) {
  return Math.ceil(value / step) * step;
}

function textAt(bytes, at) {
  return bytes.toString('latin1', at, bytes.indexOf(0, at));
}
