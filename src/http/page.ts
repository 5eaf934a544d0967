/** An answer that is no JSON of a schema: a text for a scraper, a page for a browser, a file. */
export class Page {
  /** With its charset where it is text. */
  readonly contentType: string;
  readonly body: string | Uint8Array;
  /** Headers of this answer alone; they replace those every answer has. */
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    contentType: string,
    body: string | Uint8Array,
    headers: Readonly<Record<string, string>> = {},
  ) {
    this.contentType = contentType;
    this.body = body;
    this.headers = headers;
  }
}
