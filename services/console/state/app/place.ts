const KEY = 'flagmeter.place';

type Page = {
  readonly sessionStorage: Storage;
  readonly location: { readonly hash: string };
  readonly history: { replaceState(data: unknown, unused: string, url: string): void };
};

/** Keeps the place of this tab while its user is at the identity provider, which would not bring the fragment back. */
export function keepPlace({ sessionStorage, location }: Page): void {
  sessionStorage.setItem(KEY, location.hash);
}

/** Returns to the kept place. */
export function goBack({ sessionStorage, history }: Page): void {
  const place = sessionStorage.getItem(KEY);
  sessionStorage.removeItem(KEY);
  if (place?.startsWith('#/') === true) history.replaceState(null, '', place);
}
