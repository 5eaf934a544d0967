/** Returns the bytes of the part named `file` of a multipart body (RFC 7578); null without one. */
export function filePart(body: Buffer, contentType: string): Buffer | null {
  const boundary = /^multipart\/form-data;\s*boundary="?([^";]{1,70})"?$/i.exec(contentType)?.[1];
  if (boundary === undefined) return null;
  const mark = Buffer.from(`--${boundary}`);
  for (let at = body.indexOf(mark); at !== -1; ) {
    const start = at + mark.length + 2;
    const next = body.indexOf(Buffer.from(`\r\n--${boundary}`), start);
    if (next === -1) return null;
    const headEnd = body.indexOf('\r\n\r\n', start);
    if (headEnd !== -1 && headEnd < next) {
      const head = body.toString('latin1', start, headEnd);
      if (/content-disposition:\s*form-data;[^\r\n]*\bname="file"/i.test(head))
        return body.subarray(headEnd + 4, next);
    }
    at = next + 2;
  }
  return null;
}
