/** A browser without pages: it keeps cookies by host and follows redirects. */
export type Wanderer = {
  /** Follows redirects to the last page. */
  visit(url: string, init?: RequestInit): Promise<Page>;
  /** Sends one request with the cookies of its host, and keeps the new ones. */
  fetch(url: string, init?: RequestInit): Promise<Response>;
  /** The value of a cookie. */
  cookie(url: string, name: string): string | undefined;
  /** The names of the cookies of this host. */
  cookieNames(url: string): readonly string[];
  setCookie(url: string, name: string, value: string): void;
};

export type Page = {
  readonly url: string;
  readonly status: number;
  readonly text: string;
  readonly headers: Headers;
};

const MAX_REDIRECTS = 10;

/** `common` are headers of all of its requests. */
export function createWanderer(common: Readonly<Record<string, string>> = {}): Wanderer {
  const jars = new Map<string, Map<string, string>>();
  const jarOf = (url: string): Map<string, string> => {
    const { hostname } = new URL(url);
    const jar = jars.get(hostname) ?? new Map<string, string>();
    jars.set(hostname, jar);
    return jar;
  };
  const send = async (url: string, init: RequestInit = {}): Promise<Response> => {
    const jar = jarOf(url);
    const headers = new Headers({ ...common, ...Object.fromEntries(new Headers(init.headers)) });
    if (jar.size > 0) headers.set('cookie', [...jar].map((pair) => pair.join('=')).join('; '));
    const response = await fetch(url, { ...init, headers, redirect: 'manual' });
    for (const cookie of response.headers.getSetCookie()) keep(jar, cookie);
    return response;
  };
  return {
    fetch: send,
    async visit(url, init) {
      let place = url;
      let response = await send(place, init);
      for (let count = 0; count < MAX_REDIRECTS && response.headers.has('location'); count += 1) {
        await response.body?.cancel();
        place = new URL(response.headers.get('location') ?? '', place).href;
        response = await send(place);
      }
      const { status, headers } = response;
      return { url: place, status, headers, text: await response.text() };
    },
    cookie: (url, name) => jarOf(url).get(name),
    cookieNames: (url) => [...jarOf(url).keys()],
    setCookie(url, name, value) {
      jarOf(url).set(name, value);
    },
  };
}

function keep(jar: Map<string, string>, cookie: string): void {
  const [pair = '', ...attributes] = cookie.split(';').map((part) => part.trim());
  const at = pair.indexOf('=');
  const name = pair.slice(0, at);
  const isRemoved = attributes.some((attribute) =>
    /^(max-age=0|expires=thu, 01 jan 1970.*)$/i.test(attribute),
  );
  if (isRemoved) jar.delete(name);
  else jar.set(name, pair.slice(at + 1));
}

/** Signs in as this account, from the sign-in of flagmeter to the page after it. */
export function signIn(wanderer: Wanderer, consoleUrl: string, account: string): Promise<Page> {
  return finishSignIn(wanderer, `${consoleUrl}/sign-in`, account);
}

/** Signs in as this account, from a page that leads to the form of the provider. */
export async function finishSignIn(wanderer: Wanderer, place: string, account: string): Promise<Page> {
  const form = await wanderer.visit(place);
  if (!form.url.includes('/interaction/')) return form;
  return wanderer.visit(`${form.url}?account=${encodeURIComponent(account)}`);
}
