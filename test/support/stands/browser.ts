/** A browser that keeps cookies and follows redirects by hand. */
export interface Browser {
  /** Opens an address and follows until one begins with `until`, which is given and not opened. Rejects when it never does. */
  open(url: string, until: string): Promise<string>;
}

const HOPS = 10;

export function createBrowser(): Browser {
  const cookies = new Map<string, string>();
  return {
    async open(url, until) {
      let at = url;
      for (let hop = 0; hop < HOPS; hop += 1) {
        const answer = await fetch(at, {
          redirect: 'manual',
          headers: { cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; ') },
        });
        for (const cookie of answer.headers.getSetCookie()) {
          const [pair = ''] = cookie.split(';');
          const mark = pair.indexOf('=');
          cookies.set(pair.slice(0, mark), pair.slice(mark + 1));
        }
        const location = answer.headers.get('location');
        if (location === null)
          throw new Error(`${at} answered ${answer.status}: ${await answer.text()}`);
        await answer.body?.cancel();
        at = new URL(location, at).href;
        if (at.startsWith(until)) return at;
      }
      throw new Error('too many redirects');
    },
  };
}
